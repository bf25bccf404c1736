"""A book by which no round can be played, or by which a stake is forgotten, is refused."""

import pytest

from croupier.errors import Breaches
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import parse_rulebook
from tests.rules.books import SIXTH_TEXT, problems_of, sixth, swapped
from tests.rules.test_check import Case

LINES = 'lines  = ["watch", "beacon", "crown", "envy"]'
PAIR = '{ hand = "pair", least = "T", for = 2.5 }'
SEATS = '{ to = "seats", cards = 3, clause = "4" }'
BANK = '{ to = "bank", cards = 3, clause = "4" }'
POOL = '{ to = "pool", cards = 2, if_staked = "crown", clause = "4" }'
STAY = 'label  = "Stay"\nkey    = "S"\nclause = "5"'
WATCH = 'label  = "Watch"\nclause = "2"'
BEACON_A = '{ hand = "mini royal", suits = "s", to = 9, clause = "6.a" }'
SHOWDOWN = "a showdown is between hands of three cards, or of five or six"

# A Guard is placed by those who stay; every case that has one begins with it.
GUARD = """[wager.guard]
label  = "Guard"
placed = "by decision"
clause = "2"
settle = { always = { does = "push", clause = "6" } }

[bonus.beacon]"""
GUARDED = swapped(
    SIXTH_TEXT,
    ("[bonus.beacon]", GUARD),
    (STAY, f'{STAY}\nplaces = "guard"\nequals = "watch"'),
    (LINES, 'lines  = ["watch", "guard", "beacon", "crown", "envy"]'),
)
AGAIN = """[step.again]
do     = "decide"
asks   = "guard"
order  = "clockwise"
clause = "5"

[step.again.option.hold]
label  = "Hold"
key    = "H"
clause = "5"

[step.again.option.drop]
label  = "Drop"
key    = "D"
folds  = true
clause = "5"
stakes = { watch = { fate = "forfeit", clause = "5" }, crown = { fate = "keep", clause = "5" } }

[step.reveal]"""

