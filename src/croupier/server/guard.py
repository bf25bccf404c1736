"""The guard around the application: decides who may ask, from where, how much and how often.

It wraps everything, the framework's own responses included, so that every response gets the headers
and every error is logged.
"""

import time
from collections import Counter
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import NamedTuple

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier.errors import Code
from croupier.house.log import log, log_crash
from croupier.server.faults import OURS, Fault, answer, wait_header
from croupier.server.headers import headers_for
from croupier.server.limits import Bucket, Buckets, Monotonic, Rate, neighbourhood

BODY_BYTES_MAX = HEADERS_BYTES_MAX = 16 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
COSTLY = (
    *("/api/guest", "/api/name", "/api/sign-up", "/api/sign-in", "/api/password"),
    *("/api/again", "/api/staff/enter"),
)
SAFE = ("GET", "HEAD", "OPTIONS")
OWN_HEADER = b"x-croupier"
"""A form can't send it, and another site only after a CORS preflight, which we refuse."""
HERE = ("same-origin", "none")

Network = IPv4Network | IPv6Network


MESSAGES = Rate(20, 60)
"""How often a player may send a message; a socket that keeps exceeding it is closed."""


HELD_MAX = 512


class Policy(NamedTuple):
    """What the guard lets through."""

    hosts: tuple[str, ...] = ()
    """Host names, without a port, of the server; the loopback names always work."""
    proxies: tuple[Network, ...] = ()
    """Proxies whose forwarding headers are trusted."""
    requests: Rate = Rate(50, 200)
    """The rate of requests for each address."""
    costly: Rate = Rate(0.5, 20)
    """The rate for each address of creating guests and accounts and checking passwords."""
    sockets_max: int = 256
    """The most sockets one address may hold open."""
    connections_max: int = HELD_MAX
    """The most other connections one address may hold open; our proxies have no limit."""
    messages: Rate = MESSAGES


_FREELY = Rate(1e6, 1e6)
NO_LIMITS = Policy(
    requests=_FREELY,
    costly=_FREELY,
    sockets_max=2**31,
    connections_max=2**31,
    messages=_FREELY,
)
"""For load tests: no limit on how often anyone may ask."""


def parse_proxies(texts: list[str]) -> tuple[Network, ...]:
    """Parse addresses and networks; raises ValueError."""
    return tuple(ip_network(text) for text in texts)


class Refusal(NamedTuple):
    code: Code
    message: str
    wait_s: float | None = None


class Caller(NamedTuple):
    """The sender of a request, as far as it can be known."""

    address: str
    scheme: str
    """`http` or `https`, for sockets too."""
    headers: dict[bytes, str]

    @property
    def here(self) -> str:
        """The origin of our own pages."""
        return f"{self.scheme}://{self.headers.get(b'host', '')}"


