"""Documents as HTML, from this package's templates and plain data.

All markup is in the templates. They escape all values, and the pages load nothing from a network.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> "Environment":
    # Imported late, because the command line starts faster without it.
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
    """Render a template."""
    return _environment().get_template(f"{template}.html").render(values)


def source(name: str) -> str:
    """Return a file among the templates, unrendered."""
    environment = _environment()
    if environment.loader is None:
        raise LookupError(name)
    return environment.loader.get_source(environment, name)[0]
