"""Documents as PDF, from this package's Typst templates and plain data.

The data reaches Typst as JSON, never as source, so no text of a rulebook can act as markup.
"""

import json
from collections.abc import Mapping
from typing import Any

from croupier.errors import Bug
from croupier.reports.render import source


def pdf(template: str, data: Mapping[str, Any]) -> bytes:
    """Render a Typst template; the same data gives the same bytes."""
    import typst

    written = typst.compile(
        source(f"{template}.typ").encode(),
        format="pdf",
        # Only bundled fonts: another machine's fonts would change the document.
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
    )
    if not isinstance(written, bytes):
        raise Bug("Typst returned no document")
    return written
