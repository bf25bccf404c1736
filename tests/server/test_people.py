"""Persons, passwords and sessions, in both databases."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.recent import Recent
from croupier.server import attempts, people, registry, sessions
from croupier.server.limits import TooMany
from croupier.server.onetime import digest
from croupier.server.passwords import Passwords
from croupier.server.people import Entrance, People
from tests.server.doors import CHEAP, Clock

GOOD, HERE = "correct horse", "192.0.2.1"


class Desk:
    """People with a clock that the test moves, and a list of whose sessions ended."""

    def __init__(self, store: Store) -> None:
        self.clock, self.ended = Clock(), list[str]()
        self.passwords = Passwords(made_by=CHEAP)
        self.people = self.another(store)

    def another(self, store: Store) -> People:
        """Return the people of another process."""
        made = People(store, passwords=self.passwords, now_ms=self.clock.ms, clock=self.clock)
        made.sessions.on_ended = self.ended.append
        return made


@pytest.fixture
def desk(store: Store) -> Iterator[Desk]:
    made = Desk(store)
    yield made
    made.people.close()


Run = Callable[[Coroutine[Any, Any, Any]], Any]


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def code_of(work: Coroutine[Any, Any, Any]) -> str:
    with pytest.raises(Refused) as refused:
        run(work)
    return refused.value.code


def who(desk: Desk, entrance: Entrance) -> str | None:
    """Who a token speaks for now."""
    one = run(desk.people.sessions.signed_in(entrance.token))
    return one.person.name if one else None


# ---------------------------------------------------------------- guests and accounts


def test_a_guest_comes_in_with_nothing(desk: Desk) -> None:
    one = run(desk.people.guest())
    person = run(desk.people.sessions.signed_in(one.token)).person
    assert person == one.signed_in.person
    assert person.name.startswith("Guest ") and person.id.startswith("p-") and len(person.id) == 12
    assert person.roles == {"player"} and not person.has_password


def test_guests_whose_numbers_are_taken_get_longer_ones(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "randbelow", lambda below: 7)
    with pytest.raises(Exception, match="no number left"):
        for _ in range(2):
            run(desk.people.guest())
    monkeypatch.setattr(people, "randbelow", lambda below: below - 1)
    found = {run(desk.people.guest()).signed_in.person.name for _ in range(3)}
    assert found == {"Guest 9999", "Guest 99999", "Guest 999999"}


def test_an_account_signs_in_by_any_spelling_of_its_name(desk: Desk) -> None:
    made = run(desk.people.sign_up("Ada L", GOOD))
    for name in ("Ada L", "ada l", "ADA-L", "Àda L"):
        again = run(desk.people.sign_in(name, GOOD, address=HERE))
        assert again.signed_in.person.id == made.signed_in.person.id
        assert again.token != made.token


def test_names_that_look_alike_are_one(desk: Desk) -> None:
    run(desk.people.sign_up("Molly", GOOD))
    for name in (
        "molly",
        "MOLLY",
        "Mo11y",
        "M0lly",
        "Móllý",
        "M.olly",
        "MoIly",
        "Ｍolly",
        "Rnolly",
    ):
        assert code_of(desk.people.sign_up(name, GOOD)) == "name_taken"


def test_a_guest_becomes_an_account_and_stays_the_same_person(desk: Desk) -> None:
    guest = run(desk.people.guest())
    elsewhere = guest.signed_in.person.id
    account = run(desk.people.sign_up("Ada", GOOD, as_guest=guest.signed_in))
    assert account.signed_in.person.id == elsewhere
    assert (who(desk, guest), who(desk, account)) == (None, "Ada")
    assert desk.ended == [elsewhere]
    again = run(desk.people.sign_in("ada", GOOD, address=HERE))
    assert again.signed_in.person.id == elsewhere


def test_a_guest_cannot_take_a_name_that_is_taken_meanwhile(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = run(desk.people.guest())
    hash = desk.passwords.hash

    async def slowly(password: str) -> str:
        monkeypatch.setattr(desk.passwords, "hash", hash)
        await desk.people.sign_up("Ada", GOOD)
        return await hash(password)

    monkeypatch.setattr(desk.passwords, "hash", slowly)
    assert code_of(desk.people.sign_up("ada", GOOD, as_guest=guest.signed_in)) == "name_taken"
    assert who(desk, guest) is not None


# ---------------------------------------------------------------- names and passwords


def test_passwords_have_a_length(desk: Desk) -> None:
    for password in ("1234567", "x" * 201):
        assert code_of(desk.people.sign_up("Ada", password)) == "bad_password"
    assert desk.passwords.started == 0
    assert run(desk.people.sign_up("Ada", "x" * 200))


def test_the_same_is_said_and_done_whether_name_or_password_is_wrong(desk: Desk) -> None:
    ada = run(desk.people.sign_up("Ada", GOOD)).signed_in.person
    guest = run(desk.people.guest()).signed_in.person
    run(desk.people.sign_up("Bob", GOOD))
    bob = run(desk.people.sign_in("Bob", GOOD, address=HERE)).signed_in.person
    run(desk.people.disable(bob.id))
    said: list[tuple[str, str, int]] = []
    for name in (ada.name, "Nobody", guest.name, "Operator", "<>", "Bob"):
        before = desk.passwords.started
        password = GOOD if name == "Bob" else "wrong horse"
        with pytest.raises(Refused) as refused:
            run(desk.people.sign_in(name, password, address=f"192.0.2.{len(said)}"))
        said.append((refused.value.code, str(refused.value), desk.passwords.started - before))
    assert said == [("wrong_sign_in", "wrong name or password", 1)] * 6


def test_a_name_is_locked_for_longer_after_each_failure(desk: Desk) -> None:
    run(desk.people.sign_up("Ada", GOOD))

    def try_from(address: str, password: str = "wrong horse", name: str = "ada") -> str:
        return code_of(desk.people.sign_in(name, password, address=address))

    for _ in range(3):
        assert try_from(HERE) == "wrong_sign_in"
    waits = []
    for _ in range(9):
        before = desk.passwords.started
        with pytest.raises(TooMany) as refused:
            run(desk.people.sign_in("ada", GOOD, address=HERE))
        assert (refused.value.code, desk.passwords.started) == ("locked", before)
        waits.append(refused.value.wait_s)
        desk.clock.now += waits[-1]
        assert try_from(HERE) == "wrong_sign_in"
    assert waits == [5, 10, 20, 40, 80, 160, 320, 640, 900]
    desk.clock.now += 900
    run(desk.people.sign_in("ada", GOOD, address=HERE))
    for _ in range(3):  # All is forgiven each time.
        for _ in range(2):
            assert try_from("203.0.113.9") == "wrong_sign_in"
        run(desk.people.sign_in("ada", GOOD, address="203.0.113.9"))


def test_wrong_passwords_from_one_address_do_not_lock_the_owner_out_elsewhere(desk: Desk) -> None:
    """S12: three wrong passwords locked a name everywhere."""
    run(desk.people.sign_up("Ada", GOOD))
    for _ in range(3):
        assert code_of(desk.people.sign_in("Ada", "wrong horse", address=HERE)) == "wrong_sign_in"
    assert code_of(desk.people.sign_in("Ada", GOOD, address=HERE)) == "locked"
    assert run(desk.people.sign_in("Ada", GOOD, address="203.0.113.9"))


def test_guesses_from_many_addresses_lock_a_name_but_not_where_it_lives(desk: Desk) -> None:
    run(desk.people.sign_up("Ada", GOOD))
    assert run(desk.people.sign_in("Ada", GOOD, address=HERE))
    for number in range(attempts.NAME.failures_max):
        address = f"198.51.{number}.1"
        assert code_of(desk.people.sign_in("Ada", "wrong", address=address)) == "wrong_sign_in"
    with pytest.raises(TooMany) as refused:
        run(desk.people.sign_in("Ada", GOOD, address="203.0.113.9"))
    assert (refused.value.code, refused.value.wait_s) == ("locked", 5)
    assert run(desk.people.sign_in("Ada", GOOD, address=HERE)), "the owner's address is known"
    for _ in range(10):
        desk.clock.now += attempts.NAME.longest_s
        address = f"203.0.113.{_}"
        assert code_of(desk.people.sign_in("Ada", "wrong", address=address)) == "wrong_sign_in"
    desk.clock.now += attempts.NAME.longest_s
    assert run(desk.people.sign_in("Ada", GOOD, address="203.0.113.99")), "never locked for longer"


def test_an_address_is_locked_whatever_names_it_tries(desk: Desk) -> None:
    run(desk.people.sign_up("Ada", GOOD))
    codes = [
        code_of(desk.people.sign_in(f"Name {number}", GOOD, address=f"2001:db8::{number:x}"))
        for number in range(15)
    ]
    assert codes == ["wrong_sign_in"] * 10 + ["locked"] * 5
    assert code_of(desk.people.sign_in("Ada", GOOD, address="2001:db8::ffff")) == "locked"
    assert run(desk.people.sign_in("Ada", GOOD, address="2001:db8:0:1::1"))


def test_many_guesses_at_once_count_before_they_are_known(desk: Desk) -> None:
    run(desk.people.sign_up("Ada", GOOD))
    before = desk.passwords.started

    async def all_at_once() -> list[str]:
        tries = [
            desk.people.sign_in("Ada", f"guess {number}", address=HERE) for number in range(50)
        ]
        done = await asyncio.gather(*tries, return_exceptions=True)
        return sorted(error.code for error in done if isinstance(error, Refused))

    # All of them read the database at first; then three get through to the hash.
    codes = run(all_at_once())
    assert len(codes) == 50
    assert desk.passwords.started - before == codes.count("wrong_sign_in") == 3


def test_a_full_queue_counts_as_no_failure(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    run(desk.people.sign_up("Ada", GOOD))

    async def busy(*_: object) -> bool:
        raise TooMany("busy", "busy", wait_s=1)

    with monkeypatch.context() as patch:
        patch.setattr(desk.passwords, "matches", busy)
        for _ in range(20):
            assert code_of(desk.people.sign_in("Ada", GOOD, address=HERE)) == "busy"
    assert run(desk.people.sign_in("Ada", GOOD, address=HERE))


# ---------------------------------------------------------------- sessions and their end


def test_a_session_lasts_for_its_time(desk: Desk) -> None:
    guest, link = run(desk.people.guest()), desk.people.operator_link()
    operator = run(desk.people.use_link(link))
    desk.clock.now += 12 * 3_600 - 1
    assert who(desk, operator) == "Operator"
    desk.clock.now += 1
    assert who(desk, operator) is None and who(desk, guest) is not None
    desk.clock.now += 30 * 24 * 3_600
    assert who(desk, guest) is None


def test_a_staff_session_locks_when_idle_and_not_while_it_is_used(desk: Desk) -> None:
    made = run(desk.people.sign_up("Ada", GOOD)).signed_in.person.id
    run(desk.people.set_roles(made, ["floor", "player"]))

    def come() -> Entrance:
        one: Entrance = run(desk.people.sign_in("Ada", GOOD, address=HERE))
        return one

    def use(one: Entrance) -> None:
        run(desk.people.sessions.extend(run(desk.people.sessions.signed_in(one.token))))

    idle, busy = come(), come()
    for _ in range(2):
        desk.clock.now += 10 * 60
        use(busy)
    assert who(desk, idle) is None and who(desk, busy) == "Ada"
    for _ in range(12 * 6 - 3):
        desk.clock.now += 10 * 60
        use(busy)
    assert who(desk, busy) == "Ada"
    desk.clock.now += 10 * 60
    assert who(desk, busy) is None, "it lasts for half a day at most"


def test_the_database_has_digests_only(desk: Desk, store: Store) -> None:
    one = run(desk.people.sign_up("Ada", GOOD))
    with store.snapshot() as rows:
        kept = list(rows.rows("SELECT digest, person FROM sessions"))
        hashes = list(rows.rows("SELECT password_hash FROM persons"))
    assert kept == [(digest(one.token), one.signed_in.person.id)]
    assert GOOD not in hashes[0][0]
    assert run(desk.people.sessions.signed_in(kept[0][0].hex())) is None


def test_whatever_takes_a_right_away_ends_sessions_at_once(desk: Desk) -> None:
    async def change_password(one: Entrance) -> None:
        await desk.people.change_password(one.signed_in, GOOD, "another one", address=HERE)

    ends: list[Callable[[Entrance], Coroutine[Any, Any, Any]]] = [
        lambda one: desk.people.sessions.sign_out(one.token),
        lambda one: desk.people.disable(one.signed_in.person.id),
        lambda one: desk.people.set_roles(one.signed_in.person.id, ["player", "dealer"]),
        change_password,
    ]
    for number, end in enumerate(ends):
        one = run(desk.people.sign_up(f"Ada {number}", GOOD))
        other = run(desk.people.sign_in(f"Ada {number}", GOOD, address=HERE))
        assert who(desk, one) == who(desk, other) == f"Ada {number}"  # They are in the cache now.
        ticket = run(desk.people.sessions.give_ticket(one.signed_in, "t1"))
        desk.ended.clear()
        run(end(one))
        assert who(desk, one) is None
        assert (who(desk, other) is not None) == (number == 0)
        assert run(desk.people.sessions.tickets.take(ticket)) is None
        assert desk.ended == [one.signed_in.person.id]


def test_a_disabled_account_stays_out_until_enabled(desk: Desk) -> None:
    id = run(desk.people.sign_up("Ada", GOOD)).signed_in.person.id
    run(desk.people.disable(id))
    assert code_of(desk.people.sign_in("Ada", GOOD, address=HERE)) == "wrong_sign_in"
    run(desk.people.disable(id, disabled=False))
    assert run(desk.people.sign_in("Ada", GOOD, address=HERE))


@pytest.mark.parametrize("shut_out", [False, True])
def test_nobody_signs_in_with_what_was_changed_while_it_was_checked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, shut_out: bool
) -> None:
    one = run(desk.people.sign_up("Ada", GOOD))
    matches = desk.passwords.matches

    async def slowly(password: str, hashed: str | None) -> bool:
        right = await matches(password, hashed)
        monkeypatch.setattr(desk.passwords, "matches", matches)
        if shut_out:
            await desk.people.disable(one.signed_in.person.id)
        else:
            await desk.people.change_password(one.signed_in, GOOD, "another one", address=HERE)
        return right

    monkeypatch.setattr(desk.passwords, "matches", slowly)
    assert code_of(desk.people.sign_in("Ada", GOOD, address=HERE)) == "wrong_sign_in"


def test_a_look_that_began_before_the_end_does_not_bring_a_session_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = run(desk.people.guest())
    id = one.signed_in.person.id
    read = desk.people.rows.read

    async def slowly(work: Callable[..., Any]) -> Any:
        found = await read(work)
        monkeypatch.setattr(desk.people.rows, "read", read)
        await desk.people.disable(id)
        return found

    monkeypatch.setattr(desk.people.rows, "read", slowly)
    assert (who(desk, one), who(desk, one)) == (None, None)


def test_what_another_process_ends_is_seen_soon(desk: Desk, store: Store) -> None:
    one = run(desk.people.guest())
    assert who(desk, one)
    run(desk.another(store).disable(one.signed_in.person.id))
    desk.clock.now += sessions.CACHED_S
    assert who(desk, one) is None


def test_the_cache_is_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk.people.sessions, "cache", Recent(3))
    guests = [run(desk.people.guest()) for _ in range(6)]
    assert all(who(desk, one) for one in guests * 2)
    assert len(desk.people.sessions.cache) == 3


def test_a_person_has_so_many_sessions_and_the_oldest_makes_room(desk: Desk) -> None:
    run(desk.people.sign_up("Ada", GOOD))
    entrances = []
    for _ in range(registry.SESSIONS_MAX + 2):
        desk.clock.now += 1
        entrances.append(run(desk.people.sign_in("Ada", GOOD, address=HERE)))
    live = [who(desk, one) is not None for one in entrances]
    assert live == [False] * 2 + [True] * registry.SESSIONS_MAX
    assert desk.ended


def test_roles_are_of_a_closed_list_and_of_persons_who_exist(desk: Desk) -> None:
    id = run(desk.people.guest()).signed_in.person.id
    assert code_of(desk.people.set_roles(id, ["king"])) == "no_such_role"
    assert code_of(desk.people.set_roles("p-aaaaaaaaaa", ["player"])) == "no_such_person"
    run(desk.people.set_roles(id, ["player", "floor"]))
    assert run(desk.people.find(id)).roles == {"player", "floor"}
    for alone in ("auditor", "surveillance", "operator"):
        for other in ("player", "dealer", "floor"):
            assert code_of(desk.people.set_roles(id, [alone, other])) == "roles_exclude"
    assert [person.id for person in run(desk.people.everybody())] == [id]
    assert run(desk.people.everybody(id)) == []


# ---------------------------------------------------------------- links, tickets, backups


def test_the_operators_link_is_good_once_and_not_for_ever(desk: Desk) -> None:
    link, late = desk.people.operator_link(), desk.people.operator_link()
    one = run(desk.people.use_link(link))
    assert one.signed_in.person.roles == {"operator"}
    assert code_of(desk.people.use_link(link)) == "bad_link"
    assert code_of(desk.people.use_link("")) == "bad_link"
    desk.clock.now += people.LINK_S
    assert code_of(desk.people.use_link(late)) == "bad_link"
    again = run(desk.people.use_link(desk.people.operator_link()))
    assert again.signed_in.person.id == one.signed_in.person.id


def test_a_ticket_is_good_once_and_for_half_a_minute(desk: Desk) -> None:
    one = run(desk.people.guest()).signed_in
    ticket = run(desk.people.sessions.give_ticket(one, "t1"))
    held = f"{one.person.id} {one.session.hex()} t1"
    assert run(desk.people.sessions.tickets.take(ticket)) == held
    assert run(desk.people.sessions.tickets.take(ticket)) is None
    late = run(desk.people.sessions.give_ticket(one, "t1"))
    desk.clock.now += 30
    assert run(desk.people.sessions.tickets.take(late)) is None


def test_a_ticket_admits_one_person_to_one_table_while_the_session_lasts(
    desk: Desk, store: Store
) -> None:
    one = run(desk.people.guest()).signed_in
    tickets = [run(desk.people.sessions.give_ticket(one, "t1")) for _ in range(3)]
    assert run(desk.people.sessions.admit(tickets[0], "t1")) == one
    assert run(desk.people.sessions.admit(tickets[0], "t1")) is None
    assert run(desk.people.sessions.admit(tickets[1], "t2")) is None
    assert run(desk.people.sessions.admit("", "t1")) is None
    run(desk.another(store).disable(one.person.id))  # This one does not hear of it.
    assert run(desk.people.sessions.admit(tickets[2], "t1")) is None


def test_a_backup_has_the_persons_and_no_session(desk: Desk, store: Store, tmp_path: Path) -> None:
    one = run(desk.people.sign_up("Ada", GOOD))
    backup = tmp_path / "backup.db"
    store.backup(backup)
    traces = backup.read_bytes().count(digest(one.token))
    assert traces == 0
    copy = SqliteStore(backup)
    restored = Desk(copy)
    assert run(restored.people.sessions.signed_in(one.token)) is None
    again = run(restored.people.sign_in("ada", GOOD, address=HERE))
    assert again.signed_in.person == one.signed_in.person
    restored.people.close()
    copy.close()


def test_the_tables_refuse_what_is_no_person(store: Store) -> None:
    insert = "INSERT INTO persons (person, name, looks, password_hash, made_ms) VALUES "
    good = "('p-aaaaaaaaaa', 'Ada', 'ada', NULL, 1)"
    bad = [
        insert + "('aaaaaaaaaaaa', 'Ada', 'ada', NULL, 1)",
        insert + "('p-aaaaaaaaaa', 'A', 'a', NULL, 1)",
        insert + "('p-aaaaaaaaaa', 'Ada', '', NULL, 1)",
        insert + "('p-aaaaaaaaaa', 'Ada', 'ada', 'open sesame', 1)",
        "INSERT INTO roles VALUES ('p-aaaaaaaaaa', 'player')",
        "INSERT INTO sessions VALUES ('short', 'p-aaaaaaaaaa', 1, 2)",
    ]
    for sql in bad:
        told = r"(?i)constraint|violates|cannot store"
        with pytest.raises(Exception, match=told), store.writing() as rows:
            rows.run(sql)
    with store.writing() as rows:
        rows.run(insert + good)
        rows.run("INSERT INTO roles VALUES ('p-aaaaaaaaaa', 'player')")
    with pytest.raises(Exception, match=r"(?i)constraint"), store.writing() as rows:
        rows.run("INSERT INTO roles VALUES ('p-aaaaaaaaaa', 'king')")
