"""The public interface: `croupier.__all__` is complete, sorted, documented and cheap to import."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import croupier

ROOT = Path(__file__).parent.parent
EMBEDDING = (ROOT / "docs/embedding.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

IMPORTED = re.compile(r"^(?:>>> |\.\.\. )?\s*(?:from|import) (croupier[\w.]*)", re.MULTILINE)
FENCED = re.compile(r"^```\w+.*?^```$", re.MULTILINE | re.DOTALL)
# Rooms with a public interface of their own, each declared in its `__all__`.
ROOMS = {
    "croupier.client",
    "croupier.fairness",
    "croupier.gym",
    "croupier.ledger",
    "croupier.schemas",
    "croupier.simulation",
}


def declared_for_types() -> set[str]:
    """The names that a type checker finds in the package."""
    tree = ast.parse((ROOT / "src/croupier/__init__.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.name for node in imports for alias in node.names}


def deep_imports(page: str) -> list[str]:
    """The modules that the examples of a page import and that are not public."""
    found = [name for block in FENCED.findall(page) for name in IMPORTED.findall(block)]
    return [name for name in found if name != "croupier" and name not in ROOMS]


def test_every_public_name_is_there() -> None:
    assert [name for name in croupier.__all__ if not hasattr(croupier, name)] == []


def test_the_list_of_public_names_is_sorted() -> None:
    groups = (str.isupper, lambda name: name[0].isupper() and not name.isupper(), str.islower)
    named = [name.replace("_", "") for name in croupier.__all__]
    by_group = [sorted(filter(group, named)) for group in groups]
    assert named == [name for group in by_group for name in group]


def test_types_and_program_see_the_same_names() -> None:
    assert declared_for_types() == set(croupier.__all__)
    assert set(croupier.__all__) <= set(dir(croupier))


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = croupier.nonsense


@pytest.mark.parametrize("name", croupier.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"^\| [^|]*`{name}\b[^|]*\|", EMBEDDING, re.MULTILINE), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_import_only_what_is_public(page: Path) -> None:
    assert deep_imports(page.read_text()) == []


def test_deep_imports_are_found() -> None:
    page = "```python\n>>> from croupier.rules.load import load\n>>> import croupier.gym\n```\n"
    assert deep_imports(page) == ["croupier.rules.load"]
    assert deep_imports("```text\n    from croupier.a import b\n```\n") == ["croupier.a"]


@pytest.mark.parametrize(
    ("program", "spared"),
    [
        ("import croupier", ("croupier.", "numpy", "fastapi", "rich", "typer")),
        ("from croupier import load, resolve, settle", ("numpy", "fastapi", "rich", "typer")),
        ("from croupier import analyze", ("fastapi", "rich", "typer")),
    ],
)
def test_importing_costs_only_what_is_used(program: str, spared: tuple[str, ...]) -> None:
    source = f"{program}\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [name for name in done.stdout.split() if name.startswith(spared)] == []
