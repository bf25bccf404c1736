"""Playing cards and charts as SVG text, for notebooks, pages and print.

Every drawing stands alone: no ids that could clash on a page, no style sheet, no image, and no font
needed for the suits. The exception is `deck_svg`, a sheet of cards to reference. Each drawing has a
`<title>`, and a chart a `<desc>` too.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from croupier import courts
from croupier.cards import DECK, RANKS, Card
from croupier.errors import Bug

WIDTH = 120
"""The default width of a card in pixels; the aspect ratio is 5 : 7, like a poker card."""

_TWO_COLOURS = ("#1b1b22", "#c4122f", "#c4122f", "#1b1b22")
_FOUR_COLOURS = ("#1b1b22", "#c4122f", "#1557b0", "#17703a")
_BACK, _BACK_LINES = "#7a1f2b", "#efe3c8"
_SERIF = "Georgia, 'Times New Roman', 'DejaVu Serif', serif"

# Cards are drawn at 250 × 350; a suit fills about 100 × 100 around its centre.
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
    """Draw the face of a card; `four_colour` gives each suit its own colour."""
    face = _face(card, _colour(card, four_colour=four_colour))
    return _document(card.words, face, cards=1, width=width)


def back_svg(*, width: int = WIDTH) -> str:
    return _document("a card face down", _back(), cards=1, width=width)


def hand_svg(cards: Iterable[Card | None], *, width: int = WIDTH, four_colour: bool = False) -> str:
    """Draw cards side by side, each `width` wide; None is a card face down."""
    drawn, words = [], []
    for place, card in enumerate(cards):
        face = _back() if card is None else _face(card, _colour(card, four_colour=four_colour))
        words.append("a card face down" if card is None else card.words)
        left = place * (_CARD_WIDTH + _GAP)
        drawn.append(f'<g transform="translate({left} 0)"><title>{words[-1]}</title>{face}</g>')
    return _document(", ".join(words) or "no cards", "".join(drawn), cards=len(drawn), width=width)


def deck_svg() -> str:
    """Draw every card and a back once, each with its code as its id: `<use href="cards.svg#As"/>`.

    A suit takes the colour of the element that references the card.
    """
    drawn = {str(card): _face(card, "currentColor") for card in DECK} | {"back": _back()}
    cards = "".join(f'<g id="{code}">{face}</g>' for code, face in drawn.items())
    return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{cards}</defs></svg>\n'


def _document(title: str, body: str, *, cards: int, width: int) -> str:
    wide = max(cards, 1) * (_CARD_WIDTH + _GAP) - _GAP
    scale = width / _CARD_WIDTH
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {_CARD_HEIGHT}" '
        f'width="{wide * scale:g}" height="{_CARD_HEIGHT * scale:g}">'
        f"<title>{title}</title>{body}</svg>"
    )


def _colour(card: Card, *, four_colour: bool) -> str:
    return (_FOUR_COLOURS if four_colour else _TWO_COLOURS)[card.suit]


def _face(card: Card, colour: str) -> str:
    rank = RANKS[card.rank]
    if rank == "A":
        middle = _suit(card.suit, _CENTRE, _MIDDLE, scale=1.3)
    elif rank in courts.FIGURES:
        middle = _court(rank, card.suit, colour)
    else:
        middle = "".join(_suit(card.suit, x, y, scale=0.46) for x, y in _PIPS[rank])
    corner = _index(rank, card.suit)
    return f'{_PAPER}<g fill="{colour}">{middle}{corner}{_turned(corner)}</g>'


def _court(rank: str, suit: int, colour: str) -> str:
    """Draw half of a figure with its suit, twice, head to foot."""
    half = f'<g transform="translate({_CENTRE} {_MIDDLE})">{courts.half(rank, colour)}</g>' + _suit(
        suit, 76, 58, scale=0.3
    )
    return (
        f'<rect x="57" y="32" width="136" height="286" rx="8" fill="{courts.PAPER}"/>'
        f"{half}{_turned(half)}"
        f'<rect x="57" y="32" width="136" height="286" rx="8" fill="none" stroke="{colour}" '
        f'stroke-width="2"/>'
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
    """Draw the rank and suit in the corner."""
    text, size, spacing = ("10", 38, -3) if rank == "T" else (rank, 46, 0)
    return (
        f'<text x="31" y="54" font-family="{_SERIF}" font-size="{size}" font-weight="bold" '
        f'letter-spacing="{spacing}" text-anchor="middle">{text}</text>'
        f"{_suit(suit, 31, 80, scale=0.32)}"
    )


def _turned(drawing: str) -> str:
    return f'<g transform="rotate(180 125 175)">{drawing}</g>'


# ---------------------------------------------------------------- charts

SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
CHART_WIDTH = 640

_TONES = {"loss": "#b4452f", "even": "#6f7a74", "win": "#1d7a5a"}
_LINES = (("#0b6e4f", ""), ("#b4541e", "8 4"), ("#3b5ba5", "2 4"), ("#7a5c0e", "10 3 2 3"))
_SMALL, _BAR, _BAR_GAP = 13, 20, 6
_PLOT_HEIGHT, _TICKS = 260, 6


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart: its label, length, text and colour."""

    label: str
    value: float
    text: str
    tone: str = "win"


