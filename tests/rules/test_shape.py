"""The base of the classes of a rulebook: values that are made whole and stay as they are."""

import pickle
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any

import pytest

from croupier.money import Cents
from croupier.rules.game import Bracket, Cited, Facts
from croupier.rules.shape import Shape
from croupier.rules.vocabulary import ClauseId


class Sign(Shape):
    title: str
    size: int = 3
    words: Mapping[str, str] = field(default_factory=dict)


class Lit(Sign):
    colour: str


BRACKET = Bracket(up_to=Cents(500), fee=Cents(50))


def test_what_is_not_given_has_its_default() -> None:
    assert vars(Sign(title="A")) == {"title": "A", "size": 3, "words": {}}
    assert Lit(title="A", colour="red").size == 3


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, "title"),
        ({"title": "A", "colour": "red"}, "colour"),
        ({"size": 1, "glow": True}, "glow, title"),
    ],
)
def test_it_is_made_of_all_its_fields_and_no_others(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(TypeError, match=f"Sign lacks or does not know {wrong}"):
        Sign(**given)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        BRACKET.fee = Cents(0)  # type: ignore[misc]  # That is the point.
    with pytest.raises(FrozenInstanceError):
        del BRACKET.fee
    assert BRACKET.fee == 50


def test_equal_fields_make_equal_values_of_one_class() -> None:
    same = Bracket(fee=Cents(50), up_to=Cents(500))
    assert same == BRACKET
    assert hash(same) == hash(BRACKET)
    assert replace(BRACKET, fee=Cents(51)) != BRACKET
    assert Cited(clause=ClauseId("1")) != Facts()


def test_it_prints_what_makes_it() -> None:
    assert repr(BRACKET) == "Bracket(up_to=500, fee=50)"
    assert eval(repr(BRACKET), {"Bracket": Bracket}) == BRACKET


def test_it_is_copied_and_pickled() -> None:
    for copy in (deepcopy(BRACKET), pickle.loads(pickle.dumps(BRACKET))):
        assert copy == BRACKET


def test_it_counts_as_a_dataclass() -> None:
    assert [one.name for one in fields(Lit)] == ["title", "size", "words", "colour"]
    assert Lit.kinds["size"] is int
    assert Lit.defaults == {"size": 3, "words": {}}
