"""Messages of the socket: strictly read, and known again by their digest."""

import json

import pytest

from croupier.errors import ParseError, Refused, UserError
from croupier.gallery.frames import refused
from croupier.house.said import Bet, Ping, Sit
from croupier.server.messages import id_in, message_from
from croupier.server.talk import done


def test_a_message_is_read_as_what_it_says() -> None:
    assert message_from('{"type":"sit","id":"a","seat":3}')[0] == Sit("a", 3)
    coded = message_from('{"type":"sit","id":"a","seat":3,"code":"Q7"}')
    assert coded[0] == Sit("a", 3, "Q7")
    text = '{"type":"bet","id":"b","seat":1,"wager":"w","cents":500,"hand":null}'
    assert message_from(text)[0] == Bet("b", 1, "w", 500)
    assert message_from('{"type":"ping","id":"c"}')[0] == Ping("c")


def test_the_digest_is_that_of_the_body_however_it_is_written() -> None:
    one = message_from('{"type":"sit","id":"a","seat":3}')[1]
    assert message_from('{ "seat": 3, "id": "a", "type": "sit" }')[1] == one
    assert message_from('{"type":"sit","id":"a","seat":4}')[1] != one


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[]", "message"),
        ('{"type":"sit","seat":3}', "id"),
        ('{"type":"sit","id":"","seat":3}', "id"),
        ('{"type":"sit","id":" ","seat":3}', "id"),
        ('{"type":"sit","id":7,"seat":3}', "id"),
        (json.dumps({"type": "sit", "id": "x" * 65, "seat": 3}), "id"),
        ('{"type":"void","id":"a"}', "type"),
        ('{"type":["sit"],"id":"a"}', "type"),
        ('{"type":"Sit","id":"a","seat":3}', "type"),
        ('{"type":"sit","id":"a"}', "Sit.seat"),
        ('{"type":"sit","id":"a","seat":"3"}', "Sit.seat"),
        ('{"type":"sit","id":"a","seat":true}', "Sit.seat"),
        ('{"type":"sit","id":"a","seat":3,"code":7}', "Sit.code"),
        ('{"type":"sit","id":"a","seat":3,"more":1}', "Sit.more"),
    ],
)
def test_a_bad_message_is_refused_by_its_field(text: str, field: str) -> None:
    with pytest.raises(ParseError) as error:
        message_from(text)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("", None),
        ("{", None),
        ("\x00", None),
        ('{"type":"sit","id":"a","seat":3.0}', "a"),
        ('{"type":"sit","id":"a","seat":1e1}', "a"),
        ('{"type":"sit","id":"a","seat":NaN}', None),
        ('{"type":"sit","id":"a","seat":9007199254740993}', "a"),
        ('{"type":"sit","id":"a","seat":3,"seat":3}', "a"),
        ('{"type":"sit","id":"a b","seat":3.0}', None),
        ("[" * 100_000, None),
    ],
)
def test_what_is_not_strict_json_is_refused_under_its_id(text: str, id: str | None) -> None:
    with pytest.raises(UserError):
        message_from(text)
    assert id_in(text) == id


def test_answers_name_the_command() -> None:
    assert json.loads(done("a", 7)) == {"type": "done", "id": "a", "v": 7}
    said = json.loads(refused("a", Refused("bets_closed", "no more bets", clause="7.D")))
    assert said == {
        "type": "refused",
        "id": "a",
        "code": "bets_closed",
        "message": "no more bets",
        "field": None,
        "clause": "7.D",
    }
