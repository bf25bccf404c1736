"""Which irregularities void a round."""

from tests.reference.model import Json
from tests.reference.paytables import CALIFORNIA, FLORIDA, MARYLAND, RIDE, SINGAPORE

MARYLAND_KINDS = {
    "face_up_cards",
    "card_drawn_in_error",
    "wrong_number_of_cards",
    "shuffler_fault",
    "shoe_fault",
    "stub_count",
    "abandoned",
}
KINDS = {
    MARYLAND: {*MARYLAND_KINDS, "dealer_card_exposed"},
    RIDE: {*MARYLAND_KINDS, "community_card_exposed"},
    SINGAPORE: {
        "foreign_card",
        "wrong_deck_count",
        "misdeal",
        "wrong_number_of_cards",
        "cards_exposed",
    },
    CALIFORNIA: {"misdeal"},
    FLORIDA: {"misdeal"},
}
# Maryland 13.D, 13.E, 13.G; Let It Ride 13.D, 13.E, 13.G; Singapore 5.1, 5.2.
ALWAYS_VOID = {
    "wrong_number_of_cards",
    "dealer_card_exposed",
    "community_card_exposed",
    "shoe_fault",
    "foreign_card",
    "wrong_deck_count",
    "misdeal",
}
# Maryland 13.C, 13.F: the card is used, or the deck shuffled again, and the round goes on. M13.
NEVER_VOID = {"card_drawn_in_error", "shuffler_fault", "abandoned"}


def is_void(record: Json) -> bool:
    wrongs = record.get("irregularities") or []
    for wrong in wrongs:
        if wrong["kind"] not in KINDS[record["rulebook"]]:
            raise ValueError(f"irregularities: {wrong['kind']}")
    # Maryland 13.B, Singapore 5.5 and S8: more than one card, together or one by one.
    seen = [
        sum(
            len(wrong["positions"]) if "positions" in wrong else wrong["count"]
            for wrong in wrongs
            if wrong["kind"] == kind
        )
        for kind in ("face_up_cards", "cards_exposed")
    ]
    return max(seen) > 1 or any(voids(record["rulebook"], wrong) for wrong in wrongs)


def voids(book: str, wrong: Json) -> bool:
    kind = wrong["kind"]
    if kind in NEVER_VOID or kind in ("face_up_cards", "cards_exposed"):
        return False
    if kind == "stub_count":
        return bool(wrong["cards"] != 52 or wrong["misdealt"])  # M14.
    if book == SINGAPORE and kind == "misdeal":
        return not (wrong.get("handled") or wrong.get("reconstructable"))  # S5, 5.3.
    if book == SINGAPORE and kind == "wrong_number_of_cards":
        return not (wrong.get("reconstructable") or wrong.get("noticed_late"))  # S5, 5.4.
    assert kind in ALWAYS_VOID
    return True
