"""Check that the cards shown are from the deck that was committed to before the bets.

    python check_deal.py deal.json --commitment 5f3a…

The file (- is standard input) holds the JSON document of a round, or a list of them. For each it
prints the cards that are proven, or what is wrong. The exit code is 0 if everything is proven, 1 if
something isn't, 2 if the file can't be read. Give what you noted: the commitment before you bet,
the roll of the cut before you revealed a contribution, and your contribution. Without these, the
document can only be checked against itself.

It needs only Python 3.11, and shares no code with the program that deals.
"""

import argparse
import hashlib
import itertools
import json
import re
import sys
from typing import Any

HASH = re.compile(r"[0-9a-f]{64}")
SALT = re.compile(r"[0-9a-f]{32}")
CARD = re.compile(r"[23456789TJQKA][shdc]")
ROUND = PLAYER = re.compile(r"[!-~]{1,100}")
VALUE = re.compile(r"[ -~]{32,128}")
PLACE = re.compile(r"[a-z_]{1,40}|seat \d+|not dealt", re.ASCII)
KEYS = {"format", "round", "rules", "root", "commitment", "opened"}
FORMATS = {"croupier-deal-1": KEYS, "croupier-deal-2": KEYS | {"cut"}}


class Wrong(Exception):
    """What is wrong with a document, in a sentence."""


def check(document: Any, **noted: str | None) -> list[dict[str, Any]]:
    """Return the proven cards, or raise Wrong; `noted` holds what the player noted."""
    if not isinstance(document, dict) or document.get("format") not in FORMATS:
        raise Wrong("it is not the document of a round, or has a format newer than this program")
    if document.keys() - {"record"} != FORMATS[document["format"]]:
        raise Wrong("it is not written as the document of a round must be")
    name = text(ROUND, document["round"], "the round's id")
    rules, root = (bytes.fromhex(text(HASH, document[key], key)) for key in ("rules", "root"))
    commitment = sha256("round", name.encode(), rules, root)
    if document["commitment"] != commitment.hex():
        raise Wrong("its commitment is not that of its round, rules and root")
    if noted.get("commitment") not in (None, commitment.hex()):
        raise Wrong("its commitment is not the one that you noted")
    order = cut(document.get("cut", []), name.encode(), commitment, noted)
    cards = [proven(opened, root) for opened in document["opened"]]
    for key in ("position", "card"):
        if len({card[key] for card in cards}) != len(cards):
            raise Wrong(f"a {key} was opened twice")
    if "record" in document:
        check_record(document, cards, order)
    return cards


