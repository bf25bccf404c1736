"""Scripts and styles as they are sent: without comments, and bundled if needed together."""

import re
from collections import Counter
from importlib.resources import files

import pytest

from croupier.server.pages.bundles import lean, tight, together
from croupier.server.pages.static import BUNDLES, shipped

STATIC = files("croupier.web") / "static"
SOURCES = {
    file.name: file.read_text()
    for folder in (STATIC, STATIC / "js")
    for file in folder.iterdir()
    if file.name.endswith((".js", ".css"))
}
TOP = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+|\{[^}]*\})", re.M)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("a();\n  // why\n  b();", "a();\n\nb();"),
        ("/**\n * What.\n */\nexport const a = 1;", "\n\n\nexport const a = 1;"),
        ("a(); // stays", "a(); // stays"),
        ("x = /** @type {A} */ (a).b();", "x = (a).b();"),
        ("/* one */ a {}\n/* two */", "/* one */ a {}\n"),
        ('"https://a";', '"https://a";'),
    ],
)
def test_comments_of_whole_lines_are_not_sent(text: str, sent: str) -> None:
    assert lean(text) == sent


def test_a_style_is_sent_without_space_that_separates_nothing() -> None:
    style = '.a :hover,\n.b {\n  margin: 0 auto;\n  font: 1em "A B", serif;\n}\n'
    assert tight(style) == '.a :hover,.b{margin:0 auto;font:1em "A B",serif;}'
    for name, text in SOURCES.items():
        strings = re.findall(r'"[^"\n]*"', text) if name.endswith(".css") else []
        assert not [one for one in strings if re.search(r"[{};,]", one)], name


def test_modules_become_one() -> None:
    modules = {
        "a": 'import { b } from "./b.js";\nimport {\n  c,\n  d as e,\n} from "./c.js";\n'
        "export const a = b;",
        "b": 'import "./e.js";\nimport { c } from "./c.js";\nexport const b = c;',
    }
    assert together(("b", "a"), modules, {"c": "core"}) == (
        'import { c, d as e } from "./core.js";\nimport {  } from "./e.js";\n'
        "export const b = c;\nexport const a = b;\n"
    )


@pytest.mark.parametrize("bundle", BUNDLES)
def test_modules_of_a_bundle_share_no_name_and_come_after_what_they_need(bundle: str) -> None:
    parts = BUNDLES[bundle]
    names = Counter(
        name
        for part in parts
        for found in TOP.findall(SOURCES[f"{part}.js"])
        for name in re.findall(r"\w+", found.split("=")[0])
    )
    # What is imported stands at the top level, too; the same name may come from there twice.
    text = shipped()[f"table/{bundle}.js"].plain.decode()
    for imported in re.findall(r"^import \{([^}]*)\}", text, re.M):
        names.update(re.findall(r"\w+", imported))
    assert [name for name, times in names.items() if times > 1] == []
    for at, part in enumerate(parts):
        needed = re.findall(r'^(?:import|\}) .*"\./(\w+)\.js";$', SOURCES[f"{part}.js"], re.M)
        assert set(needed) & set(parts) <= set(parts[:at]), part


def test_no_line_looks_like_a_comment_inside_of_a_string() -> None:
    """Whole-line comments are found without a parser: no string goes over lines."""
    for name, text in SOURCES.items():
        odd = [line for line in text.split("\n") if line.count("`") % 2 and "*" not in line[:4]]
        assert odd == [], name


def test_what_a_module_imports_at_a_table_is_exported_there() -> None:
    sent = {path: shipped()[path].plain.decode() for path in shipped() if path[:6] == "table/"}
    named = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";$', re.M)
    export = "^export (?:async )?(?:function|const|let|class) {}\\b"
    wanted = [
        (path, f"table/{home}", one.split(" as ")[0].strip())
        for path, text in sent.items()
        for names, home in named.findall(text)
        for one in names.split(",")
        if one.strip()
    ]
    assert [(p, h, n) for p, h, n in wanted if not re.search(export.format(n), sent[h], re.M)] == []
    assert len(wanted) > 100
    fetched = {(p, f"table/{n}") for p in sent for n in re.findall(r'"\./(\w+\.js)"', sent[p])}
    assert [one for one in fetched if one[1] not in sent] == []


@pytest.mark.parametrize("bundle", BUNDLES)
def test_modules_of_a_bundle_rename_nothing_of_each_other(bundle: str) -> None:
    parts = "|".join(BUNDLES[bundle])
    for part in BUNDLES[bundle]:
        found = re.findall(
            rf'import \{{([^}}]*)\}} from "\./(?:{parts})\.js"', SOURCES[f"{part}.js"]
        )
        assert not any(" as " in names for names in found), part