@dataclass(frozen=True, slots=True)
class Plot:
    """One line of a chart, with the points to mark and label."""

    label: str
    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float, str], ...] = ()
    upto: tuple[tuple[float, float], ...] = ()
    """The other edge, where the plot is a band."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis measures, and how its numbers are formatted."""

    label: str
    write: Callable[[float], str] = "{:g}".format
    tick_min: float = 0
    """The least distance between ticks: 1 if only whole numbers make sense."""


def bar_chart(bars: Sequence[Bar], *, title: str, desc: str = "", font: str = SANS) -> str:
    """Draw horizontal bars from a common zero, labels on the left and text beside each bar."""
    left = 12 + 7.2 * max((len(bar.label) for bar in bars), default=0)
    room = CHART_WIDTH - left - 14 - 7.2 * max((len(bar.text) for bar in bars), default=0)
    low = min([0.0, *(bar.value for bar in bars)])
    high = max([0.0, *(bar.value for bar in bars)])
    scale = room / ((high - low) or 1)
    zero = left - low * scale
    drawn = []
    for place, bar in enumerate(bars):
        top = 4 + place * (_BAR + _BAR_GAP)
        middle = top + _BAR / 2 + _SMALL * 0.35
        start, wide = zero + min(bar.value, 0) * scale, max(abs(bar.value) * scale, 0.75)
        drawn.append(
            _words(left - 8, middle, bar.label, anchor="end")
            + f'<rect x="{start:.2f}" y="{top}" width="{wide:.2f}" height="{_BAR}" rx="2" '
            f'fill="{_TONES[bar.tone]}"/>' + _words(start + wide + 6, middle, bar.text)
        )
    height = 8 + len(bars) * (_BAR + _BAR_GAP)
    axis = _stroke((zero, 0), (zero, height))
    return _chart("".join([*drawn, axis]), height, words=(title, desc), font=font)


def line_chart(
    plots: Sequence[Plot],
    *,
    title: str,
    x: Axis,
    y: Axis,
    desc: str = "",
    font: str = SANS,
    width: int = CHART_WIDTH,
) -> str:
    """Draw lines over two axes with round tick values, and a line across at zero."""
    points = [point for plot in plots for point in (*plot.points, *plot.upto)]
    if not points:
        raise Bug("a line chart without a point")
    across = ticks((point[0] for point in points), x.tick_min)
    up = ticks((point[1] for point in points), y.tick_min)
    left = 34 + 7.2 * max(len(y.write(tick)) for tick in up)
    right = 8 + 3.8 * len(x.write(across[-1]))
    frame = _Frame(left, 10, width - left - right, _PLOT_HEIGHT, across, up)
    drawn = [*_grid(frame, x, y)]
    for place, plot in enumerate(plots):
        drawn += _line(frame, plot, _LINES[place % len(_LINES)])
    base = frame.top + frame.height
    drawn += _key(plots, base + 62) if len(plots) > 1 else []
    height = base + 50 + (18 * len(plots) + 8 if len(plots) > 1 else 0)
    return _chart("".join(drawn), height, words=(title, desc), font=font, width=width)


