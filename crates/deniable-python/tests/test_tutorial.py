"""The tutorial runs as it is written, and what it finds is true."""

import runpy
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parent.parent / "examples" / "tutorial.py"


def test_tutorial(tmp_path, monkeypatch):
    picture = tmp_path / "tutorial.png"
    monkeypatch.setattr(sys, "argv", [str(TUTORIAL), str(picture)])
    monkeypatch.setenv("MPLBACKEND", "agg")
    said = runpy.run_path(str(TUTORIAL))
    assert picture.read_bytes().startswith(b"\x89PNG")
    answers, found = said["answers"], said["found"]
    truth = {"smokes": [answers["smokes"].mean()]}
    truth["commute"] = [(answers["commute"] == value).mean() for value in found["commute"]["value"]]
    # The respondents are the people here: only the noise is between both. 8 errors are exceeded once in 10^15.
    for name, shares in truth.items():
        errors = found[name]["standard_error"]
        for share, estimate, error in zip(shares, found[name]["share"], errors):
            assert abs(share - estimate) < 8 * error
    hours = found["hours"]
    assert abs(answers["hours"].mean() - hours["mean"][0]) < 8 * hours["standard_error"][0]
