"""What `croupier ledger win` prints: sums to the cent, rounded."""

from typing import Any

import pytest

from croupier.cli.ledger_win import print_wins


def test_expected_wins_are_rounded_to_the_cent(capsys: pytest.CaptureFixture[str]) -> None:
    """Pair Plus of Maryland keeps 1,012 of 22,100: 7.3267 dollars of 160."""
    theory = {"win": "140.00", "expected": "7.3267", "standard_error": "105.9449", "z": 1.25}
    row: dict[str, Any] = {
        **{"label": "Pair Plus", "handle": "160.00", "win": "140.00", "fees": "0.00"},
        **{"theory": {**theory, "says": ""}, "left_out": [], "void": 0, "rounds_bounded": 0},
    }
    print_wins({"by": "wager", "rows": [row], "all": row, "awards_rejected": "0.000000"})
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split()[-3:] == ["7.33", "105.94", "+1.25"]
