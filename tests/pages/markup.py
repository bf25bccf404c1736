"""Checks of HTML that a browser would forgive: ids, labels, nesting, and what must not be there."""

from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
CONTROLS = {"input", "select", "textarea"}
Attributes = list[tuple[str, str | None]]


class Markup(HTMLParser):
    """A page taken apart: its elements, its text, and what is wrong with its nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.labelled = 0
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        found = {name: value or "" for name, value in attrs}
        if "label" in self.open:
            found["inside-label"] = ""
        self.elements.append((tag, found))
        self.faults += [
            f"<{tag}> has {name} twice"
            for name, times in Counter(n for n, _ in attrs).items()
            if times > 1
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")

    def ids(self) -> list[str]:
        """Every id, in the order of the page."""
        return [found["id"] for _, found in self.elements if "id" in found]


def faults_of(text: str) -> list[str]:
    """Return all that is wrong with a page."""
    page = Markup(text)
    ids = Counter(page.ids())
    found = [*page.faults, *(f"id {id} is there {n} times" for id, n in ids.items() if n > 1)]
    found += _forbidden(page)
    labels = {found["for"] for tag, found in page.elements if tag == "label" and "for" in found}
    for tag, has in page.elements:
        labelled = "inside-label" in has or has.get("id") in labels
        if tag in CONTROLS and has.get("type") != "hidden" and not labelled:
            found.append(f"<{tag} {has.get('name')}> has no label")
        if tag == "img" and "alt" not in has:
            found.append("an <img> has no alt")
        for name in ("for", "aria-labelledby", "aria-describedby"):
            found += [f"{name} names {id}" for id in has.get(name, "").split() if id not in ids]
        href = has.get("href", "")
        if href.startswith("#") and unquote(href[1:]) not in ids:
            found.append(f"{href} leads nowhere")
    found += [] if [tag for tag, _ in page.elements].count("h1") == 1 else ["not one h1"]
    return found


def _forbidden(page: Markup) -> list[str]:
    """What the policy of the server does not allow: styles and scripts inside, other places."""
    found = []
    for tag, has in page.elements:
        found += [f"<{tag} {name}>" for name in has if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in has):
            found.append(f"<{tag}> inside the page")
        for name in ("href", "src", "action"):
            address = has.get(name, "/")
            if not address.startswith(("/", "#")) or address.startswith("//"):
                found.append(f"<{tag} {name}={address}> leads elsewhere")
    return found
