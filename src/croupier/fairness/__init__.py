"""The honest deal: the shuffle, the commitment to it, its seal at rest, and how to check it.

Entropy and keys arrive as arguments; nothing here knows bets, players, meters or the clock.
"""
