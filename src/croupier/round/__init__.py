"""One round: commands, events, and the pure functions between them.

`decide.decide` says what a command comes to, `evolve.evolve` what an event makes of a round,
`evolve.replay` what a history comes to. Chance, time and meter readings arrive in commands.
"""
