"""A round for a program to play: `deal` it, read the choices, choose, read the settlement.

The caller supplies the deck, so the same deck gives the same round.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from croupier.cards import Card, distinct, parse_cards
from croupier.errors import Refused, UserError
from croupier.money import parse_micros, parse_money
from croupier.round.commands import Bank, Bet, Choose, CloseBets, Deal, Open
from croupier.round.file import Played
from croupier.round.play import Play
from croupier.round.result import result_of
from croupier.round.state import Round
from croupier.round.view import choices, view
from croupier.rules.table_rules import TableRules

Money = int | str | Decimal
"""Dollars, with at most two decimals."""


def deal(
    rules: TableRules,
    wagers: Mapping[int, Mapping[str, Money]],
    deck: str | Sequence[Card],
    *,
    banker: tuple[int, Money] | None = None,
    meters: Mapping[str, Money] | None = None,
    players: Mapping[int, str] | None = None,
    hands: Mapping[int, int] | None = None,
) -> "RoundInPlay":
    """Make each seat's wagers, close the bets and deal, up to the first decision.

    `deck` has all cards, top first. Where a player banks, `banker` is the seat and the funds.
    `meters` holds the meter readings before the round. `players` names the player at each seat, if
    one player has several; `hands` is the shared hand that a seat bets on, if hands are shared.
    """
    names, shared = players or {}, hands or {}
    play = Play(Round(rules), dict(enumerate(_whole_deck(rules, deck))))
    shown = {id: parse_micros(sum, f"meters.{id}") for id, sum in (meters or {}).items()}
    play.do(Open("", shown))
    if banker is not None:
        seat, funds = banker
        play.do(Bank(seat, names.get(seat, _player(seat)), parse_money(funds, "banker")))
    for seat, stakes in wagers.items():
        for wager, sum in stakes.items():
            cents = parse_money(sum, f"wagers[{seat}].{wager}")
            play.do(Bet(seat, names.get(seat, _player(seat)), wager, cents, shared.get(seat)))
    play.do(CloseBets(), Deal())
    return RoundInPlay(play)


class RoundInPlay:
    """A dealt round. It stops when a seat must choose, and settles at the end."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._go_on()

    def __repr__(self) -> str:
        if self.seat is None:
            return "<RoundInPlay: settled>"
        return f"<RoundInPlay: seat {self.seat} chooses {' or '.join(self.choices)}>"

    @property
    def seat(self) -> int | None:
        """The seat that must choose, or None once the round is settled."""
        asked = self._play.round.asked
        return asked[0] if asked else None

    @property
    def choices(self) -> tuple[str, ...]:
        """The options of that seat."""
        return tuple(choice["option"] for choice in choices(self._play.round))

    @property
    def result(self) -> dict[str, Any] | None:
        """The settlement as `settle` returns it, or None while a seat must still choose."""
        round = self._play.round
        if not round.closed:
            return None
        return result_of(Played(round, tuple(self._play.events), self._play.faces))

    def choose(self, option: str) -> None:
        """Choose for the current seat, or raise Refused and change nothing."""
        if self.seat is None:
            raise Refused("wrong_step", "the round is settled")
        self._play.do(Choose(self.seat, option))
        self._go_on()

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """Return what the player at a seat, or with None a spectator, may see.

        A hidden card is `??`.
        """
        round = self._play.round
        players: dict[int | None, str | None] = {None: None}
        players |= {box.seat: box.player for box in round.boxes.values()}
        if round.banker:
            players[round.banker.seat] = round.banker.player
        if seat not in players:
            raise UserError(f"nobody plays at seat {seat}", field="seat")
        return view(round, players[seat], self._play.faces)

    def _go_on(self) -> None:
        if self._play.to_decision() is None:
            self._play.settle()


def _whole_deck(rules: TableRules, deck: str | Sequence[Card]) -> tuple[Card, ...]:
    cards = distinct(parse_cards(deck) if isinstance(deck, str) else map(Card, deck))
    if len(cards) != rules.deck.cards:
        raise UserError(f"has {len(cards)} cards, not {rules.deck.cards}", field="deck")
    return cards


def _player(seat: int) -> str:
    return f"player {seat}"
