"""The link between two nodes: conversations with the owner of a table, over one connection.

A node forwards requests for tables that it doesn't own, unchanged, and relays the answers. That
takes no rules and no journal: the owner redeems tickets, unseals cards and makes every frame. A
frame for several viewers of one node crosses the link once.

Everything is sealed with ChaCha20-Poly1305, under keys derived from the house's master key and both
ends' nonces, and numbered, so that nobody can read, forge, drop or replay a message.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

NONCE_BYTES, SIZE_BYTES = 32, 4
MESSAGE_BYTES_MAX = 8 * 1024 * 1024
WAITING_BYTES_MAX = 16 * 1024 * 1024
"""How much is buffered for a node that doesn't read before the link is closed."""
PING_S, SILENCE_S = 0.5, 2.0
"""How often each end pings, and how long it hears nothing before it closes the link."""
OPEN_S = 2.0
UNIX = "unix:"

LinkMessage = list[Any]
"""A verb, the number of the conversation, and the verb's arguments."""


class Sealing:
    """Seals messages of one direction, each under the next number."""

    def __init__(self, key: bytes, nonces: bytes, direction: str) -> None:
        info = f"croupier link {direction}".encode()
        self._cipher = ChaCha20Poly1305(HKDF(SHA256(), 32, nonces, info).derive(key))
        self._count = 0

    def _nonce(self) -> bytes:
        self._count += 1
        return self._count.to_bytes(12, "big")

    def seal(self, plain: bytes) -> bytes:
        return self._cipher.encrypt(self._nonce(), plain, None)

    def unseal(self, sealed: bytes) -> bytes:
        return self._cipher.decrypt(self._nonce(), sealed, None)


class Link:
    """One connection, whichever end opened it."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        sends: Sealing,
        receives: Sealing,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._sends, self._receives = sends, receives
        self._waiting: list[LinkMessage] = []
        self._heard_s = asyncio.get_running_loop().time()

    @property
    def is_open(self) -> bool:
        return not self._writer.is_closing()

    def say(self, *message: Any) -> None:
        """Send a message, together with the others of this turn of the event loop."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append([*message])

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not self.is_open:
            return
        sealed = self._sends.seal(orjson.dumps(waiting))
        self._writer.write(len(sealed).to_bytes(SIZE_BYTES, "big") + sealed)
        transport = self._writer.transport
        if transport.get_write_buffer_size() > WAITING_BYTES_MAX:
            transport.abort()

    async def listen(self, hear: Callable[[LinkMessage], None]) -> None:
        """Call `hear` with each message until the link closes or is silent for too long."""
        pinging = asyncio.create_task(self._ping())
        try:
            while True:
                size = int.from_bytes(await self._reader.readexactly(SIZE_BYTES), "big")
                if size > MESSAGE_BYTES_MAX:
                    return
                sealed = await self._reader.readexactly(size)
                self._heard_s = asyncio.get_running_loop().time()
                for message in orjson.loads(self._receives.unseal(sealed)):
                    if message:
                        hear(message)
        except (OSError, asyncio.IncompleteReadError, InvalidTag):
            return
        finally:
            pinging.cancel()
            self.close()

    async def _ping(self) -> None:
        loop = asyncio.get_running_loop()
        while loop.time() - self._heard_s < SILENCE_S:
            self.say()
            await asyncio.sleep(PING_S)
        self._writer.transport.abort()

    def close(self) -> None:
        self._flush()
        self._writer.close()


async def dial(address: str, key: bytes) -> Link:
    """Open a link to a node."""
    async with asyncio.timeout(OPEN_S):
        if address.startswith(UNIX):
            reader, writer = await asyncio.open_unix_connection(address.removeprefix(UNIX))
        else:
            host, _, port = address.rpartition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
        try:
            mine = os.urandom(NONCE_BYTES)
            writer.write(mine)
            nonces = mine + await reader.readexactly(NONCE_BYTES)
        except BaseException:
            writer.close()
            raise
    there, back = Sealing(key, nonces, "there"), Sealing(key, nonces, "back")
    return Link(reader, writer, sends=there, receives=back)


async def accept(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes
) -> Link | None:
    """Accept a link from another node; None if that node goes away at once."""
    try:
        async with asyncio.timeout(OPEN_S):
            theirs = await reader.readexactly(NONCE_BYTES)
            mine = os.urandom(NONCE_BYTES)
            writer.write(mine)
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        writer.close()
        return None
    nonces = theirs + mine
    there, back = Sealing(key, nonces, "there"), Sealing(key, nonces, "back")
    return Link(reader, writer, sends=back, receives=there)


async def listening(address: str, take: Any) -> asyncio.Server:
    """Listen for the links of other nodes."""
    if address.startswith(UNIX):
        path = address.removeprefix(UNIX)
        with suppress(FileNotFoundError):
            os.unlink(path)
        return await asyncio.start_unix_server(take, path)
    host, _, port = address.rpartition(":")
    return await asyncio.start_server(take, host, int(port))