CARDS: dict[str, Case] = {
    "a deck of 53": (
        "cards  = 52", "cards  = 53", "deck.cards", "4", "= 53",
        "hands are made of 52 cards: a deck of 53 is not understood",
    ),
    "a deck of 32": (
        "cards  = 52", "cards  = 32", "deck.cards", "4", "= 32",
        "hands are made of 52 cards: a deck of 32 is not understood",
    ),
    "a deck of 104": (
        "cards  = 52", "cards  = 104", "deck.cards", "4", "= 104",
        "hands are made of 52 cards: a deck of 104 is not understood",
    ),
    "no deck at all": ("decks  = 1", "decks  = 0", "deck.decks", "4", "= 0", "must be at least 1"),
    "more cards than the deck": (
        "seats  = 5", "seats  = 16", "deal.shoe", "4", "[deal.shoe]",
        "deals 53 cards where all seats play, and the deck has 52",
    ),
    "no seat": (
        "seats  = 5", "seats  = 0", "table.seats", "1", "seats  = 0",
        "must be at least 1, for a round to be played",
    ),
    "more seats to be taken than there are": (
        "seats  = 5", "seats  = 5\nseats_min = 6", "table.seats", "1", "seats  = 5",
        "must be at least 6, for a round to be played",
    ),
    "cards to one seat": (
        SEATS, SEATS.replace("seats", "seat"), "deal.shoe.cards[1].to", "4", SEATS[16:],
        "cards are dealt to 'seats', each in turn",
    ),
    "no card": (
        POOL, POOL.replace("cards = 2", "cards = 0"), "deal.shoe.cards[3]", "4", "cards = 0",
        "must deal a card, and show no more than it deals",
    ),
    "more shown than dealt": (
        BANK, BANK.replace("cards = 3", "cards = 3, shows = 4"), "deal.shoe.cards[2]", "4",
        "shows = 4", "must deal a card, and show no more than it deals",
    ),
    "a seat's cards face up": (
        SEATS, SEATS.replace("cards = 3", "cards = 3, shows = 1"), "deal.shoe.cards[1].shows", "4",
        "shows = 1", "cards of the seats are not dealt face up",
    ),
    "a place that is not filled": (
        'label  = "Pool"\ncards  = 2', 'label  = "Pool"\ncards  = 3', "deal.shoe", "4",
        "[deal.shoe]", "deals 2 cards to 'pool', which holds 3",
    ),
    "a place that is called like something else": (
        "[place.pool]", '[place.dealer]\nlabel = "Dealer"\ncards = 2\nclause = "4"\n\n[place.pool]',
        "place.dealer", "4", "[place.dealer]", "the name means something else in a round file",
    ),
    "a showdown without a bank": (
        BANK + ",", "", "wager.watch.settle", "2", "[wager.watch.settle]",
        f"{SHOWDOWN}: the seats get 3 cards and the bank 0",
    ),
    "a qualifier without a bank": (
        BANK + ",", "", "bank.qualifier", "6", "qualifier =",
        "the bank gets no hand to qualify with",
    ),
    "a reveal without a bank": (
        BANK + ",", "", "step.reveal.shows", "6", "shows  =",
        "there are no cards to turn up at 'bank'",
    ),
    "three cards against five": (
        BANK, BANK.replace("3", "5", 1), "wager.watch.settle", "2", "[wager.watch.settle]",
        f"{SHOWDOWN}: the seats get 3 cards and the bank 5",
    ),
    "a bank that nothing turns up": (
        'shows  = ["bank", "pool"]', 'shows  = ["pool"]', "wager.watch.settle", "2",
        "[wager.watch.settle]", "goes by the bank's cards, and no step turns all of them up",
    ),
    "a bank that is turned up in part": (
        'shows  = ["bank", "pool"]', 'shows  = ["bank", "pool"]\ncards  = 2', "wager.watch.settle",
        "2", "[wager.watch.settle]", "goes by the bank's cards, and no step turns all of them up",
    ),
    "a place that nothing turns up": (
        'shows  = ["bank", "pool"]', 'shows  = ["bank"]', "wager.crown", "3", "[wager.crown]",
        "is judged by cards of 'pool' that no step turns up",
    ),
    "a place that another wager fills": (
        POOL, POOL.replace("crown", "watch"), "wager.crown", "3", "[wager.crown]",
        "no card is dealt to 'pool' where only it is staked",
    ),
}  # fmt: skip
PAYING: dict[str, Case] = {
    "suits of a high card": (
        PAIR, PAIR + ',\n  { hand = "high card", suits = "s", to = 1 }',
        "paytable.crown.A.rows[3].suits", "6", '"high card"',
        "a high card is not told by its suit; a mini royal, royal flush or super royal is",
    ),
    "suits of a pair": (
        PAIR, PAIR.replace('least = "T"', 'suits = "hd"'), "paytable.crown.A.rows[2].suits", "6",
        'suits = "hd"',
        "a pair is not told by its suit; a mini royal, royal flush or super royal is",
    ),
    "the rank of a straight": (
        PAIR, '{ hand = "straight", least = "T", to = 2 }', "paytable.crown.A.rows[2].least", "6",
        'least = "T"', "a straight has no pair or larger set to be of a rank",
    ),
    "one place twice": (
        'clause = "6"\nof     = ["seat", "pool"]', 'clause = "6"\nof     = ["seat", "seat"]',
        "paytable.crown.A.of", "6", '["seat", "seat"]',
        "must name 'seat', 'bank' or places of the book, each once",
    ),
    "odds for another's hand": (
        "stake = 1, amount = 10.50", "to = 2", "envy.envy", "3", "[envy.envy]",
        "must have rows that pay an 'amount'",
    ),
    "two wagers on one meter": (
        WATCH + "\n\n[wager.watch.settle]",
        f'{WATCH}\npaytable = "crown"\ncollected = "3"\n\n[wager.watch.settle]',
        "wager.crown", "3", "[wager.crown]", "the meter 'crown' is that of 'watch' already",
    ),
    "a line twice": (
        LINES, LINES.replace('"beacon"', '"beacon", "watch"'), "step.settle.lines", "6", "lines  =",
        "settles 'watch' 2 times",
    ),
}  # fmt: skip
CHOOSING: dict[str, Case] = {
    "a fold that forgets a stake": (
        'crown = { fate = "keep", clause = "5" }', "", "step.stay_or_leave.option.leave", "5",
        "[step.stay_or_leave.option.leave]", "does not say what becomes of a stake on 'crown'",
    ),
    "two options with one key": (
        'key    = "L"', 'key    = "s"', "step.stay_or_leave.option.leave.key", "5", 'key    = "s"',
        "must be one letter or digit, not 'q' and no other option's",
    ),
    "the key to leave the table": (
        'key    = "L"', 'key    = "Q"', "step.stay_or_leave.option.leave.key", "5", '"Q"',
        "must be one letter or digit, not 'q' and no other option's",
    ),
    "a qualifier of two kinds": (
        'high = "J"', 'high = "J", pair = "5"', "bank.qualifier", "6", "qualifier =",
        "must have 'high' or 'pair'",
    ),
    "a qualifier of none": (
        'high = "J", ', "", "bank.qualifier", "6", "qualifier =", "must have 'high' or 'pair'",
    ),
    "a kicker above the high card": (
        'high = "J"', 'high = "J", kicker = "K"', "bank.qualifier.kicker", "6", "kicker =",
        "goes with a higher 'high'",
    ),
    "a multiple of nothing": (
        STAY, f"{STAY}\ntimes = 2", "step.stay_or_leave.option.stay.times", "5", "times = 2",
        "must be at least 1, and goes with 'places'",
    ),
    "a key of two characters": (
        'key    = "L"', 'key    = "Le"', "step.stay_or_leave.option.leave.key", "5", '"Le"',
        "must be one letter or digit, not 'q' and no other option's",
    ),
    "lines where nothing is settled": (
        'shows  = ["bank", "pool"]', 'shows  = ["bank", "pool"]\nlines  = ["watch"]',
        "step.reveal.lines", "6", 'lines  = ["watch"]', "is nothing to 'reveal'",
    ),
    "a banker's order": (
        'order  = "clockwise"', 'order  = "from the banker"', "step.stay_or_leave.order", "5",
        '"from the banker"', "belongs to a book that a player banks",
    ),
    "an option that places an opening wager": (
        STAY, f'{STAY}\nplaces = "crown"\nequals = "watch"',
        "step.stay_or_leave.option.stay.places", "5", 'places = "crown"',
        "'crown' is placed before the deal",
    ),
    "a family of no paytables": (
        '[paytable.envy.A]\nclause = "3"\nof     = ["seat", "pool"]\n'
        'rows   = [{ hand = "royal flush", stake = 1, amount = 10.50 }]', "[paytable.envy]",
        "paytable.envy", None, "[paytable.envy]", "has no paytable",
    ),
    "no size at all": (
        'label  = "Watch"', 'label  = "Watch"\nsizes = { of = [], clause = "2" }',
        "wager.watch.sizes.of", "2", "of = []", "must name sizes above zero",
    ),
    "cards turned up at a seat": (
        'shows  = ["bank", "pool"]', 'shows  = ["bank", "pool", "seat"]', "step.reveal.shows", "6",
        '"seat"]', "there are no cards to turn up at 'seat'",
    ),
}  # fmt: skip
PLACING: dict[str, Case] = {
    "spots of a wager that an option places": (
        'placed = "by decision"', 'placed = "by decision"\nspots = ["one", "two"]',
        "wager.guard.spots", "2", "spots =", "belongs to a wager that is placed before the deal",
    ),
    "sizes of such a wager": (
        'placed = "by decision"', 'placed = "by decision"\nsizes = { of = [1], clause = "2" }',
        "wager.guard.sizes", "2", "sizes =", "belongs to a wager that is placed before the deal",
    ),
    "a condition on such a wager": (
        'needs = ["watch"]', 'needs = ["guard"]', "wager.crown.conditions[1]", "3", '["guard"]',
        "'guard' is placed by decision, and bets have closed by then",
    ),
    "the size of a stake that may not be there": (
        'equals = "watch"', 'equals = "crown"', "step.stay_or_leave.option.stay.equals", "5",
        'equals = "crown"', "a seat that is asked may have no stake on 'crown'",
    ),
    "nothing to choose without money": (
        'label  = "Leave"', 'label  = "Leave"\nplaces = "guard"\nequals = "watch"',
        "step.stay_or_leave.option", "5", "[step.stay_or_leave.option.stay]",
        "a player who can't pay for more has nothing to choose",
    ),
    "a question before its stake": (
        'asks   = "watch"', 'asks   = "guard"', "step.stay_or_leave.asks", "5", '"guard"',
        "no stake can lie on 'guard' by then",
    ),
    "a later fold that forgets it": (
        "[step.reveal]", AGAIN, "step.again.option.drop", "5", "[step.again.option.drop]",
        "does not say what becomes of a stake on 'guard'",
    ),
    "a wager that two steps place": (
        "[step.reveal]", AGAIN.replace('"H"', '"H"\nplaces = "guard"\nequals = "watch"'),
        "step.again", "5", "[step.again]",
        "'guard' has been placed by an earlier step, and would be again",
    ),
}  # fmt: skip
CASES = [(SIXTH_TEXT, name, case) for name, case in (CARDS | PAYING | CHOOSING).items()]
CASES += [(GUARDED, name, case) for name, case in PLACING.items()]


