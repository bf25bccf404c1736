"""The viewers of a table: what each is sent, and what those who come back have missed.

A gallery is told what a table knows and what happened there, and asks nobody. It could as well be
in another process than its table.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from croupier.errors import Refused
from croupier.gallery.felt import felt_of
from croupier.gallery.frames import PROTOCOL, encode, refused
from croupier.gallery.outbox import FRAMES_MAX, NEWS_S, Board, Mail, Viewer
from croupier.gallery.scene import (
    CAN_WAIT,
    UNSAID,
    Scene,
    Seen,
    bets_changed,
    patch_of,
    scene_of,
)
from croupier.gallery.sights import OF_STAFF, desk_frame, desk_seen, sees_desk
from croupier.gallery.tape import Tape
from croupier.house.config import TableConfig
from croupier.house.lately import PastEvent
from croupier.house.now import Now, Told
from croupier.house.standing import Returned
from croupier.round.events import Confirmed, Dealt
from croupier.round.play import own_faces
from croupier.round.tell import tell
from croupier.table.commands import Time

KEPT = 512
"""How many frames are kept for viewers who come back."""
MISSED_MAX = FRAMES_MAX // 2
"""A viewer who has missed more frames than this gets the whole scene instead."""


class Gallery:
    """The viewers of one table."""

    def __init__(
        self,
        config: TableConfig,
        now: Now,
        *,
        past: Iterable[PastEvent],
        names: Mapping[str, str],
        wait_ms: Callable[[], int],
        time: Callable[[], Time],
        note_present: Callable[[frozenset[str]], None],
        purse_cents: Callable[[str], int],
    ) -> None:
        self.id = config.id
        self._config = config
        self._felts: dict[str, dict[str, Any]] = {}
        self.board = Board(Mail(NEWS_S))  # Tables send at different times, not all at once.
        self.viewers = self.board.viewers
        self._names, self._wait_ms, self._note_present = names, wait_ms, note_present
        self._time, self._purse_cents = time, purse_cents
        self._tape = Tape(past, now.standing.table.rules)
        self.overlay: Callable[[dict[str, Any]], dict[str, Any]] = lambda desk: desk
        """Lets a practice change the desk before it is shown."""
        self._news = News(now.number)
        self._seen = Seen(now, scene_of(now, names))
        self._told_clock: object = None

    @property
    def scene(self) -> Scene:
        """What viewers have been sent so far."""
        return self._seen.scene

    @property
    def felt(self) -> dict[str, Any]:
        """What a page draws the table from: the rules in force, with the equipment there is now."""
        rules = self._seen.now.standing.table.rules
        if rules.digest not in self._felts:
            self._felts[rules.digest] = felt_of(replace(self._config, rules=rules))
        return self._felts[rules.digest]

    @property
    def felt_tag(self) -> str:
        """What tells this felt from any other; a page that has it is not sent it again."""
        return sha256(encode(self.felt).encode()).hexdigest()[:16]

    def desk(self) -> dict[str, Any]:
        """Return the desk of those who work here."""
        seen = desk_seen(
            self._seen.now,
            self._names,
            tape=self._tape,
            time=self._time(),
            validated=self._config.validated_cents,
        )
        return self.overlay(seen)

    def own(self, player: str | None) -> dict[str, str]:
        """Return the faces that are this player's to see, by position."""
        standing, deck = self._seen.now.standing, self._seen.now.deck
        if player is None or standing.round is None or deck is None:
            return {}
        own = own_faces(standing.round, player, standing.cut.dealt(deck.deck))
        return {str(position): str(card) for position, card in own.items()}

    # ------------------------------------------------------------ what happened

    def tell(self, now: Now, told: Told) -> None:
        """Send all viewers what happened and how the table stands now."""
        events, seen = _told_of(told), self._seen
        if now.standing.table.rules.things:
            self._tape.find(told, now.standing.table.rules)
            self._tape.hear(told, time_s=self._time().wall_s)
        bets = bets_changed(seen, now) if events else None
        scene, patch = bets or self._changed(now, happened=bool(events))
        self._seen = Seen(now, scene)
        clock = now.notes.clock
        waits = clock.wait and clock.wait.key, clock.extra_ms
        called = now.notes.company.called != seen.now.notes.company.called
        if not events and not patch and waits == self._told_clock and not called:
            return  # A spectator came or went.
        self._told_clock = waits
        news = {"type": "news", "v": now.number, "events": events, "scene": patch}
        frame = encode({**news, "clock": now.notes.countdown})
        if events:
            self._news.keep(now.number, frame)
        if patch.keys() <= CAN_WAIT:
            self.board.tell(frame)
        else:
            for viewer in self.viewers:
                viewer.send(frame)
        if now.standing.table.rules.digest != seen.now.standing.table.rules.digest:
            self._renew()
        if told.missed or _deals(told):
            for viewer in self.viewers:
                self._send_own(viewer)
        if now.standing.table.rules.things:
            self.tell_desk()
        for act, *_ in told.stored:
            if act.returned is not None:
                self._tell_returned(act.returned)

    def _changed(self, now: Now, *, happened: bool) -> tuple[Scene, Scene]:
        """Return the scene and what has changed in it."""
        # A name changes only when somebody comes, and then there is no event.
        scene = scene_of(now, self._names, self._seen if happened else None)
        return scene, patch_of(self._seen.scene, scene)

    def _renew(self) -> None:
        """Send all viewers the whole table: its rules have changed, and with them its felt."""
        self._news = News(self._seen.now.number)  # Viewers who come back need the felt as well.
        for viewer in self.viewers:
            viewer.send(self._greeting(viewer, self._whole()))

    def _send_own(self, viewer: Viewer) -> None:
        if own := self.own(viewer.player):
            viewer.send(encode({"type": "own", "v": self._seen.now.number, "own": own}))

    def tell_desk(self) -> None:
        """Send those who work here what is on their desk."""
        staff = [viewer for viewer in self.viewers if sees_desk(viewer.roles)]
        if staff:
            frame = desk_frame(self._seen.now.number, self.desk())
            for viewer in staff:
                viewer.send(frame)

    def show_desk(self, viewer: Viewer) -> None:
        """Send the desk again to somebody who works here, because time has passed."""
        if self._seen.now.standing.table.rules.things and sees_desk(viewer.roles):
            viewer.send(desk_frame(self._seen.now.number, self.desk()))

    def _tell_returned(self, returned: Returned) -> None:
        """Tell a player that bets were returned, and by which clause they couldn't stand."""
        why = returned.why
        message = f"your bets were returned when betting closed: {why.message}"
        frame = refused(None, Refused(why.code, message, field=why.field, clause=why.clause))
        for viewer in self.viewers:
            if viewer.player == returned.player:
                viewer.send(frame)

    # ------------------------------------------------------------ who looks on

    def come(self, viewer: Viewer) -> None:
        """Add a viewer."""
        self.board.come(viewer)
        self._note_present(self.board.present)

    def welcome(self, viewer: Viewer, last: int | None, *, felt_tag: str = "") -> None:
        """Add a viewer: send the whole table, or only what they have missed.

        `felt_tag` is that of the felt that they have already.
        """
        self.come(viewer)
        now, scene = self._seen
        missed = None if last is None else self._news.since(last)
        if missed is not None and len(missed) > MISSED_MAX:
            missed = None
        seen = self._whole(felt_tag) if missed is None else {"scene": None}
        viewer.restart([self._greeting(viewer, seen), *(missed or ())])
        self.show_desk(viewer)
        if missed is not None:
            # Changes without an event were not kept, and old news may have cleared own cards.
            unsaid = {key: scene[key] for key in UNSAID}
            news = {"type": "news", "v": now.number, "events": [], "scene": unsaid}
            viewer.send(encode({**news, "clock": now.notes.clock.countdown(self._wait_ms())}))
            self._send_own(viewer)

    def _whole(self, felt_tag: str = "") -> dict[str, Any]:
        """Return all that everybody may see; of the felt, what a viewer doesn't have."""
        felt = {} if felt_tag == self.felt_tag else {"felt": self.felt}
        return {**felt, "scene": self.scene}

    def _greeting(self, viewer: Viewer, seen: dict[str, Any]) -> str:
        """Return the first frame of a viewer."""
        now = self._seen.now
        player = viewer.player
        you = player and {
            "player": player,
            "name": viewer.name,
            "cents": self._purse_cents(player),
        }
        message = {"type": "welcome", "protocol": PROTOCOL, "table": self.id, "you": you, **seen}
        clock = now.notes.clock.countdown(self._wait_ms())
        return encode({**message, "v": now.number, "own": self.own(player), "clock": clock})

    def farewell(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        self.board.go(viewer)
        self._note_present(self.board.present)


class News:
    """The last frames that were sent to all viewers, by the number of their last event."""

    def __init__(self, number: int) -> None:
        self._numbers: deque[int] = deque()
        self._frames: deque[str] = deque()
        self._from = self._to = number

    def keep(self, number: int, frame: str) -> None:
        """Keep a frame whose last event has this number."""
        self._numbers.append(number)
        self._frames.append(frame)
        self._to = number
        if len(self._frames) > KEPT:
            self._from = self._numbers.popleft()
            self._frames.popleft()

    def since(self, number: int) -> list[str] | None:
        """Return the frames after an event, or None if that is too long ago or yet to come."""
        if not self._from <= number <= self._to:
            return None
        kept = zip(self._numbers, self._frames, strict=True)
        return [frame for last, frame in kept if last > number]


def _deals(told: Told) -> bool:
    """Whether players got cards of their own."""
    happened = (one.event for act, *_ in told.stored for one in act.happened)
    return any(isinstance(event, Dealt) for event in happened)


def _told_of(told: Told) -> list[dict[str, Any]]:
    """Return what viewers are told of events, with their numbers.

    An event that viewers aren't told is a bare number.
    """
    events: list[dict[str, Any]] = [{"n": number} for number in told.missed]
    for act, draft, _ in told.stored:
        round = act.standing.round
        first = draft.scribe.head.number - len(act.happened) + 1
        happened = zip(act.happened, draft.plain, strict=True)
        for number, ((of, event, *_), plain) in enumerate(happened, first):
            if of == "ledger" or isinstance(event, OF_STAFF):
                events.append({"n": number})
                continue
            one: dict[str, Any] = {"n": number, "of": of, "event": plain}
            if of == "round" and round is not None and not isinstance(event, Confirmed):
                one["says"] = tell(round, event)
            events.append(one)
    return events
