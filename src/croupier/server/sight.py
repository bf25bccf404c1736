"""What there is to see of a live table, what its dealer waits for, and who looks on."""

import asyncio
from collections.abc import Mapping
from typing import Any

from croupier.errors import Bug
from croupier.fairness.commitment import Committed
from croupier.server.backroom import Backroom
from croupier.server.config import TableConfig
from croupier.server.felt import felt_of
from croupier.server.messages import PROTOCOL, encode
from croupier.server.outbox import MISSED_MAX, NEWS_S, Board, Mail, News, Viewer
from croupier.server.pace import Company, Wait, next_wait
from croupier.server.recall import Recalled
from croupier.server.scene import (
    CAN_WAIT,
    UNSAID,
    Scene,
    Seen,
    bets_patch,
    meters_scene,
    patch_of,
    patched,
    scene_of,
)
from croupier.server.standing import new_standing, own_positions

CLOCKS = {"deal": "bets", "choose": "decide", "pass": "bank", "open": "pause"}
"""What is said to be waited for, by what the dealer does then; all else comes by itself."""


class Sight:
    """A table as those see it who look on."""

    def __init__(self, config: TableConfig, room: Backroom, recalled: Recalled) -> None:
        self.config, self.room, self.id = config, room, config.id
        self.scribe = recalled.scribe
        self.standing = recalled.standing or new_standing(config.rules)
        self.committed: Committed | None = None
        self.board = Board(Mail(NEWS_S))  # Each at its own time, not all tables at once.
        self.viewers = self.board.viewers
        self.ready: frozenset[int] = frozenset()
        self.open = True
        self.opened_ms = 0
        self.felt = felt_of(config)
        self.news = News(self.scribe.number)
        self._wake = asyncio.Event()
        self._wait: Wait | None = None
        self._since_ms = self._extra_ms = self._more_times = 0
        self._seen = Seen(self.standing, self.company, self.scene())
        self._told: tuple[object, ...] = ()

    # ------------------------------------------------------------ what there is to see

    @property
    def _scene(self) -> Scene:
        """What was to be seen when something was told last."""
        return self._seen.scene

    @property
    def company(self) -> Company:
        return Company(self.board.present, self.ready, self.open)

    def scene(self) -> Scene:
        """Return what anybody may see."""
        return self._scene_for(self.company, None)

    def _scene_for(self, company: Company, last: Seen | None) -> Scene:
        shown = self.meters()
        return scene_of(
            self.standing,
            company,
            names=self.room.names,
            closed=self._closed_without(shown),
            meters=shown,
            last=last,
        )

    def own(self, player: str | None) -> dict[str, str]:
        """Return the faces that are this player's to see, by position."""
        round, committed = self.standing.round, self.committed
        if player is None or round is None or committed is None:
            return {}
        return {str(p): str(committed.deck[p]) for p in own_positions(round, player)}

    def clock(self) -> dict[str, Any] | None:
        """Return what is waited for, and how much of it is left."""
        wait = self._wait
        if wait is None or wait.does not in CLOCKS or not wait.ms:
            return None
        left = max(self._due_ms() - self.room.clocks.wait_ms(), 0)
        total = wait.ms + self._extra_ms
        return {"for": CLOCKS[wait.does], "left_ms": left, "of_ms": total, "seat": wait.seat}

    def meters(self) -> dict[str, int]:
        """Return what the table's meters show; one that cannot be reached is left out."""
        shown = {id: self.room.meter(self.config.meter(id)) for id in self.standing.rules.meters}
        return {id: value for id, value in shown.items() if value is not None}

    def closed_wagers(self) -> dict[str, str]:
        """Return the wagers that cannot be made because a meter of theirs is out of reach."""
        return self._closed_without(self.meters()) if self.standing.rules.meters else {}

    def _closed_without(self, shown: Mapping[str, int]) -> dict[str, str]:
        return {
            meter.wager: "its meter is out of operation; the other wagers go on"
            for id, meter in self.standing.rules.meters.items()
            if id not in shown
        }

    def _look(self, company: Company | None = None) -> None:
        """See what is next; a wait that has begun goes on."""
        wait = next_wait(self.standing, self.config.timing, company or self.company)
        before = self._wait
        if (wait and wait.key) != (before and before.key):
            self._since_ms = self.room.clocks.wait_ms()
            self._extra_ms = self._more_times = 0
        self._wait = wait

    def _due_ms(self) -> int:
        wait = self._wait
        if wait is None:
            raise Bug("nothing is waited for")
        due = self._since_ms + wait.ms + self._extra_ms
        if wait.does == "open":
            due = max(due, self.opened_ms + self.config.timing.round_min_ms)
        return due

    # ------------------------------------------------------------ who looks on

    def welcome(self, viewer: Viewer, last: int | None) -> None:
        """Let somebody look on: all there is to see, or what they have missed."""
        self.board.come(viewer)
        player = viewer.player
        if player:
            self.room.viewers.setdefault(player, set()).add(viewer)
        self.say_scene()
        missed = None if last is None else self.news.since(last)
        if missed is not None and len(missed) > MISSED_MAX:
            missed = None
        you = player and {
            "player": player,
            "name": viewer.name,
            "cents": self.room.purse_cents(player),
        }
        whole = {"felt": self.felt, "scene": self._scene} if missed is None else {"scene": None}
        message = {"type": "welcome", "protocol": PROTOCOL, "table": self.id, "you": you, **whole}
        tail = {"v": self.scribe.number, "own": self.own(player), "clock": self.clock()}
        viewer.restart([encode({**message, **tail}), *(missed or ())])
        if missed is not None:
            # What changes without an event was not kept; and old news may have cleared own cards.
            unsaid = {key: self._scene[key] for key in UNSAID}
            news = {"type": "news", "v": self.scribe.number, "events": [], "scene": unsaid}
            viewer.send(encode({**news, "clock": self.clock()}))
            self._send_own(viewer)

    def farewell(self, viewer: Viewer) -> None:
        """Let somebody go."""
        self.board.go(viewer)
        if theirs := self.room.viewers.get(viewer.player or ""):
            theirs.discard(viewer)
            if not theirs:
                del self.room.viewers[viewer.player or ""]
        self.say_scene()

    def _send_own(self, viewer: Viewer) -> None:
        if own := self.own(viewer.player):
            viewer.send(encode({"type": "own", "v": self.scribe.number, "own": own}))

    def say_scene(self) -> None:
        """Tell everybody what changed without an event: who is there, and who is ready."""
        self._tell([])

    def _tell(self, events: list[dict[str, Any]]) -> None:
        """Tell everybody of events, and what is to be seen now."""
        company = self.company
        bets = bets_patch(self._seen, self.standing, company) if events else None
        if bets is None or self._wait is None:
            self._look_again(company)
        scene, patch = self._change(company, bets, happened=bool(events))
        self._seen = Seen(self.standing, company, scene)
        waits = self._wait and self._wait.key, self._extra_ms
        if not events and not patch and waits == self._told:
            return  # Who only looks on, comes and goes unheard.
        self._told = waits
        message = {"type": "news", "v": self.scribe.number, "events": events, "scene": patch}
        frame = encode({**message, "clock": self.clock()})
        if events:
            self.news.keep(self.scribe.number, frame)
        if patch.keys() <= CAN_WAIT:
            self.board.tell(frame)
        else:
            for viewer in self.viewers:
                viewer.send(frame)

    def _look_again(self, company: Company) -> None:
        """See what is next, and let the dealer know if it is something else, or not as far off."""
        waited = self._wait, self._extra_ms
        self._look(company)
        if (self._wait, self._extra_ms) != waited:
            self._wake.set()

    def _change(
        self, company: Company, bets: Scene | None, *, happened: bool
    ) -> tuple[Scene, Scene]:
        """Return what is to be seen now, and what of it was not before."""
        seen = self._seen
        if bets is None:
            # A name can change only when somebody comes, and then no event is told of.
            scene = self._scene_for(company, seen if happened else None)
            return scene, patch_of(seen.scene, scene)
        patch = bets
        if self.standing.rules.meters:
            shown = self.meters()
            parts = meters_scene(shown, self._closed_without(shown)).items()
            patch = bets | {part: now for part, now in parts if now != seen.scene[part]}
        return patched(seen.scene, patch), patch
