"""Documents as HTML text: templates of this package, filled with plain data.

Templates are the only place where a document's markup stands. Whatever is put into them is
escaped, and a page asks nothing of a network.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> "Environment":
    # Imported when a page is made: the command line starts faster without it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("croupier.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def html(template: str, **values: Any) -> str:
    """Return the page that a template makes of values."""
    return _environment().get_template(f"{template}.html").render(values)


def source(name: str) -> str:
    """Return the text of a file among the templates as it stands."""
    environment = _environment()
    if environment.loader is None:
        raise LookupError(name)
    return environment.loader.get_source(environment, name)[0]
