"""The build: compared with what was approved, journaled, and a table that its rulebook closes."""

import asyncio
import json
import marshal
import py_compile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import cache_from_source
from pathlib import Path
from unittest.mock import patch

import pytest

from croupier.errors import Refused
from croupier.house import pit as pits
from croupier.house import said
from croupier.house.asking import Employee
from croupier.house.books import answer_to
from croupier.house.build import PACKAGE, Build, approve_build, approved_of
from croupier.house.compiled import foreign
from croupier.house.config import Config, parse_config
from croupier.house.folder import House, opened_house
from croupier.house.keys import Keys
from croupier.house.next_step import next_step
from croupier.house.pit import Pit
from croupier.house.standing import Act
from croupier.house.table import Table
from croupier.ledger.acts import HOUSE_STREAM, BuildChecked, acts_in
from croupier.ledger.asked import NO_BODY
from croupier.ledger.builds import approve as signed
from croupier.ledger.builds import is_approved
from croupier.ledger.checkpoints import public_key
from croupier.ledger.stores.jotting import jot
from croupier.ledger.verify import verify
from croupier.table.commands import Join
from tests.cli.running import run
from tests.house.floor import rules_of
from tests.rules.books import LET_IT_RIDE, MARYLAND, SHIPPED

TIME = 1_700_000_000_000
CONFIG = parse_config(
    f"""
    [[table]]
    id = "three"
    rulebook = "{MARYLAND}"
    [[table]]
    id = "ride"
    rulebook = "{LET_IT_RIDE}"
    """,
    rules_of,
    file="tables.toml",
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small program with two rulebooks."""
    folder = tmp_path / "croupier"
    (folder / "rulebooks").mkdir(parents=True)
    (folder / "deal.py").write_text("print('no more bets')\n")
    for book in (MARYLAND, LET_IT_RIDE):
        (folder / f"rulebooks/{book}.toml").write_bytes((SHIPPED / f"{book}.toml").read_bytes())
    return folder


def approve(data: Path, package: Path) -> str:
    with opened_house(data) as house:
        files = Build((), package).files()
        return approve_build(house.store, house.keys, files, time_ms=TIME).digest


@asynccontextmanager
async def opened(house: House, package: Path, config: Config = CONFIG) -> AsyncIterator[Pit]:
    build = Build((), package)
    pit = Pit(config, house.books(), rules_of, signing=house.signing(), build=build)
    await pit.start(deals=False)
    try:
        yield pit
    finally:
        await pit.stop()
        pit.books.close()


async def ask(table: Table, message: said.StaffCommand) -> None:
    """Ask something of a table as its dealer."""
    by = Employee("dee", frozenset({"dealer"}))
    await answer_to(lambda reply: table.hear_staff(by, message, NO_BODY, reply=reply))


def serve(data: Path, package: Path) -> Pit:
    """Open a house and close it again."""

    async def once(house: House) -> Pit:
        async with opened(house, package) as pit:
            return pit

    with opened_house(data) as house:
        return asyncio.run(once(house))


def checks(data: Path) -> list[BuildChecked]:
    with opened_house(data) as house, house.store.reading() as view:
        acts = [act for _, act in acts_in(view.stream(HOUSE_STREAM))]
    return [act for act in acts if isinstance(act, BuildChecked)]


def one_byte(file: Path) -> None:
    """Change one digit of a paytable."""
    data = file.read_bytes()
    at = data.index(b"40")
    file.write_bytes(data[:at] + b"5" + data[at + 1 :])


# ---------------------------------------------------------------- before and after approval


def test_a_build_that_nobody_approved_is_served_and_says_so(tmp_path: Path, package: Path) -> None:
    data = tmp_path / "data"
    pit = serve(data, package)
    assert {*pit.tables} == {"three", "ride"}
    assert pit.closed.build and pit.closed.build.says == "Nobody has approved this build."
    assert pit.closed.build.as_json()["is_approved"] is False
    (check,) = checks(data)
    assert (check.approved, check.digest) == ("", pit.closed.build.digest)


def test_the_approved_build_is_served_after_restarts_too(tmp_path: Path, package: Path) -> None:
    data = tmp_path / "data"
    digest = approve(data, package)
    for _ in range(2):
        pit = serve(data, package)
        assert {*pit.tables} == {"three", "ride"}
        assert pit.closed.build and pit.closed.build.as_json()["is_approved"] is True
    assert [(one.digest, one.approved, one.differing) for one in checks(data)] == [
        (digest, digest, 0)
    ] * 2


def test_one_changed_byte_in_a_rulebook_closes_its_tables(tmp_path: Path, package: Path) -> None:
    data, file = tmp_path / "data", package / f"rulebooks/{MARYLAND}.toml"
    approve(data, package)
    one_byte(file)
    for _ in range(2):  # Also after a restart.
        pit = serve(data, package)
        assert {*pit.tables} == {"ride"}
        with pytest.raises(Refused) as refused:
            pit.closed.check("three")
        assert refused.value.code == "unapproved"
        name = f"croupier/rulebooks/{MARYLAND}.toml"
        said = f"table: this table is closed: {name} was changed since the build was approved"
        assert str(refused.value) == said
    assert checks(data)[-1].differs == (f"{name} was changed",)
    approve(data, package)
    assert {*serve(data, package).tables} == {"three", "ride"}


def added(package: Path) -> None:
    (package / "more.py").write_text("")


def missing(package: Path) -> None:
    (package / "deal.py").unlink()


def changed(package: Path) -> None:
    (package / "deal.py").write_text("print('no more bats')\n")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (added, "croupier/more.py was added"),
        (missing, "croupier/deal.py is missing"),
        (changed, "croupier/deal.py was changed"),
    ],
)
def test_any_other_file_closes_every_table(
    tmp_path: Path, package: Path, how: Callable[[Path], None], says: str
) -> None:
    data = tmp_path / "data"
    approve(data, package)
    how(package)
    pit = serve(data, package)
    assert not pit.tables
    (check,) = checks(data)
    assert (check.differs, check.differing) == ((says,), 1)
    assert pit.closed.build and says in pit.closed.build.says


def test_what_python_makes_is_no_part_of_a_build(tmp_path: Path, package: Path) -> None:
    before = Build((), package).files()
    (package / "__pycache__").mkdir()
    (package / "__pycache__/deal.cpython-311.pyc").write_bytes(b"0")
    assert Build((), package).files() == before


def test_a_book_of_another_folder_closes_the_tables_that_it_would_change(
    tmp_path: Path, package: Path
) -> None:
    data, books = tmp_path / "data", tmp_path / "books"
    approve(data, package)
    books.mkdir()
    (books / f"{MARYLAND}.toml").write_text("")
    with opened_house(data) as house, house.store.reading() as view:
        state = Build((books,), package).compare(view)
    assert state.closes(MARYLAND) and not state.closes(LET_IT_RIDE)


# ---------------------------------------------------------------- every day


def test_a_running_house_looks_again_and_finishes_the_round(tmp_path: Path, package: Path) -> None:
    data = tmp_path / "data"
    approve(data, package)

    async def go(house: House) -> None:
        async with opened(house, package) as pit:
            assert pit.tables["three"].notes.company.open
            one_byte(package / f"rulebooks/{MARYLAND}.toml")
            async with asyncio.timeout(20):
                while pit.tables["three"].notes.company.open:
                    await asyncio.sleep(0.01)
            assert pit.tables["ride"].notes.company.open
            assert pit.closed.because("three")

    assert pits.BUILD_S == 24 * 60 * 60
    with opened_house(data) as house, patch.object(pits, "BUILD_S", 0.02):
        asyncio.run(go(house))
    assert len(checks(data)) >= 2


@pytest.mark.parametrize("life", ["closed", "open"])
def test_one_changed_byte_stops_the_rounds_of_a_dealer(
    tmp_path: Path, package: Path, life: str
) -> None:
    text = f'[[table]]\nid = "three"\nrulebook = "{MARYLAND}"\nthings = ["dealer"]\n'
    data, attended = tmp_path / "data", parse_config(text, rules_of, file="tables.toml")
    approve(data, package)

    async def go(house: House) -> None:
        async with opened(house, package, attended) as pit:
            table = pit.tables["three"]
            await ask(table, said.TapIn("1", "dealer"))
            begin: dict[str, object] = {"type": "OpenTable"}
            if life == "open":
                await table.act(partial(Act.at_table, command=Join(1, "ann")))
                await ask(table, said.Do("2", "table", begin))
                begin = {"type": "StartRound", "round": "", "time": {"wall_s": 0, "up_s": 0}}
            one_byte(package / f"rulebooks/{MARYLAND}.toml")
            await pit.check_build()
            step = next_step(table.place.standing, stopped=table.notes.company.stopped)
            assert step.command is None and f"{MARYLAND}.toml was changed" in step.says
            with pytest.raises(Refused, match="was changed since the build was approved") as why:
                await ask(table, said.Do("3", "table", begin))
            assert why.value.code == "table_closed"
            files = Build((), package).files()
            approve_build(house.store, house.keys, files, time_ms=TIME)
            await pit.check_build()
            await ask(table, said.Do("4", "table", begin))

    with opened_house(data) as house:
        asyncio.run(go(house))


# ---------------------------------------------------------------- signatures


def test_an_approval_by_another_key_is_ignored_and_found(tmp_path: Path, package: Path) -> None:
    data = tmp_path / "data"
    approve(data, package)
    one_byte(package / f"rulebooks/{MARYLAND}.toml")
    files = Build((), package).files()
    with opened_house(data) as house:
        foreign = Keys(bytes(32), bytes(range(32)))
        approve_build(house.store, foreign, files, time_ms=TIME)
        unsigned = signed(bytes(range(32)), files)._replace(signature="")
        with house.store.writing() as session:
            jot(session, unsigned, time_ms=TIME)
    pit = serve(data, package)
    assert {*pit.tables} == {"ride"}
    assert pit.closed.build and pit.closed.build.ignored == 2
    with opened_house(data) as house, house.store.reading() as view:
        faults = verify(view, rules_of).faults
    assert [fault.split(": ")[1] for fault in faults] == [
        "the approved build is not signed with the house's key"
    ] * 2


def test_a_list_that_its_signature_does_not_cover_is_no_approval(package: Path) -> None:
    secret = bytes(range(32))
    files = Build((), package).files()
    sound = signed(secret, files)
    key = public_key(secret)
    assert is_approved(sound, key)
    for forged in (
        sound._replace(files={**files, "croupier/deal.py": "0" * 64}),
        sound._replace(signature="zz"),
        sound._replace(digest="0" * 64),
    ):
        assert not is_approved(forged, key)


# ---------------------------------------------------------------- the commands


def test_the_commands_approve_and_compare(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened_house(data):
        pass
    words = ("verify-build", "--data", str(data))
    ran = run(*words)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.endswith("Nobody has approved this build.\n")
    ran = run("approve-build", "--data", str(data), "--by", "Kim Brandt")
    assert (ran.code, ran.err) == (0, "")
    with opened_house(data) as house, house.store.reading() as view:
        approved, _ = approved_of(view)
        assert approved and approved.by == "Kim Brandt"
    ran = run("approve-build", "--data", str(data), "--by", "K" * 101)
    assert (ran.code, ran.err) == (2, "croupier: --by: must be a name of at most 100 characters\n")
    ran = run(*words, "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["is_approved"], found["digest"]) == (True, found["approved"])
    books = tmp_path / "books"
    books.mkdir()
    (books / "mine.toml").write_text("")
    ran = run("--books", str(books), *words)
    assert ran.code == 1
    assert ran.out.splitlines()[0] == "books/1/mine.toml was added"
    ran = run("ledger", "verify", "--data", str(data))
    assert ran.code == 0
    assert "proved: every approved build, by the house's signature" in ran.out.splitlines()
    ran = run("approve-build", "--data", str(tmp_path / "none"))
    assert (ran.code, ran.err) == (2, f"croupier: --data: there is no folder {tmp_path / 'none'}\n")


# ---------------------------------------------------------------- compiled files


def compiled(package: Path, text: str, mode: py_compile.PycInvalidationMode) -> Path:
    """Compile other text, and pass it off as what the program's file compiles to."""
    source, other = package / "deal.py", package.parent / "other.py"
    target = Path(cache_from_source(str(source)))
    if mode is py_compile.PycInvalidationMode.TIMESTAMP:
        py_compile.compile(str(source), doraise=True)
        header = target.read_bytes()[:16]
        target.write_bytes(header + marshal.dumps(compile(text, str(source), "exec")))
        return target
    other.write_text(text)
    py_compile.compile(str(other), str(target), invalidation_mode=mode, doraise=True)
    return target


TIMED = py_compile.PycInvalidationMode.TIMESTAMP
HASHED = py_compile.PycInvalidationMode.UNCHECKED_HASH


@pytest.mark.parametrize("mode", [TIMED, HASHED])
def test_a_compiled_file_of_another_source_closes_tables(
    tmp_path: Path, package: Path, mode: py_compile.PycInvalidationMode
) -> None:
    """Python runs it, and not the file beside it that was approved."""
    data = tmp_path / "data"
    approve(data, package)
    own = compiled(package, (package / "deal.py").read_text(), mode)
    pit = serve(data, package)
    assert {*pit.tables} == {"three", "ride"} and own.is_file()
    made = compiled(package, "print('the house always wins')\n", mode)
    with opened_house(data) as house, house.store.reading() as view:
        state = Build((), package).compare(view)
    (found,) = state.differs
    place = made.relative_to(package.parent).as_posix()
    assert str(found) == f"{place} was compiled from another source"
    assert serve(data, package).tables == {}
    made.write_bytes(made.read_bytes()[:20])
    assert [*foreign([package / "deal.py"])] == [made], "one that can't be read either"


def test_a_compiled_file_that_python_does_not_run_is_let_alone(package: Path) -> None:
    source = package / "deal.py"
    made = compiled(package, "print('old')\n", TIMED)
    assert [*foreign([source])] == [made]
    source.write_text("print('a longer text, so that it is compiled anew')\n")
    assert [*foreign([source])] == []
    compiled(package, "print('old')\n", py_compile.PycInvalidationMode.CHECKED_HASH)
    assert [*foreign([source])] == []
    made.write_bytes(b"another version of Python's")
    assert [*foreign([source])] == []


def test_the_files_of_this_program_are_compiled_from_their_sources() -> None:
    assert [*foreign(sorted(PACKAGE.rglob("*.py")))] == []
