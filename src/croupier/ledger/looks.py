"""The looks of a name. Two names that look alike count as one name."""

import unicodedata

# Letters whose mark is part of them, and characters that look alike.
_ALIKE = str.maketrans(
    {"0": "o", "1": "l", "i": "l", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "ø": "o", "ŧ": "t"}
    | {"ŋ": "n", "þ": "p", "æ": "ae", "œ": "oe"}
)


def looks(name: str) -> str:
    """Return the key of a name's looks: the same for all names that could be mistaken for it."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    drawn = "".join(sign for sign in apart if sign.isalnum()).translate(_ALIKE)
    return drawn.replace("rn", "m").replace("vv", "w")
