"""One round: commands, events, and the pure functions between them.

`decide.decide` turns a command into events, `evolve.evolve` applies an event to a round, and
`evolve.replay` rebuilds a round from its history. Chance, time and meter readings arrive in
commands.
"""
