"""The figures of jacks, queens and kings, as drawings without a card around them.

A half is drawn around x 0, from y -143 down to the belt at y 0, and a card shows it twice, head to
foot. The robe takes the colour of the suit; all other colours are the figure's own.
"""

FIGURES = "JQK"
PAPER = "#fbf3df"
_GOLD, _INK, _SKIN, _LINEN, _LIPS = "#e0b63f", "#26222b", "#f7d9bb", "#fffefa", "#b8233a"
_BLUE, _BROWN, _SILVER, _GREEN = "#274b8f", "#8a5527", "#b9bfc9", "#2c7a4b"


def half(rank: str, colour: str) -> str:
    """Draw the upper half of a figure whose robe has this colour."""
    behind, holds, before = {"J": _jack, "Q": _queen, "K": _king}[rank]()
    robe = _shape("M-67 0V-27C-63-48-38-56-20-60H20C38-56 63-48 67-27V0", colour)
    front = _shape("M-30 0L-20-60H20L30 0", _GOLD) + _shape(
        "M0-50l7 9l-7 9l-7-9ZM0-29l7 9l-7 9l-7-9Z", colour, width=1
    )
    belt = _shape("M-31-6H31V0H-31Z", _BLUE, width=0)
    sleeves = _line("M-65-13L-45-37M-54-2L-37-24M65-13L45-37M54-2L37-24", _GOLD, 4)
    collar = _shape("M-25-58Q0-34 25-58L16-67H-16Z", _LINEN)
    face = _shape("M-18-96C-18-68-10-62 0-62C10-62 18-68 18-96C18-118-18-118-18-96Z", _SKIN)
    look = _line("M-8-90v.1M8-90v.1", width=4.5) + _line("M0-88l-2 9h4", width=1.6)
    return "".join((behind, robe, front, belt, sleeves, collar, holds, face, look, before))


def _jack() -> tuple[str, str, str]:
    """Draw hair to the chin; a pike; a mouth, and a cap with a feather."""
    hair = _shape(
        "M-19-100C-30-92-28-72-22-68L-14-74V-98ZM19-100C30-92 28-72 22-68L14-74V-98Z", _BROWN
    )
    pike = _line("M52-4V-112", _BROWN, 5) + _shape("M52-134L60-112L52-100L44-112Z", _SILVER)
    cap = _shape("M-25-104C-27-128 27-128 25-104Q0-112-25-104Z", _BLUE)
    feather = _shape("M12-116C18-138 36-138 41-124C34-128 28-122 22-112Z", _LINEN)
    return hair, pike, _line("M-5-71Q0-68 5-71") + cap + feather + _band(_GOLD)


def _queen() -> tuple[str, str, str]:
    """Draw long hair; a flower; lips and a crown."""
    hair = _shape(
        "M-20-104C-40-96-34-66-40-54Q-28-48-18-58V-96ZM20-104C40-96 34-66 40-54Q28-48 18-58V-96Z",
        _BROWN,
    )
    petal = "m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0"
    petals = _shape(f"M50-66{petal}M50-50{petal}M42-58{petal}M58-58{petal}", _LINEN)
    flower = _line("M50-4Q48-30 50-52", _GREEN, 4) + petals + _line("M50-58v.1", _GOLD, 9)
    lips = _shape("M-6-74Q0-77 6-74Q0-68-6-74Z", _LIPS, width=0)
    crown = _shape(
        "M-24-106L-29-128L-15-117L-9-134L0-118L9-134L15-117L29-128L24-106Q0-112-24-106Z", _GOLD
    )
    return hair, flower, lips + crown + _band(_BLUE)


def _king() -> tuple[str, str, str]:
    """Draw hair; a sword; a beard and a crown with a cross."""
    hair = _shape("M-20-100C-28-90-26-66-20-60C-10-44 10-44 20-60C26-66 28-90 20-100Z", _BROWN)
    blade = _shape("M48-26V-128L52-138L56-128V-26Z", _SILVER)
    sword = blade + _line("M41-26H63", _GOLD, 6) + _line("M52-22V-6", _BROWN, 6)
    beard = _shape(
        "M-18-82C-12-70-6-80 0-76C6-80 12-70 18-82C20-60 10-50 0-50C-10-50-20-60-18-82Z", _BROWN
    ) + _line("M-5-68H5", _SKIN, 2.5)
    crown = _shape(
        "M-25-104L-32-128C-22-126-16-122-13-116L-5-126H-3V-132H-9V-137H-3V-142H3V-137H9V-132H3V-126"
        "H5L13-116C16-122 22-126 32-128L25-104Q0-112-25-104Z",
        _GOLD,
    )
    return hair, sword, beard + crown + _band(_BLUE)


def _band(fill: str) -> str:
    """Draw what holds a crown or a cap together."""
    return _shape("M-25-106Q0-114 25-106V-99Q0-107-25-99Z", fill)


def _shape(path: str, fill: str, width: float = 1.8) -> str:
    line = f' stroke="{_INK}" stroke-width="{width:g}" stroke-linejoin="round"' if width else ""
    return f'<path d="{path}" fill="{fill}"{line}/>'


def _line(path: str, colour: str = _INK, width: float = 2) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
        'stroke-linecap="round"/>'
    )
