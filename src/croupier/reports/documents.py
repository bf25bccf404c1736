"""The sign and the PAR sheet, each as HTML or PDF."""

from dataclasses import asdict
from typing import Any

from croupier.reports.charts import edges_chart, meter_chart, spread_chart
from croupier.reports.layout import MARGIN_MM, PAGE_TYPE, PRINT_TYPE, layout_of
from croupier.reports.par import CONFIDENCE, Par
from croupier.reports.pdf import pdf
from croupier.reports.render import html
from croupier.reports.sign import Sign
from croupier.svg import SANS

PRINT_FONT = "Libertinus Serif"
"""The font that ships with Typst, for text inside charts."""


def sign_html(sign: Sign, *, paper: str = "a4") -> str:
    """Return a sign as a page that prints on one sheet."""
    layout = layout_of(sign, paper=paper, type=PAGE_TYPE)
    return html("sign", sign=sign, layout=layout, margin_mm=MARGIN_MM)


def sign_pdf(sign: Sign, *, paper: str = "a4") -> bytes:
    """Return a sign as a PDF of one sheet."""
    layout = asdict(layout_of(sign, paper=paper, type=PRINT_TYPE))
    return pdf("sign", {"sign": sign.as_json(), "margin_mm": MARGIN_MM, **layout})


def par_html(par: Par, *, paper: str = "a4") -> str:
    """Return a PAR sheet as one HTML page that prints on several sheets."""
    return html("par", par=par, paper=paper, confidence=CONFIDENCE, **_charts(par, SANS))


def par_pdf(par: Par, *, paper: str = "a4") -> bytes:
    data = {"par": par.as_json(), "paper": paper, "confidence": CONFIDENCE}
    return pdf("par", {**data, **_plain(_charts(par, PRINT_FONT))})


def _charts(par: Par, font: str) -> dict[str, Any]:
    return {
        "edges": edges_chart(par, font=font),
        "spreads": [spread_chart(wager, font=font) for wager in par.wagers],
        "evens": [meter_chart(wager, font=font) for wager in par.wagers],
    }


def _plain(charts: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [one and asdict(one) for one in chart] if isinstance(chart, list) else asdict(chart)
        for name, chart in charts.items()
    }
