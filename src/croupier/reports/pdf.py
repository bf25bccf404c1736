"""Documents as PDF: Typst source of this package, and plain data that it reads.

The data reaches Typst as JSON, never as source, so that no text of a rulebook can be markup.
"""

import json
from collections.abc import Mapping
from typing import Any

from croupier.errors import Bug
from croupier.reports.render import source


def pdf(template: str, data: Mapping[str, Any]) -> bytes:
    """Return the document that a Typst template makes of data; the same data, the same bytes."""
    import typst

    written = typst.compile(
        source(f"{template}.typ").encode(),
        format="pdf",
        # Only the fonts inside the package: another machine's would make another document.
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
    )
    if not isinstance(written, bytes):
        raise Bug("Typst returned no document")
    return written