def cut(made: Any, name: bytes, commitment: bytes, noted: dict[str, Any]) -> dict[int, int]:
    """Return the committed position of each dealt position, as the contributions permute them."""
    hashes, values, order = {}, [], list(range(52))
    for one in made:
        player, value = text(PLAYER, one["player"], "a player").encode(), one["value"]
        hashes[player] = bytes.fromhex(text(HASH, one["hash"], "the hash of a contribution"))
        if value is not None:
            values.append(text(VALUE, value, "a contribution").encode())
            if sha256("contribution", name, player, values[-1]) != hashes[player]:
                raise Wrong("a contribution is not the one whose hash was sent")
    if len(hashes) != len(made):
        raise Wrong("a player contributed twice")
    if noted.get("roll") not in (None, sha256("roll", *sorted(hashes.values())).hex()):
        raise Wrong("its contributions are not those whose roll you noted")
    if noted.get("contribution") not in (None, *(value.decode() for value in values)):
        raise Wrong("your contribution is not in its cut")
    key = sha256("cut", name, commitment, *sorted(values))
    counts = (count.to_bytes(4, "big") for count in itertools.count())
    stream = (byte for count in counts for byte in sha256("cut stream", key, count))
    for last in range(51 if values else 0, 0, -1):
        # A byte from the last whole multiple on is rejected, because it would favour small numbers.
        chosen = next(byte for byte in stream if byte < 256 - 256 % (last + 1)) % (last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return dict(enumerate(order))


def proven(opened: Any, root: bytes) -> dict[str, Any]:
    """Return an opened card whose path up the hash tree ends at the root."""
    if not isinstance(opened, dict) or opened.keys() != {"position", "card", "salt", "path"}:
        raise Wrong("an opened card is not written as it must be")
    position, path = opened["position"], opened["path"]
    if type(position) is not int or not 0 <= position < 52 or len(path) != 6:
        raise Wrong("an opened card needs a position from 0 to 51 and a path of 6 hashes")
    card = text(CARD, opened["card"], f"position {position}: its card")
    salt = bytes.fromhex(text(SALT, opened["salt"], f"position {position}: its salt"))
    node = sha256("card", bytes([position]), card.encode(), salt)
    for level, beside in enumerate(path):
        other = bytes.fromhex(text(HASH, beside, f"position {position}: its path"))
        # Where the position's bit is 1, the node is the right child.
        node = sha256("node", *((other, node) if position >> level & 1 else (node, other)))
    if node != root:
        raise Wrong(f"position {position}: {card} is not what was committed to")
    return {"position": position, "card": card, "salt": opened["salt"]}


def check_record(document: Any, cards: list[dict[str, Any]], order: dict[int, int]) -> None:
    """Check the round's record against the opened cards, and add where each was dealt."""
    record = document["record"]
    body = {key: value for key, value in record.items() if key != "seal"}
    written = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if hashlib.sha256(written.encode()).hexdigest() != record.get("seal"):
        raise Wrong("the record does not match its seal")
    begun = [(e["round"], e["digest"]) for e in record["events"] if e["type"] == "Opened"]
    if begun != [(document["round"], document["rules"])] or record["digest"] != begun[0][1]:
        raise Wrong("the record is of another round, or was played by other rules")
    for event in (event for event in record["events"] if event["type"] == "Shown"):
        shown = {key: event[key] for key in ("position", "card", "salt")}
        shown["position"] = order[shown["position"]]
        if shown not in cards:
            raise Wrong(f"the record shows {shown['card']!r}, which is not proven")
    dealt = [card for e in record["events"] if e["type"] == "Dealt" for card in e["cards"]]
    places = {order[at]: f"seat {int(n)}" if n else place for at, place, n in dealt}
    if len(places) != len(dealt):
        raise Wrong("the record deals a position twice")
    for card in cards:
        card["place"] = text(PLACE, places.get(card["position"], "not dealt"), "a place")


def text(pattern: re.Pattern[str], value: Any, name: str) -> str:
    """Return a text that matches the pattern, or raise Wrong."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise Wrong(f"{name} is not written as it must be")
    return value


def sha256(kind: str, *parts: bytes) -> bytes:
    """Return the hash of a kind and its parts, each preceded by its length."""
    every = (f"croupier {kind} 1".encode(), *parts)
    framed = b"".join(len(part).to_bytes(2, "big") + part for part in every)
    return hashlib.sha256(framed).digest()


def once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a repeated key: two parsers might read different values."""
    if len(dict(items)) != len(items):
        raise ValueError("a key appears twice in it")
    return dict(items)


def report(document: Any, **noted: str | None) -> tuple[list[dict[str, Any]] | None, str]:
    """Return the proven cards, or None if something is wrong, and the message to print."""
    try:
        cards = check(document, **noted)
    except Wrong as wrong:
        return None, f"NOT PROVEN: {wrong}."
    except (AttributeError, LookupError, TypeError, ValueError):
        return None, "NOT PROVEN: it is not written as it must be."
    lines = [f"Round {document['round']}, commitment {document['commitment']}"]
    lines += [f"  {c['position']:2}  {c['card']}  {c.get('place', '')}".rstrip() for c in cards]
    if made := document.get("cut"):
        withheld = sum(one["value"] is None for one in made)
        revealed = f"{len(made) - withheld} revealed, {withheld} withheld"
        lines.append(f"Contributions to the cut: {revealed}.")
    against = "Compare the commitment with the one you saw before you bet."
    against = "" if noted.get("commitment") else f" {against}"
    return cards, "\n".join([*lines, f"Proven: {len(cards)} of 52 cards.{against}"])


def main() -> int:
    """Check the documents of one file and return the exit code."""
    parser = argparse.ArgumentParser(description="Checks which cards of a deal are proven.")
    parser.add_argument("file", help="the document of a round; - is standard input")
    parser.add_argument("--commitment", help="the commitment that you noted before you bet")
    parser.add_argument("--roll", help="the roll that you noted before you revealed")
    parser.add_argument("--contribution", help="your contribution to the cut")
    given = vars(parser.parse_args())
    file = given.pop("file")
    try:
        with open(0 if file == "-" else file, encoding="utf-8") as opened:
            read = json.load(opened, object_pairs_hook=once)
    except (OSError, RecursionError, ValueError) as error:
        sys.stderr.write(f"{file} can't be read: {error}\n")
        return 2
    reports = [report(one, **given) for one in (read if type(read) is list else [read])]
    sys.stdout.write("".join(f"{words}\n" for _, words in reports))
    return 0 if reports and all(cards is not None for cards, _ in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
