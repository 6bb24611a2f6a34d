"""The known answers in `vectors/mechanism`, which every surface replays, bit for bit."""

import json
import math
import struct
from pathlib import Path

import deniable
import numpy as np
import pytest

FOLDER = Path(__file__).parents[3] / "vectors" / "mechanism"
TYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32"}


def lines(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def same(found, known):
    """Whether a float is the known one, bit for bit. JSON has no infinite one."""
    return struct.pack("<d", found) == struct.pack("<d", math.inf if known == "inf" else known)


def make(spec):
    """The mechanism, by its constructor and keyword arguments."""
    arguments = {name: value for name, value in spec.items() if name not in ("mechanism", "number")}
    if "number" in spec:
        arguments["dtype"] = TYPES[spec["number"]]
    if arguments.get("bounds"):
        arguments["bounds"] = tuple(arguments["bounds"])
    return getattr(deniable, f"make_{spec['mechanism']}")(**arguments)


def check_map(line, make):
    """Both ways to a mechanism lead to the known one, and to its loss."""
    mechanism = make(line["spec"])
    assert mechanism == deniable.Measurement.from_json(json.dumps(line["spec"]))
    for name, value in line["spec"].items():
        assert value is None or mechanism.parameters[name] == value
        assert value is not None or name == "k" or mechanism.parameters[name] is None
    assert same(mechanism.map(line["d_in"]), line["epsilon"])
    if line["epsilon"] != "inf":
        assert mechanism.check(line["d_in"], line["epsilon"])


def check_estimate(line):
    counts = deniable.Counts.from_json(json.dumps(line["counts"]))
    assert json.loads(counts.to_json()) == line["counts"]
    mechanism = deniable.Measurement.from_json(json.dumps(line["counts"]["mechanism"]))
    found = mechanism.estimate(counts, confidence=line["confidence"], target=line["target"])
    check_columns(found, line["found"])


def check_columns(found, known):
    for name, column in known.items():
        assert len(found[name]) == len(column)
        for value, known_value in zip(found[name], column):
            assert value is known_value or same(value, known_value), name


def check_rappor(line):
    params = deniable.RapporParams(**line["params"])
    if "bits" in line:
        assert params.bits_of(line["cohort"], line["value"]) == line["bits"]
    elif "candidates" in line:
        reports = [(cohort, bytes.fromhex(digits)) for cohort, digits in line["reports"]]
        counts = deniable.RapporCounts(params, reports)
        found = deniable.rappor_decode(params, counts, line["candidates"])
        assert found["value"] == line["candidates"]
        check_columns(found, line["found"])
        assert all(same(found.fit[name], value) for name, value in line["fit"].items())
    else:
        assert same(params.epsilon_of_report, line["epsilon_of_report"])
        assert same(params.epsilon_of_all_reports, line["epsilon_of_all_reports"])


def test_maps():
    known = lines("maps")
    assert len(known) >= 500
    assert len({line["spec"]["mechanism"] for line in known}) == 10
    for line in known:
        check_map(line, make)


def test_refusals_have_the_message_of_the_library():
    for line in lines("refused"):
        for refused in (lambda spec: deniable.Measurement.from_json(json.dumps(spec)), make):
            with pytest.raises(ValueError) as refusal:
                refused(line["spec"])
            assert str(refusal.value) == line["message"]


def test_estimates():
    for line in lines("estimates"):
        check_estimate(line)


def test_rappor():
    for line in lines("rappor"):
        check_rappor(line)


def truncated(spec):
    """Floats of 64 bits go through 32."""
    short = {
        name: float(np.float32(value)) if isinstance(value, float) else value
        for name, value in spec.items()
    }
    return make(short)


def swapped(first, second):
    def make_swapped(spec):
        if first in spec and second in spec:
            return make({**spec, first: spec[second], second: spec[first]})
        return make(spec)

    return make_swapped


def with_bounds_swapped(spec):
    if spec.get("bounds"):
        return make({**spec, "bounds": spec["bounds"][::-1]})
    return make(spec)


def without_bounds(spec):
    return make({**spec, "bounds": None} if "bounds" in spec else spec)


def with_size_one_less(spec):
    return make({**spec, "size": spec["size"] - 1} if spec.get("size") else spec)


PLANTED = {
    "a truncated float": truncated,
    "one and zero swapped": swapped("one", "zero"),
    "length and max_weight swapped": swapped("length", "max_weight"),
    "size and prob swapped": swapped("size", "prob"),
    "buckets and prob swapped": swapped("buckets", "prob"),
    "low and high swapped": with_bounds_swapped,
    "bounds lost": without_bounds,
    "size one less": with_size_one_less,
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_error_of_a_constructor_is_found(planted):
    """The check that passes on the real constructors fails on each of these."""

    def is_found(line):
        try:
            check_map(line, planted)
        except (AssertionError, ValueError, TypeError):
            return True
        return False

    assert any(map(is_found, lines("maps")))


def test_a_planted_change_of_an_answer_is_found():
    one = next(line for line in lines("maps") if line["epsilon"] not in (0.0, "inf"))
    with pytest.raises(AssertionError):
        check_map({**one, "epsilon": math.nextafter(one["epsilon"], math.inf)}, make)
    one = lines("estimates")[8]
    for column in ("low", "share", "p_value", "standard_error"):
        known = {**one["found"], column: [math.nextafter(one["found"][column][0], math.inf)]}
        with pytest.raises(AssertionError):
            check_estimate({**one, "found": known})
    last = lines("rappor")[-1]
    with pytest.raises(AssertionError):
        check_rappor({**last, "reports": last["reports"][1:]})
