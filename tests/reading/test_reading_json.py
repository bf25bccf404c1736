"""JSON is read strictly: what two readers could understand differently is refused."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.errors import Refused
from croupier.reading.json import (
    DEPTH_MAX,
    WHOLE_MAX,
    parse_json,
    parse_message,
    plain_table,
    read_carefully,
)

REFUSED = [
    ('{"a": 1, "a": 2}', "duplicate_key"),
    ('[{"b": {"a": 1, "a": 1}}]', "duplicate_key"),
    ('{"a": 1, "\\u0061": 2}', "duplicate_key"),
    ("NaN", "not_whole"),
    ("[Infinity]", "not_whole"),
    ("-Infinity", "not_whole"),
    ("0.5", "not_whole"),
    ("1.0", "not_whole"),
    ("1e2", "not_whole"),
    ("1E400", "not_whole"),
    ("-0", "not_whole"),
    (str(2**53), "number_too_large"),
    (str(-(2**53)), "number_too_large"),
    (str(2**63), "number_too_large"),
    ("9" * 5_000, "number_too_large"),
    ("01", "not_json"),
    ("+1", "not_json"),
    ("0x10", "not_json"),
    ("１００", "not_json"),
    ("١٠٠", "not_json"),
    ("1_000", "not_json"),
    ("", "not_json"),
    ("{'a': 1}", "not_json"),
    ('{"a": 1,}', "not_json"),
    ('{"a": 1} x', "not_json"),
    ("\ufeff{}", "not_json"),
    ('"\\ud800"', "bad_text"),
    ('{"\\udfff": 1}', "bad_text"),
    ('["\\u0000"]', "bad_text"),
    ("[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1), "too_deep"),
    ("[" * 100_000, "too_deep"),
    ('{"a":' * 5_000, "too_deep"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED, ids=[text[:20] for text, _ in REFUSED])
@pytest.mark.parametrize("as_bytes", [True, False])
def test_what_is_ambiguous_is_refused(text: str, code: str, as_bytes: bool) -> None:
    with pytest.raises(Refused) as refused:
        parse_message(text.encode() if as_bytes else text)
    assert refused.value.code == code
    assert len(refused.value.message) < 200


@pytest.mark.parametrize("text", [text for text, _ in REFUSED], ids=lambda text: text[:20])
def test_what_is_ambiguous_is_refused_in_a_table(text: str) -> None:
    with pytest.raises(Refused):
        parse_message(f'{{"a": 1, "b": {text}}}')


def test_bytes_that_are_no_text_are_refused() -> None:
    for data in (b'"\xff"', b'"\xed\xa0\x80"', '{"a": 1}'.encode("utf-16")):
        with pytest.raises(Refused):
            parse_message(data)
    with pytest.raises(Refused):
        parse_message('"\ud800"')


def test_what_is_plain_is_read() -> None:
    assert parse_message(b'{"a": [1, -2, true, null, "\\ud83c\\udca1 \\u00e9"]}') == {
        "a": [1, -2, True, None, "🂡 é"]
    }
    assert parse_message(str(WHOLE_MAX)) == WHOLE_MAX
    assert parse_message("[" * DEPTH_MAX + "]" * DEPTH_MAX)
    assert parse_message(json.dumps(["[" * 100, '"{{' * 50])) == ["[" * 100, '"{{' * 50]


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
LEAVES = st.none() | st.booleans() | st.integers(-WHOLE_MAX, WHOLE_MAX) | TEXTS
PLAIN = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_whatever_is_written_is_read_back(value: object) -> None:
    assert parse_message(json.dumps(value)) == value
    assert parse_message(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.text(alphabet='{}[]":,\\u0d8e1.-tfn x', max_size=60) | st.binary(max_size=60))
def test_nothing_else_than_a_refusal_comes_of_rubbish(data: str | bytes) -> None:
    try:
        value = parse_message(data)
    except Refused as refused:
        assert refused.code
    else:
        assert parse_message(json.dumps(value)) == value


EDGES = [0, 2**53 - 1, 2**53, 1 - 2**53, -(2**53), 2**63, 10**30, "", "-0", '"', "{", "[1]", "\x7f"]
SCALARS = st.sampled_from(EDGES) | st.integers() | st.text(max_size=3) | st.none() | st.floats()


@settings(max_examples=1_000)
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c", "a b", "é"]), SCALARS), max_size=4),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:")]),
    st.tuples(
        st.integers(0, 60), st.sampled_from(["", "", "", "-", "0", '"', "\\", "}", "{", " "])
    ),
)
def test_what_is_read_quickly_is_what_a_careful_reader_reads(
    pairs: list[tuple[str, object]], signs: tuple[str, str], odd: tuple[int, str]
) -> None:
    comma, colon = signs
    text = "{" + comma.join(json.dumps(k) + colon + json.dumps(v) for k, v in pairs) + "}"
    place, more = odd
    text = text[:place] + more + text[place:]
    quick = plain_table(text)
    if quick is not None:
        careful = read_carefully(text)
        assert [*quick.items()] == [*careful.items()]
        assert [*map(type, quick.values())] == [*map(type, careful.values())]


def test_most_messages_are_read_quickly() -> None:
    bet = {"type": "bet", "id": "c-7", "seat": 3, "wager": "ante", "cents": 500}
    assert plain_table(json.dumps(bet)) == bet
    for odd in ({"hand": None}, {"id": 'a"b'}, {"id": "é"}, {"cents": 2**53}, {"cents": [5]}):
        assert plain_table(json.dumps({**bet, **odd})) is None


def test_files_may_have_decimals_and_are_otherwise_as_strict() -> None:
    assert parse_json('{"ante": 2.50, "of": [1, "x"]}', field="round") == {
        "ante": Decimal("2.50"),
        "of": [1, "x"],
    }
    for text, code in (
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ("[NaN]", "not_json"),
        ("[1,]", "not_json"),
        ("9" * 5_000, "number_too_large"),
        ("[" * 100_000, "too_deep"),
        (b"\xff", "bad_text"),
    ):
        with pytest.raises(Refused) as refused:
            parse_json(text, field="round")
        assert (refused.value.code, refused.value.field) == (code, "round")
