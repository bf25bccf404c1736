"""Documents as they are read: well-formed pages that stand alone, PDF files with their text."""

import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader

from croupier.reports.documents import par_html, par_pdf, sign_html, sign_pdf
from croupier.reports.par import Par
from croupier.reports.sign import Panel, Sign, sign_of
from tests.reports.tables import FULL, sheet, table
from tests.rules.books import FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE, each_book

HTML_NAMES = re.compile(r"\b(?:src|href|action|data|poster|srcset|background)\s*=", re.IGNORECASE)


def sign(id: str, *, full: bool = False) -> Sign:
    return sign_of(table(id, FULL[id] if full else {}), house="The <Grand> & Co.")


def parsed(page: str) -> ElementTree.Element:
    """The elements of a page; it must be well-formed as XML too."""
    head, _, rest = page.partition("\n")
    assert head == "<!DOCTYPE html>"
    return ElementTree.fromstring(rest)


def pages(id: str) -> Iterator[str]:
    yield from (sign_html(sign(id)), sign_html(sign(id, full=True)), par_html(sheet(id)))
    if id != MARYLAND:  # Its full sheet takes seconds.
        yield par_html(sheet(id, full=True))


def said(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def text_of(pdf: bytes) -> str:
    """The text of a PDF, without the marks by which long numbers may break."""
    texts = [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]
    return " ".join("\n".join(texts).replace("\N{ZERO WIDTH SPACE}", "").split())


@each_book
def test_pages_are_well_formed_and_ask_nothing_of_a_network(id: str) -> None:
    for page in pages(id):
        assert parsed(page).tag == "html"
        assert set(re.findall(r"\w+://[^\s\"']+", page)) <= {"http://www.w3.org/2000/svg"}
        assert not HTML_NAMES.search(page)
        assert not re.search(r"<(script|link|iframe|img|object|form)\b|@import|url\(", page)
        assert "default-src 'none'" in page


@each_book
def test_pages_can_be_read_without_seeing_them(id: str) -> None:
    for page in pages(id):
        root = parsed(page)
        assert root.get("lang") == "en"
        assert [len(list(root.iter(name))) for name in ("title", "h1", "main")] == [1, 1, 1]
        for one in root.iter("table"):
            assert [said(caption) for caption in one.findall("caption")] != [""]
            assert len(one.findall("caption")) == 1
            assert {cell.get("scope") for cell in one.iter("th")} <= {"row", "col"}
        for drawing in root.iter("{http://www.w3.org/2000/svg}svg"):
            assert drawing.get("role") == "img"
            assert drawing.find("{http://www.w3.org/2000/svg}desc") is not None


@each_book
@pytest.mark.parametrize("full", [False, True])
def test_the_signs_page_has_every_row(id: str, full: bool) -> None:
    posted = sign(id, full=full)
    root = parsed(sign_html(posted))
    rows = [
        tuple(said(cell) for cell in row) for body in root.iter("tbody") for row in body.iter("tr")
    ]
    assert rows == [row for panel in posted.panels for row in panel.rows]
    assert said(root).count("The <Grand> & Co.") == 1


@each_book
@pytest.mark.parametrize("paper", ["a4", "a3", "letter", "tabloid"])
def test_a_sign_is_one_sheet_of_pdf_with_every_row(id: str, paper: str) -> None:
    posted = sign(id, full=True)
    pdf = sign_pdf(posted, paper=paper)
    reader = PdfReader(io.BytesIO(pdf))
    assert pdf.startswith(b"%PDF-")
    assert len(reader.pages) == 1
    box = reader.pages[0].mediabox
    assert box.width > box.height
    text = "".join(text_of(pdf).split())
    wanted = [cell for panel in posted.panels for row in panel.rows for cell in row]
    wanted += [posted.qualifier, *(panel.title for panel in posted.panels)]
    assert [cell for cell in wanted if "".join(cell.split()) not in text] == []


def test_a_sign_longer_than_a_sheet_goes_on() -> None:
    rows = tuple((f"hand {j}", f"{j} to 1") for j in range(40))
    panels = tuple(Panel(title=f"Wager {i}", clause="1", rows=rows) for i in range(9))
    long = Sign(
        title="T", place="", house="", rulebook="r", digest="d" * 64, qualifier="", panels=panels,
        notes=(),
    )  # fmt: skip
    text = text_of(sign_pdf(long))
    assert [panel.title for panel in panels if panel.title not in text] == []


@each_book
def test_the_sheets_page_has_every_figure(id: str) -> None:
    par = sheet(id)
    text = said(parsed(par_html(par)))
    assert [words for words in words_of(par) if " ".join(words.split()) not in text] == []


@pytest.mark.parametrize("id", [FLORIDA, LET_IT_RIDE, SINGAPORE])
def test_the_sheet_is_a_pdf_with_every_figure(id: str) -> None:
    par = sheet(id, full=True)
    pdf = par_pdf(par)
    reader = PdfReader(io.BytesIO(pdf))
    assert pdf.startswith(b"%PDF-")
    # A page for the table, at least one for every wager, one for the rulings.
    assert 2 + len(par.wagers) <= len(reader.pages) <= 6 + 3 * len(par.wagers)
    assert reader.metadata and reader.metadata.title == f"PAR sheet: {par.title}"
    text = "".join(text_of(pdf).split())
    assert [words for words in words_of(par) if "".join(words.split()) not in text] == []


def words_of(par: Par) -> Iterator[str]:
    """All that a sheet must show, as a reader sees it."""
    yield from (par.title, par.book_digest, par.rules_digest, par.version)
    for wager in par.wagers:
        yield from (wager.title, *wager.strategy)
        yield from (figure.value for figure in wager.figures)
        yield from (figure.exact for figure in wager.figures)
        for line in wager.lines:
            for row in (*line.results, line.total):
                yield from (row.pays, f"{row.combinations:,}", row.probability, row.contribution)
        for spread in wager.spreads:
            yield from (spread.rounds, spread.half_width, spread.low, spread.high)
        yield from (net.probability for net in wager.distribution)
        yield from (meter.break_even for meter in wager.meters)
    for ruling in par.rulings:
        yield from (ruling.id, ruling.clauses)
        yield from (reading.value for reading in ruling.readings)
    yield from (chosen.value for chosen in par.selections)


@each_book
def test_the_same_input_gives_the_same_bytes(id: str) -> None:
    assert sign_pdf(sign(id)) == sign_pdf(sign(id))
    assert par_pdf(sheet(id)) == par_pdf(sheet(id))
    assert par_html(sheet(id)) == par_html(sheet(id))
    assert b"CreationDate" not in par_pdf(sheet(id))


def test_a_date_is_printed_only_where_it_is_given() -> None:
    dated = sheet(FLORIDA, date="2026-01-31")
    assert "2026-01-31" in par_html(dated)
    assert "2026-01-31" in text_of(par_pdf(dated))
    assert '<th scope="row">Date</th>' not in par_html(sheet(FLORIDA))


def test_charts_show_the_distribution_and_the_break_even() -> None:
    root = parsed(par_html(sheet(SINGAPORE, full=True)))
    titles = [said(t) for t in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "House edge of each wager"
    assert "Progressive Jackpot: expected value against the meter" in titles
    assert sum("how likely each net result is" in title for title in titles) == 3
