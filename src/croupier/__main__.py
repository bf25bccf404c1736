"""Lets `python -m croupier` start the command line."""

from croupier.cli import main

main()