@pytest.mark.parametrize(("text", "name", "case"), CASES, ids=[name for _, name, _ in CASES])
def test_a_book_that_cannot_be_played_is_refused(text: str, name: str, case: Case) -> None:
    old, new, path, clause, mark, message = case
    text = swapped(text, (old, new))
    found = [problem for problem in problems_of(text) if problem.path == path]
    assert [problem.message for problem in found] == [message]
    assert found[0].clause == clause
    lines = text.splitlines()
    assert mark in lines[(found[0].line or 0) - 1], name


SPOTS = ((WATCH, f'{WATCH}\nspots = ["left", "right"]'), ('asks   = "watch"', 'asks   = "left"'))
LEFT = 'left = { fate = "forfeit", clause = "5" }\nright'
SEVERAL: dict[str, tuple[str, tuple[tuple[str, str], ...], list[tuple[str, str]]]] = {
    "a bonus called like a wager": (
        SIXTH_TEXT,
        (("[bonus.beacon]", "[bonus.crown]"), ('"beacon", "crown"', '"crown"')),
        [("bonus.crown", "something else that is settled has this name")],
    ),
    "printed words for more than its spots": (
        GUARDED,
        ((WATCH, f'{WATCH}\nprints = ["Left", "Right"]'),),
        [("wager.watch.prints", "must have one text for each spot")],
    ),
    "two spots of one name": (
        SIXTH_TEXT,
        (*SPOTS, ("watch = { fate", f"{LEFT} = {{ fate"), ('["left", "right"]', '["left", "left"]'),
         ("right = { fate", "# = { fate")),
        [
            ("wager.watch.spots[1]", "'left' is another name already"),
            ("wager.watch.spots[2]", "'left' is another name already"),
            ("bonus.beacon.on", "'watch' has several spots"),
            ("envy.envy.holders.needs", "'watch' has several spots"),
        ],
    ),
    "a raise as large as several spots": (
        GUARDED,
        (*SPOTS, ("watch = { fate", f"{LEFT} = {{ fate")),
        [
            ("bonus.beacon.on", "'watch' has several spots"),
            ("envy.envy.holders.needs", "'watch' has several spots"),
            ("step.stay_or_leave.option.stay.equals", "'watch' has several spots"),
        ],
    ),
    "nothing that is always offered": (
        SIXTH_TEXT,
        ((WATCH, f'{WATCH}\npaytable = "watch"'),
         ("[paytable.beacon.A]",
          '[paytable.watch.A]\nclause = "6"\nrows = []\n[paytable.beacon.A]'),
         ("[selection.crown]", '[selection.watch]\nsays = "it"\ntakes = "paytable"\n'
          'family = "watch"\nletters = ["A"]\ndefault = "A"\nclause = "6"\n\n[selection.crown]')),
        [("wager", "none is always offered and placed before the deal")],
    ),
    "a raise that is not offered": (
        GUARDED,
        (('placed = "by decision"', 'placed = "by decision"\npaytable = "beacon"'),
         ('default  = "A"\nrequired = true', 'default  = "A"')),
        [("wager.guard.paytable", "may be 'none', and then an option places what is not")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_parts_that_only_together_cannot_be_played_are_refused(name: str) -> None:
    text, swaps, found = SEVERAL[name]
    assert [(p.path, p.message) for p in problems_of(swapped(text, *swaps))] == found


def test_the_books_that_the_cases_begin_with_are_books() -> None:
    assert sixth(SIXTH_TEXT).rules.wager.keys() == {"watch", "crown"}
    assert sixth(GUARDED).rules.wager.keys() == {"watch", "crown", "guard"}


def test_a_bonus_has_no_meter() -> None:
    text = swapped(
        SIXTH_TEXT,
        ('paytable = "beacon"', 'paytable = "crown"'),
        ('paytable   = "crown"', 'paytable   = "beacon"'),
        (', if_staked = "crown"', ""),
    )
    assert [(p.path, p.message) for p in problems_of(text)] == [
        ("bonus.beacon", "has a meter, which only a wager can have")
    ]


def test_a_meter_needs_a_house_that_banks() -> None:
    text = swapped(
        SIXTH_TEXT,
        ('banked_by = "house"', 'banked_by = "player"'),
        (
            "[wager.watch]",
            '[bank.cover]\nunit = "hand"\ncollects = "in turn"\nin_part = false\nclause = "1"\n'
            'from = "wager and collections"\n\n[bank.rotation]\nrounds_max = 1\npasses = true\n'
            'stays = true\nclause = "1"\n\n[wager.watch]',
        ),
    )
    assert [(p.path, p.message) for p in problems_of(text)] == [
        ("wager.crown", "has a meter, which only a house that banks can keep")
    ]


def test_rows_of_one_hand_stand_from_the_narrower_to_the_wider() -> None:
    kings = PAIR.replace('"T", for = 2.5', '"K", for = 5')
    assert sixth(swapped(SIXTH_TEXT, (PAIR, f"{kings},\n  {PAIR}")))
    royal = BEACON_A.replace('suits = "s", to = 9, clause = "6.a"', "to = 8")
    assert sixth(swapped(SIXTH_TEXT, (BEACON_A, f"{BEACON_A},\n  {royal}")))
    for wrong in (
        swapped(SIXTH_TEXT, (PAIR, f"{PAIR},\n  {kings}")),
        swapped(SIXTH_TEXT, (BEACON_A, f"{royal},\n  {BEACON_A}")),
    ):
        assert [p.message for p in problems_of(wrong)] == [
            "stands below a row that it should be above"
        ]


def test_selections_that_make_an_unplayable_table_are_refused_with_their_names() -> None:
    option = 'sets   = { "wager.watch.settle.equal.does" = "lose" }'
    text = swapped(SIXTH_TEXT, (option, 'sets   = { "step.reveal.shows" = ["pool"] }'))
    book = parse_rulebook(text, id="sixth", file="sixth.toml")
    assert resolve(book)
    with pytest.raises(Breaches) as caught:
        resolve(book, {"ties": "lose"})
    assert str(caught.value) == (
        "ties: makes a table that can't be played: "
        "wager.watch.settle goes by the bank's cards, and no step turns all of them up"
    )
