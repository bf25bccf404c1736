"""Playing cards as SVG text, for notebooks, pages and print.

Every drawing is complete in itself: no ids that would clash on a page with many cards, no style
sheet, no image, and no font needed for the suits. A `<title>` says in words what is drawn.
"""

from collections.abc import Iterable

from croupier.cards import RANKS, Card

WIDTH = 120
"""The width of a card in pixels, unless told otherwise; it is 5 : 7 like a poker card."""

_TWO_COLOURS = ("#1b1b22", "#c4122f", "#c4122f", "#1b1b22")
_FOUR_COLOURS = ("#1b1b22", "#c4122f", "#1557b0", "#17703a")
_GOLD, _BACK, _BACK_LINES = "#d9b341", "#7a1f2b", "#efe3c8"
_SERIF = "Georgia, 'Times New Roman', 'DejaVu Serif', serif"

# Everything is drawn on a card of 250 × 350; a suit fills about 100 × 100 around its centre.
_CARD_WIDTH, _CARD_HEIGHT, _GAP = 250, 350, 20
_PAPER = (
    '<rect x="1.5" y="1.5" width="247" height="347" rx="18" fill="#fffefa" stroke="#8b8b93" '
    'stroke-width="2"/>'
)
_STEM = "M-17 49C-8 44-4 35-3 20H3C4 35 8 44 17 49Z"
_SUITS = (
    "M0-49C13-29 44-11 44 14C44 30 33 38 22 38C12 38 5 33 0 24"
    "C-5 33-12 38-22 38C-33 38-44 30-44 14C-44-11-13-29 0-49Z" + _STEM,
    "M0 47C-13 27-45 6-45-20C-45-37-34-46-22-46C-11-46-4-40 0-29"
    "C4-40 11-46 22-46C34-46 45-37 45-20C45 6 13 27 0 47Z",
    "M0-50C9-32 22-14 37 0C22 14 9 32 0 50C-9 32-22 14-37 0C-22-14-9-32 0-50Z",
    "M0-48A21 21 0 0 1 14-11L10-7A21 21 0 1 1 4 24H-4A21 21 0 1 1-10-7L-14-11A21 21 0 0 1 0-48Z"
    + _STEM,
)
_BAND = "M-32 17H32V26H-32Z"
_CROWNS = {
    "J": "M-32 12L-36-8C-24-8-16-2-12 4C-8-8-4-13 0-17C4-13 8-8 12 4C16-2 24-8 36-8L32 12Z" + _BAND,
    "Q": "M-32 12L-40-14L-20 0L-14-22L0-3L14-22L20 0L40-14L32 12Z"
    "M-40-23a5 5 0 1 0 .1 0ZM-14-32a5 5 0 1 0 .1 0ZM14-32a5 5 0 1 0 .1 0ZM40-23a5 5 0 1 0 .1 0Z"
    + _BAND,
    "K": "M-32 12C-48-8-34-24-16-18C-8-15-3-12-3-10V-19H-10V-25H-3V-32H3V-25H10V-19H3V-10"
    "C3-12 8-15 16-18C34-24 48-8 32 12Z" + _BAND,
}

_LEFT, _CENTRE, _RIGHT = 86, 125, 164
_TOP, _MIDDLE, _BOTTOM = 64, 175, 286
_UPPER, _LOWER = 138, 212  # The inner rows of a nine and a ten.
_CORNERS = ((_LEFT, _TOP), (_RIGHT, _TOP), (_LEFT, _BOTTOM), (_RIGHT, _BOTTOM))
_SIDES = ((_LEFT, _MIDDLE), (_RIGHT, _MIDDLE))
_INNER = ((_LEFT, _UPPER), (_RIGHT, _UPPER), (_LEFT, _LOWER), (_RIGHT, _LOWER))
_PIPS = {
    "2": ((_CENTRE, _TOP), (_CENTRE, _BOTTOM)),
    "3": ((_CENTRE, _TOP), (_CENTRE, _MIDDLE), (_CENTRE, _BOTTOM)),
    "4": _CORNERS,
    "5": (*_CORNERS, (_CENTRE, _MIDDLE)),
    "6": (*_CORNERS, *_SIDES),
    "7": (*_CORNERS, *_SIDES, (_CENTRE, 119)),
    "8": (*_CORNERS, *_SIDES, (_CENTRE, 119), (_CENTRE, 231)),
    "9": (*_CORNERS, *_INNER, (_CENTRE, _MIDDLE)),
    "T": (*_CORNERS, *_INNER, (_CENTRE, 101), (_CENTRE, 249)),
}


