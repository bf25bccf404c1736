"""What is installed is pinned, with hashes, and is what pyproject.toml asks for."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BASE = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
ASKED = {
    "base": [*BASE, *EXTRAS["postgres"]],
    "cluster": [*BASE, *EXTRAS["cluster"]],
    "gym": [*BASE, *EXTRAS["gym"]],
    "test": [
        *BASE,
        *(line for extra in EXTRAS.values() for line in extra),
        *PROJECT["dependency-groups"]["test"],
    ],
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def pinned(group: str) -> list[tuple[Requirement, int]]:
    """Return each requirement of a file, and how many hashes it has."""
    text = (ROOT / f"requirements/{group}.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    return [
        (Requirement(re.split(r" +--hash=", line)[0]), len(re.findall(r"--hash=sha256:", line)))
        for line in lines
    ]


def test_every_file_is_of_a_group() -> None:
    assert sorted(path.stem for path in ROOT.glob("requirements/*.txt")) == sorted(ASKED)


@pytest.mark.parametrize("group", ASKED)
def test_everything_is_pinned_with_hashes(group: str) -> None:
    for requirement, hashes in pinned(group):
        assert [one.operator for one in requirement.specifier] == ["=="], requirement
        assert hashes, requirement


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("group", ASKED)
def test_pins_are_what_is_asked_for_by_any_python(group: str, python: str) -> None:
    """If not, tools/lock writes them anew."""
    here = {"python_version": python, "python_full_version": f"{python}.0"}
    found = {
        canonicalize_name(requirement.name): next(iter(requirement.specifier)).version
        for requirement, _ in pinned(group)
        if requirement.marker is None or requirement.marker.evaluate(here)
    }
    for requirement in map(Requirement, ASKED[group]):
        name = canonicalize_name(requirement.name)
        assert requirement.specifier.contains(found.get(name, "0")), requirement


def test_all_groups_pin_the_same_versions() -> None:
    everything = {str(requirement) for requirement, _ in pinned("test")}
    for group in ASKED:
        assert {str(requirement) for requirement, _ in pinned(group)} <= everything
