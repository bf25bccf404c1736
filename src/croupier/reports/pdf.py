"""Documents as PDF: Typst source of this package, and plain data that it reads.

The data reaches Typst as JSON, never as source, so that no text of a rulebook can be markup.
"""

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from croupier.errors import Bug, MissingExtra
from croupier.reports.render import source


def typesetter() -> ModuleType:
    """Return the package that makes a PDF, or say which extra brings it."""
    try:
        import typst
    except ImportError:
        raise MissingExtra("pdf", "a PDF") from None
    return typst


def pdf(template: str, data: Mapping[str, Any]) -> bytes:
    """Return the document that a Typst template makes of data; the same data, the same bytes."""
    written = typesetter().compile(
        source(f"{template}.typ").encode(),
        format="pdf",
        # Only the fonts inside the package: another machine's would make another document.
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
    )
    if not isinstance(written, bytes):
        raise Bug("Typst returned no document")
    return written