def card_svg(card: Card, *, width: int = WIDTH, four_colour: bool = False) -> str:
    """Draw the face of a card; `four_colour` gives every suit its own."""
    return _document(card.words, _face(card, four_colour=four_colour), cards=1, width=width)


def back_svg(*, width: int = WIDTH) -> str:
    """Draw the back of a card."""
    return _document("a card face down", _back(), cards=1, width=width)


def hand_svg(cards: Iterable[Card | None], *, width: int = WIDTH, four_colour: bool = False) -> str:
    """Draw cards side by side, each of that width; None is a card face down."""
    drawn, words = [], []
    for place, card in enumerate(cards):
        face = _back() if card is None else _face(card, four_colour=four_colour)
        words.append("a card face down" if card is None else card.words)
        left = place * (_CARD_WIDTH + _GAP)
        drawn.append(f'<g transform="translate({left} 0)"><title>{words[-1]}</title>{face}</g>')
    return _document(", ".join(words) or "no cards", "".join(drawn), cards=len(drawn), width=width)


def _document(title: str, body: str, *, cards: int, width: int) -> str:
    wide = max(cards, 1) * (_CARD_WIDTH + _GAP) - _GAP
    scale = width / _CARD_WIDTH
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {_CARD_HEIGHT}" '
        f'width="{wide * scale:g}" height="{_CARD_HEIGHT * scale:g}">'
        f"<title>{title}</title>{body}</svg>"
    )


def _face(card: Card, *, four_colour: bool) -> str:
    colour = (_FOUR_COLOURS if four_colour else _TWO_COLOURS)[card.suit]
    rank = RANKS[card.rank]
    if rank == "A":
        middle = _suit(card.suit, _CENTRE, _MIDDLE, scale=1.3)
    elif rank in _CROWNS:
        middle = _court(rank, card.suit, colour)
    else:
        middle = "".join(_suit(card.suit, x, y, scale=0.46) for x, y in _PIPS[rank])
    corner = _index(rank, card.suit)
    return f'{_PAPER}<g fill="{colour}">{middle}{corner}{_turned(corner)}</g>'


def _court(rank: str, suit: int, colour: str) -> str:
    """Draw a suit that wears a crown, twice, head to foot."""
    half = _suit(suit, _CENTRE, 135, scale=0.64) + (
        f'<path d="{_CROWNS[rank]}" transform="translate({_CENTRE} 78) scale(0.9)" '
        f'fill="{_GOLD}" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round"/>'
    )
    return (
        f'<rect x="58" y="40" width="134" height="270" rx="10" fill-opacity="0.05" '
        f'stroke="{colour}" stroke-width="2"/><path d="M58 {_MIDDLE}H192" stroke="{colour}" '
        f'stroke-width="2"/>{half}{_turned(half)}'
    )


def _back() -> str:
    lattice = "".join(
        f"M{x} {y - 9}l6 9l-6 9l-6-9Z"
        for row, y in enumerate(range(35, 325, 14))
        for x in range(35 if row % 2 else 45, 220, 20)
    )
    return (
        f'{_PAPER}<rect x="13" y="13" width="224" height="324" rx="11" fill="{_BACK}"/>'
        f'<rect x="20" y="20" width="210" height="310" rx="7" fill="none" stroke="{_BACK_LINES}" '
        f'stroke-width="2"/><path d="{lattice}" fill="{_BACK_LINES}" fill-opacity="0.55"/>'
    )


def _suit(suit: int, x: int, y: int, *, scale: float) -> str:
    """Draw a suit around a point, upside down in the lower half of the card."""
    turn = " rotate(180)" if y > _MIDDLE else ""
    return f'<path d="{_SUITS[suit]}" transform="translate({x} {y}){turn} scale({scale})"/>'


def _index(rank: str, suit: int) -> str:
    """Draw rank and suit in the corner."""
    text, size, spacing = ("10", 38, -3) if rank == "T" else (rank, 46, 0)
    return (
        f'<text x="31" y="54" font-family="{_SERIF}" font-size="{size}" font-weight="bold" '
        f'letter-spacing="{spacing}" text-anchor="middle">{text}</text>'
        f"{_suit(suit, 31, 80, scale=0.32)}"
    )


def _turned(drawing: str) -> str:
    return f'<g transform="rotate(180 125 175)">{drawing}</g>'
