"""What the program does with the virtual deck of an automatic table before it is dealt."""

from croupier.table import commands
from croupier.table.commands import Command
from croupier.table.state import Table, is_cut_due


def chore(table: Table, depth: int) -> Command | None:
    """Return the next thing to do with the deck, or None if it is ready: shuffle it, then cut it.

    `depth` is the depth of a cut, if the book has one made.
    """
    rules = table.rules
    number = table.round.deck if table.round else table.deck_turn
    deck = table.decks[number]
    if rules.deck.shuffle and deck.stack is None:
        return commands.Shuffle(number)
    if is_cut_due(rules, deck) and not deck.depth:
        return commands.Cut(number, depth)
    return None
