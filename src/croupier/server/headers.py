"""The headers that every response carries, and those that only pages need."""

from starlette.types import Scope

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
FEATURES = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
    *("microphone", "midi", "payment", "screen-wake-lock", "usb", "xr-spatial-tracking"),
)
ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": ", ".join(f"{feature}=()" for feature in FEATURES),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PARTS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
"""The headers that protect a part of a page; the others are about what a page may do."""
PART_KINDS = (b"text/javascript", b"text/css", b"image/svg+xml")

Header = tuple[bytes, bytes]


def _as_sent(headers: dict[str, str]) -> tuple[Header, ...]:
    return tuple((name.encode(), value.encode()) for name, value in headers.items())


_ALWAYS, _PARTS = _as_sent(ALWAYS), _as_sent(PARTS)
_SECURE = (b"strict-transport-security", b"max-age=31536000")
_NOT_KEPT = (b"cache-control", b"no-store")


def headers_for(scope: Scope, has: dict[bytes, bytes]) -> list[Header]:
    """Return the headers that a response lacks.

    Browsers cache nothing unless the application says so: most pages name a person.
    """
    is_part = has.get(b"content-type", b"").startswith(PART_KINDS)
    added = [header for header in (_PARTS if is_part else _ALWAYS) if header[0] not in has]
    if scope["scheme"] in ("https", "wss"):
        added.append(_SECURE)
    if _NOT_KEPT[0] not in has:
        added.append(_NOT_KEPT)
    return added
