"""Books are found in the package and in folders, and a folder's own come first."""

from pathlib import Path

import pytest

from croupier.errors import Problems, UserError
from croupier.rules.load import load, rulebook_ids
from tests.rules.books import FLORIDA, IDS, SIXTH, SIXTH_TEXT, each_book, swapped, text_of


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    (tmp_path / f"{SIXTH}.toml").write_text(SIXTH_TEXT)
    (tmp_path / "notes.txt").write_text("not a book")
    return tmp_path


def test_the_package_has_five_books() -> None:
    assert rulebook_ids() == IDS


@each_book
def test_a_book_is_opened_by_its_id(id: str) -> None:
    assert load(id).id == id


def test_a_folder_adds_its_books(shelf: Path) -> None:
    assert rulebook_ids([shelf]) == (*IDS, SIXTH)
    assert load(SIXTH, [shelf]).rules.game == "Watchtower"


def test_a_folders_book_comes_before_the_packages(shelf: Path) -> None:
    text = swapped(text_of(FLORIDA), ("to = 200", "to = 201"))
    (shelf / f"{FLORIDA}.toml").write_text(text)
    books = [load(FLORIDA, folders) for folders in ([shelf], [])]
    odds = [str(book.rules.paytable["pair_plus"]["A"].rows[0].to) for book in books]
    assert odds == ["201", "200"]
    assert rulebook_ids([shelf]) == (*IDS, SIXTH)


def test_the_first_of_two_folders_comes_first(
    shelf: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / f"{SIXTH}.toml").write_text(swapped(SIXTH_TEXT, ("seats  = 5", "seats  = 6")))
    seats = [load(SIXTH, folders).rules.table.seats for folders in ([shelf, other], [other, shelf])]
    assert seats == [5, 6]


def test_a_book_is_parsed_again_when_it_has_changed(shelf: Path) -> None:
    before = load(SIXTH, [shelf])
    assert load(SIXTH, [shelf]) is before
    (shelf / f"{SIXTH}.toml").write_text(swapped(SIXTH_TEXT, ("seats  = 5", "seats  = 6")))
    assert load(SIXTH, [shelf]).rules.table.seats == 6


def test_an_unknown_book_is_refused_with_those_that_there_are(shelf: Path) -> None:
    with pytest.raises(UserError) as caught:
        load("nevada", [shelf])
    known = ", ".join((*IDS, SIXTH))
    assert str(caught.value) == f"rulebook: there is no rulebook 'nevada'; there are {known}"


@pytest.mark.parametrize("id", ["", "..", "../x", "florida", "FLORIDA-THREE-CARD-POKER", "*"])
def test_an_id_is_a_name_and_not_a_path(id: str) -> None:
    with pytest.raises(UserError, match="there is no rulebook"):
        load(id)


@pytest.mark.parametrize("name", ["missing", f"{SIXTH}.toml"])
def test_what_is_not_a_folder_is_refused(shelf: Path, name: str) -> None:
    with pytest.raises(UserError, match="is not a folder"):
        rulebook_ids([shelf / name])


def test_a_faulty_book_of_a_folder_names_its_file(shelf: Path) -> None:
    (shelf / "bad.toml").write_text("format = 1\n")
    with pytest.raises(Problems) as caught:
        load("bad", [shelf])
    assert {problem.file for problem in caught.value.problems} == {"bad.toml"}