def ticks(values: Iterable[float], step_min: float = 0) -> list[float]:
    """Return round tick values, 1, 2 or 5 times a power of ten apart, that span all values."""
    listed = list(values)
    low, high = min(listed), max(listed)
    span = (high - low) or abs(high) or 1.0
    least = max(span / _TICKS, step_min)
    power = 10.0 ** floor(log10(least))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= least)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [place * step for place in range(first, max(last, first + 1) + 1)]


@dataclass(frozen=True, slots=True)
class _Frame:
    """The plot area of a line chart, with the tick values of both axes."""

    left: float
    top: float
    width: float
    height: float
    across: list[float]
    up: list[float]

    def x(self, value: float) -> float:
        part = (value - self.across[0]) / (self.across[-1] - self.across[0])
        return self.left + part * self.width

    def y(self, value: float) -> float:
        part = (value - self.up[0]) / (self.up[-1] - self.up[0])
        return self.top + self.height - part * self.height


def _grid(frame: _Frame, x: Axis, y: Axis) -> Iterator[str]:
    right, base = frame.left + frame.width, frame.top + frame.height
    for tick in frame.up:
        at = frame.y(tick)
        yield _stroke((frame.left, at), (right, at), faint=tick != 0)
        yield _words(frame.left - 6, at + _SMALL * 0.35, y.write(tick), anchor="end")
    for tick in frame.across:
        at = frame.x(tick)
        yield _stroke((at, base), (at, base + 5))
        yield _words(at, base + 19, x.write(tick), anchor="middle")
    yield _stroke((frame.left, base), (right, base))
    yield _words(frame.left + frame.width / 2, base + 40, x.label, anchor="middle")
    middle = frame.top + frame.height / 2
    yield (
        f'<g transform="rotate(-90 14 {middle:.2f})">'
        f"{_words(14, middle, y.label, anchor='middle')}</g>"
    )


def _line(frame: _Frame, plot: Plot, look: tuple[str, str]) -> Iterator[str]:
    colour, dashes = look
    if plot.upto:
        around = _path(frame, (*plot.points, *reversed(plot.upto)))
        yield f'<polygon points="{around}" fill="{colour}" fill-opacity="0.12"/>'
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    for edge in filter(None, (plot.points, plot.upto)):
        yield (
            f'<polyline points="{_path(frame, edge)}" fill="none" stroke="{colour}" '
            f'stroke-width="2.5"{dashed}/>'
        )
    for x, y, text in plot.marks:
        at, high = frame.x(x), frame.y(y)
        yield f'<circle cx="{at:.2f}" cy="{high:.2f}" r="5" fill="{colour}"/>'
        end = at > frame.left + frame.width / 2
        beside = at - 10 if end else at + 10
        # Label above left or below right of the point, clear of a rising line.
        high += -8 if end else 20
        yield _words(beside, high, text, anchor="end" if end else "start")


def _path(frame: _Frame, points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{frame.x(x):.2f},{frame.y(y):.2f}" for x, y in points)


def _key(plots: Sequence[Plot], top: float) -> Iterator[str]:
    for place, plot in enumerate(plots):
        colour, dashes = _LINES[place % len(_LINES)]
        at = top + 18 * place
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        yield f'<path d="M60 {at}H96" stroke="{colour}" stroke-width="2.5"{dashed}/>'
        yield _words(104, at + 4, plot.label)


def _words(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}">{_escaped(text)}</text>'


def _stroke(start: tuple[float, float], end: tuple[float, float], *, faint: bool = False) -> str:
    opacity = ' stroke-opacity="0.2"' if faint else ""
    (x, y), (to_x, to_y) = start, end
    return f'<path d="M{x:.2f} {y:.2f}L{to_x:.2f} {to_y:.2f}" stroke="currentColor"{opacity}/>'


def _chart(
    body: str, height: float, *, words: tuple[str, str], font: str, width: int = CHART_WIDTH
) -> str:
    title, desc = map(_escaped, words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}">'
        f"<title>{title}</title>{f'<desc>{desc}</desc>' if desc else ''}"
        f'<g font-family="{font}" font-size="{_SMALL}" fill="currentColor">{body}</g></svg>'
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