class Guard:
    """The ASGI application to serve."""

    def __init__(
        self, app: ASGIApp, policy: Policy | None = None, *, clock: Monotonic = time.monotonic
    ) -> None:
        self.app, self.policy = app, policy or Policy()
        self._hosts = {host.lower() for host in (*LOOPBACK, *self.policy.hosts)}
        self._requests = Buckets(self.policy.requests, clock=clock)
        self._costly = Buckets(self.policy.costly, clock=clock)
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        caller = caller_of(scope, self.policy.proxies)
        scope = told(scope, caller)
        door = Door(scope, send, caller)
        try:
            await self._let_in(scope, receive, door)
        except Exception as error:
            log_crash(error, path=scope["path"], address=caller.address)
            await door.fail()

    async def _let_in(self, scope: Scope, receive: Receive, door: "Door") -> None:
        refusal = self._refusal(scope, door.caller)
        if refusal is None and scope["type"] == "http" and scope["method"] not in SAFE:
            body = await whole_body(receive)
            if body is None:
                return  # The client has disconnected.
            if len(body) > BODY_BYTES_MAX:
                refusal = TOO_LARGE
            receive = once(body, receive)
        if refusal is not None:
            await door.refuse(refusal)
        elif scope["type"] == "websocket":
            await self._hold(scope, receive, door)
        else:
            await self.app(scope, receive, door.send)

    async def _hold(self, scope: Scope, receive: Receive, door: "Door") -> None:
        """Serve a socket, within the limit on sockets for each address."""
        key = neighbourhood(door.caller.address)
        if self._sockets[key] >= self.policy.sockets_max:
            await door.refuse(noted(TOO_MANY_SOCKETS, door.caller, scope))
            return
        self._sockets[key] += 1
        try:
            await self.app(scope, receive, door.send)
        finally:
            self._sockets -= Counter([key])

    def _refusal(self, scope: Scope, caller: Caller) -> Refusal | None:
        """Return why a request is refused, or None; the cheapest checks come first."""
        if _head_bytes(scope) > HEADERS_BYTES_MAX:
            return noted(HEADERS_TOO_LARGE, caller, scope)
        if _host(caller) not in self._hosts:
            return noted(WRONG_HOST, caller, scope, said=caller.headers.get(b"host"))
        key = neighbourhood(caller.address)
        buckets = [self._requests[key]]
        if scope["type"] == "http" and scope["method"] not in SAFE and scope["path"] in COSTLY:
            buckets.append(self._costly[key])
        for bucket in buckets:
            if (refusal := _too_often(bucket, caller, scope)) is not None:
                return refusal
        if scope["type"] == "http" and scope["method"] in SAFE:
            return None
        return self._forged(scope, caller)

    def _forged(self, scope: Scope, caller: Caller) -> Refusal | None:
        """Return why a request may be forged by another site through this person's browser."""
        origin = caller.headers.get(b"origin")
        if origin is not None and origin != caller.here:
            return noted(WRONG_ORIGIN, caller, scope, said=origin)
        if scope["type"] == "websocket":  # Browsers always send the origin of a socket.
            return None
        site = caller.headers.get(b"sec-fetch-site", "none")
        if site not in HERE:
            return noted(WRONG_ORIGIN, caller, scope, said=site)
        if caller.headers.get(OWN_HEADER) != "1":
            return noted(NO_HEADER, caller, scope)
        media, _, rest = caller.headers.get(b"content-type", "").partition(";")
        charset = rest.strip().lower() or "charset=utf-8"
        if (media.strip().lower(), charset) != ("application/json", "charset=utf-8"):
            return noted(NOT_JSON, caller, scope)
        length = caller.headers.get(b"content-length", "0")
        return TOO_LARGE if not length.isdecimal() or int(length) > BODY_BYTES_MAX else None


WRONG_HOST = Refusal(Code.WRONG_HOST, "this server doesn't go by that name")
WRONG_ORIGIN = Refusal(Code.WRONG_ORIGIN, "this request came from another site")
NO_HEADER = Refusal(Code.NO_HEADER, "the header X-Croupier: 1 is missing")
NOT_JSON = Refusal(Code.UNSUPPORTED_MEDIA_TYPE, "the content type must be application/json")
TOO_MANY_SOCKETS = Refusal(Code.TOO_MANY_SOCKETS, "too many sockets are open from your address")
TOO_LARGE = Refusal(Code.TOO_LARGE, f"a request may have at most {BODY_BYTES_MAX} bytes")

HEADERS_TOO_LARGE = Refusal(
    Code.HEADERS_TOO_LARGE, f"address and headers may have at most {HEADERS_BYTES_MAX} bytes"
)


def _head_bytes(scope: Scope) -> int:
    """Return the size of a request's address and headers; h11 bounds only what is incomplete."""
    address = len(scope.get("raw_path") or b"") + len(scope["query_string"])
    return address + sum(len(name) + len(value) + 4 for name, value in scope["headers"])


def noted(refusal: Refusal, caller: Caller, scope: Scope, *, said: object = None) -> Refusal:
    """Log a refusal."""
    facts = {"address": caller.address, "path": scope["path"], "said": said}
    log(refusal.code, **{name: fact for name, fact in facts.items() if fact is not None})
    return refusal


