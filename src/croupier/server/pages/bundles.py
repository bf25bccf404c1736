"""What of a script or a style is sent: no comments, and what is needed together as one.

Every file of the package is written for its readers. A browser needs neither its comments nor its
indentation, and one response compresses better than twenty.
"""

import re
from collections.abc import Mapping, Sequence

_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*$", re.MULTILINE | re.DOTALL)
_CAST = re.compile(r"/\*\* @type (?:(?!\*/).)*\*/ ?")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_SPACE = re.compile(r"\s*([{};,])\s*")
_PROPERTY = re.compile(r"^([\w-]+): ", re.MULTILINE)
_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./(\w+)\.js";$', re.MULTILINE)


def lean(text: str) -> str:
    """Leave out whole-line comments, casts and indentation; every line keeps its number."""
    code = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return _INDENT.sub("", _CAST.sub("", code))


def tight(style: str) -> str:
    """Leave out of a style the space that separates nothing; no string in it has any of these."""
    return _SPACE.sub(r"\1", _PROPERTY.sub(r"\1:", lean(style)))


def together(names: Sequence[str], modules: Mapping[str, str], homes: Mapping[str, str]) -> str:
    """Make one module of several, in the order of their dependencies.

    `homes` has the bundle of each module that is in one; what comes from there is imported from
    it. The top-level names of the modules have to differ, and none is renamed between them.
    """
    wanted: dict[str, set[str]] = {}
    bodies = []
    for name in names:
        for found in _IMPORT.finditer(modules[name]):
            home = homes.get(found[2], found[2])
            if found[2] not in names:
                names_there = (found[1] or "").split(",")
                wanted.setdefault(home, set()).update(filter(None, map(str.strip, names_there)))
        bodies.append(_IMPORT.sub("", modules[name]).strip("\n"))
    imports = [
        f'import {{ {", ".join(sorted(found))} }} from "./{home}.js";'
        for home, found in sorted(wanted.items())
    ]
    return re.sub(r"\n{2,}", "\n", "\n".join([*imports, *bodies, ""]))