def _too_often(bucket: Bucket, caller: Caller, scope: Scope) -> Refusal | None:
    refused_before = bucket.was_empty
    if bucket.take():
        return None
    refusal = Refusal(Code.TOO_MANY, "too many requests: wait a little", bucket.wait_s())
    # Log the first refusal of a flood only.
    return refusal if refused_before else noted(refusal, caller, scope)


def _host(caller: Caller) -> str:
    """Return the host name that the client used, without its port."""
    host = caller.headers.get(b"host", "").lower()
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


# ---------------------------------------------------------------- the caller


def caller_of(scope: Scope, proxies: tuple[Network, ...]) -> Caller:
    """Return who sent a request; forwarding headers count only from our own proxies."""
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        text = value.decode("latin-1")
        # A repeated header must not pass for an expected one.
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    address = scope["client"][0] if scope.get("client") else ""
    scheme = str(scope["scheme"]).replace("ws", "http")
    if is_in(address, proxies):
        forwarded = headers.get(b"x-forwarded-for", "")
        address = _forwarded_for(address, forwarded, proxies)
        said = headers.get(b"x-forwarded-proto", "").strip().lower()
        scheme = said if said in ("http", "https") else scheme
    return Caller(address, scheme, headers)


def is_in(address: str, networks: tuple[Network, ...]) -> bool:
    """Whether an address belongs to one of the networks."""
    try:
        return any(ip_address(address) in network for network in networks)
    except ValueError:
        return False


def _forwarded_for(address: str, forwarded: str, proxies: tuple[Network, ...]) -> str:
    """Return the last address that one of our proxies saw; anything before it could be made up."""
    for said in reversed(forwarded.split(",")):
        try:
            found = str(ip_address(said.strip()))
        except ValueError:
            return address
        if not is_in(found, proxies):
            return found
        address = found
    return address


def told(scope: Scope, caller: Caller) -> Scope:
    """Return the scope with the real client address and scheme."""
    schemes = {"http": "ws", "https": "wss"} if scope["type"] == "websocket" else {}
    port = scope["client"][1] if scope.get("client") else 0
    scheme = schemes.get(caller.scheme, caller.scheme)
    return {**scope, "client": (caller.address, port), "scheme": scheme}


# ---------------------------------------------------------------- bodies and responses


async def whole_body(receive: Receive) -> bytes | None:
    """Return the body, cut off once it exceeds the limit; None if the client disconnected."""
    body = b""
    while len(body) <= BODY_BYTES_MAX:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return body


def once(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first replays a body already read."""
    given = False

    async def receiving() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


class Door:
    """The way out: adds the headers to every response."""

    def __init__(self, scope: Scope, send: Send, caller: Caller) -> None:
        self.caller = caller
        self._scope, self._send = scope, send
        self._started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", [])]
            has = {bytes(name).lower(): bytes(value) for name, value in headers}
            headers += headers_for(self._scope, has)
            message = {**message, "headers": headers}
        self._started = True
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        fault = Fault(code=refusal.code, message=refusal.message)
        wait = wait_header(refusal.wait_s) if refusal.wait_s is not None else {}
        await self._answer(refusal.code.status, fault, wait)

    async def fail(self) -> None:
        """Report an internal error, unless the response has already begun."""
        if self._scope["type"] == "websocket":
            await self._send({"type": "websocket.close", "code": 1011})
        elif not self._started:
            await self._answer(Code.INTERNAL.status, OURS, {})

    async def _answer(self, status: int, fault: Fault, headers: dict[str, str]) -> None:
        if self._scope["type"] == "websocket":
            # The server turns this into a bare 403, and allows nothing more.
            await self._send({"type": "websocket.close", "code": 1008})
            return
        made = answer(Request(self._scope), status, fault, headers)
        start = {"status": made.status_code, "headers": made.raw_headers}
        await self.send({"type": "http.response.start", **start})
        await self.send({"type": "http.response.body", "body": made.body})
