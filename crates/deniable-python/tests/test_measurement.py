"""A mechanism as an object: how it is made, what it says of itself, how it is kept."""

import copy
import json
import math
import pickle

import numpy
import pytest

import deniable
from deniable import *  # noqa: F403  What `repr` writes is evaluated with these names.

DRINKS = ["tea", "coffee", "water"]

# Each constructor, with its own parameters: those that `parameters` has to have.
MADE = {
    "randomized_response_bool": dict(prob=0.75, constant_time=True),
    "randomized_response": dict(categories=DRINKS, prob=0.8),
    "unary_encoding": dict(categories=DRINKS, one=0.5, zero=0.125),
    "subset_selection": dict(categories=[5, -7, 9], size=2, prob=0.9),
    "local_hashing": dict(categories=[2**63 - 1, -(2**63)], buckets=3, prob=0.7),
    "randomized_response_bitvec": dict(length=70, max_weight=2, f=0.5, constant_time=True),
    "scalar_float_laplace_cks20": dict(scale=2.0, bounds=(0.0, 120.0), k=-3, dtype="float32"),
    "vector_float_laplace_cks20": dict(scale=2.0, bounds=(-1.5, 1.5), size=3, k=-10),
    "scalar_integer_laplace_cks20": dict(scale=2.0, bounds=(-5, 2**40)),
    "vector_integer_laplace_cks20": dict(scale=2.0, bounds=(-5, 5), size=3, dtype="int32", constant_time=True),
}


def make(name, **parameters):
    return getattr(deniable, f"make_{name}")(**parameters)


def all_made():
    return [make(name, **parameters) for name, parameters in MADE.items()]


def test_every_constructor_is_here():
    public = {name.removeprefix("make_") for name in deniable.__all__ if name.startswith("make_")}
    assert public == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_parameters_arrive_where_they_belong(name):
    given = dict(MADE[name])
    found = make(name, **given).parameters
    assert found.pop("mechanism") == name
    if name.endswith("cks20"):
        dtype = given.pop("dtype", "int64" if "integer" in name else "float64")
        assert found.pop("number") == {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32"}[dtype]
        given["bounds"] = list(given["bounds"])
    assert found == given


@pytest.mark.parametrize("name", MADE)
def test_parameters_by_position(name):
    """In the order of the specification, where a position is a matter of course."""
    given = dict(MADE[name])
    by_position = {
        "randomized_response_bool": ["prob"],
        "randomized_response": ["categories", "prob"],
        "unary_encoding": ["categories", "one", "zero"],
        "subset_selection": ["categories", "size", "prob"],
        "local_hashing": ["categories", "buckets", "prob"],
        "randomized_response_bitvec": ["length", "max_weight", "f"],
    }.get(name, ["scale"])
    positions = [given.pop(key) for key in by_position]
    assert getattr(deniable, f"make_{name}")(*positions, **given) == make(name, **MADE[name])


# What is to be kept, and how it is asked for. Where a loss cannot be reached, a parameter ends at what a float can be.
BUDGETS = [
    ("randomized_response_bool", {}, 1),
    ("randomized_response", dict(categories=DRINKS), 1),
    ("randomized_response", dict(categories=range(1000)), 1),
    ("unary_encoding", dict(categories=DRINKS), 1),
    ("subset_selection", dict(categories=range(100)), 1),
    ("local_hashing", dict(categories=range(1000)), 1),
    ("randomized_response_bitvec", dict(length=16, max_weight=3), 1),
    ("scalar_float_laplace_cks20", dict(sensitivity=3.0), 3.0),
    ("scalar_float_laplace_cks20", dict(bounds=(0.1, 120)), 119.9),
    ("scalar_float_laplace_cks20", dict(sensitivity=3.0, dtype="float32"), 3.0),
    ("scalar_float_laplace_cks20", dict(sensitivity=3.0, k=-5), 3.0),
    ("vector_float_laplace_cks20", dict(sensitivity=0.7), 0.7),
    ("vector_float_laplace_cks20", dict(sensitivity=0.7, size=10, k=-20), 0.7),
    ("vector_float_laplace_cks20", dict(sensitivity=0.75, size=10, dtype="float32"), 0.75),
    ("scalar_integer_laplace_cks20", dict(sensitivity=3), 3),
    ("scalar_integer_laplace_cks20", dict(bounds=(-5, 5)), 10),
    ("vector_integer_laplace_cks20", dict(sensitivity=1), 1),
    ("vector_integer_laplace_cks20", dict(sensitivity=7, size=3, dtype="int32"), 7),
]


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("name, parameters, d_in", BUDGETS)
def test_a_budget_is_kept_and_used(name, parameters, d_in, epsilon):
    mechanism = make(name, epsilon=epsilon, **parameters)
    assert mechanism.map(d_in) <= epsilon
    assert mechanism.check(d_in, epsilon)
    coarse = 1e-3 if "float32" in parameters.values() else 1e-6
    assert mechanism.map(d_in) >= epsilon * (1 - coarse)


def test_map_is_what_a_distance_loses():
    for mechanism in all_made():
        assert mechanism.map(0) == 0.0
    answers = make_randomized_response_bool(0.75)
    assert math.log(3) <= answers.map(1) <= math.log(3) * (1 + 1e-15)
    # Any two answers are 1 apart.
    assert answers.map(1) == answers.map(2) == answers.map(2**64) == answers.map(10**400)
    assert answers.map(numpy.int64(1)) == answers.map(numpy.uint8(1)) == answers.map(1)

    floats = make_vector_float_laplace_cks20(scale=2.0)
    assert floats.map(1) == floats.map(1.0) == floats.map(numpy.float32(1.0)) == 0.5
    assert floats.map(10**400) == floats.map(math.inf) == math.inf
    assert make_scalar_integer_laplace_cks20(scale=2.0).map(3) == 1.5
    # One of 2^53 + 1 is no float: it is rounded up.
    assert floats.map(2**53 + 1) == 2.0**52 + 1


def test_map_refuses_what_is_no_distance():
    for mechanism in all_made():
        for bad in (-1, -(10**400)):
            with pytest.raises(ValueError, match="d_in: it is negative; accepted is"):
                mechanism.map(bad)
        for bad in (True, "1", None, [1], 1j, numpy.bool_(True)):
            with pytest.raises(TypeError, match="accepted is a number from 0"):
                mechanism.map(bad)
        with pytest.raises(ValueError, match="d_in: .*accepted is"):
            mechanism.map(math.nan)
    for whole in (make_randomized_response_bool(0.75), make_scalar_integer_laplace_cks20(1.0)):
        with pytest.raises(ValueError, match="d_in: it is no whole number"):
            whole.map(1.0)
    with pytest.raises(ValueError, match="d_in: it is too large"):
        make_scalar_integer_laplace_cks20(1.0).map(2**64)


def test_check_is_exact():
    for mechanism in all_made():
        loss = mechanism.map(1)
        assert mechanism.check(1, loss)
        assert not mechanism.check(1, math.nextafter(loss, 0))
    for bad in (-1.0, math.nan):
        with pytest.raises(ValueError, match="invalid epsilon: .*accepted is"):
            make_randomized_response_bool(0.75).check(1, bad)


def test_epsilon_is_that_of_any_two_inputs():
    assert make_randomized_response_bool(0.75).epsilon == make_randomized_response_bool(0.75).map(1)
    assert make_scalar_float_laplace_cks20(60.0, bounds=(0, 120)).epsilon == 2.0
    assert make_vector_integer_laplace_cks20(10.0, bounds=(-5, 5), size=3).epsilon == 3.0
    for endless in (
        make_scalar_float_laplace_cks20(1.0),
        make_vector_float_laplace_cks20(1.0, bounds=(0, 1)),
        make_vector_integer_laplace_cks20(1.0, size=3),
    ):
        with pytest.raises(ValueError, match="accepted is map"):
            endless.epsilon


def test_categories():
    assert make_randomized_response(iter(DRINKS), 0.8).categories == DRINKS
    assert make_subset_selection((5, -7, 9), 2, 0.9).categories == [5, -7, 9]
    assert make_unary_encoding(numpy.array(["a", "bc"]), 0.5, 0.1).categories == ["a", "bc"]
    assert make_local_hashing(numpy.array([1, 255], "u1"), 3, 0.7).categories == [1, 255]
    assert make_randomized_response_bool(0.75).categories is None
    assert make_scalar_float_laplace_cks20(1.0).categories is None
    # A copy: changing it changes nothing.
    drink = make_randomized_response(DRINKS, 0.8)
    drink.categories.append("wine")
    drink.parameters["prob"] = 0.1
    assert drink.categories == DRINKS and drink.parameters["prob"] == 0.8


ODD = [0.1 + 0.2, 2 / 3, 0.7000000000000001, 0.5000000000000001, 0.9999999999999999, 1 / 1.9999999999999998]


def awkward():
    """Parameters that need all digits, and texts that need care."""
    yield from all_made()
    yield from (make_randomized_response_bool(prob) for prob in ODD[1:])
    yield from (make_scalar_float_laplace_cks20(scale) for scale in [*ODD, 5e-324, 1.7976931348623157e308])
    yield make_scalar_float_laplace_cks20(0.0, bounds=(-0.1, 0.30000000000000004))
    yield make_randomized_response(["'", '"', "\\", "\n", "\0", "ü", "🍵", ""], 2 / 3)
    yield make_randomized_response([f"{i}'s" for i in range(20)], 2 / 3)


def test_repr_makes_it_again():
    for mechanism in awkward():
        again = eval(repr(mechanism))
        assert again == mechanism and repr(again) == repr(mechanism)
    assert repr(make_randomized_response(DRINKS, 0.8)) == (
        "make_randomized_response(categories=['tea', 'coffee', 'water'], prob=0.8)"
    )


def test_repr_of_many_categories_is_short():
    assert repr(make_randomized_response(range(21), 0.8)) == (
        "make_randomized_response(categories=[0, 1, 2, … 21 in all], prob=0.8)"
    )


def test_json_and_pickle_make_it_again():
    for mechanism in awkward():
        copies = [Measurement.from_json(mechanism.to_json()), copy.copy(mechanism), copy.deepcopy(mechanism)]
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            copies.append(pickle.loads(pickle.dumps(mechanism, protocol)))
        for again in copies:
            assert again == mechanism and hash(again) == hash(mechanism)
            assert again.to_json() == mechanism.to_json()
            assert again.map(1) == mechanism.map(1)
        assert json.loads(mechanism.to_json()) == mechanism.parameters


def test_floats_survive_to_the_last_digit():
    for prob in ODD[1:]:
        assert make_randomized_response_bool(prob).parameters["prob"] == prob
        assert Measurement.from_json(make_randomized_response_bool(prob).to_json()).parameters["prob"] == prob


def test_json_goes_through_the_constructor():
    text = make_randomized_response_bool(0.75).to_json()
    for bad, message in [
        (text.replace("0.75", "0.25"), "invalid prob: 0.25 is below 0.5"),
        (text.replace("0.75", "1e400"), "invalid text"),
        (text.replace("prob", "porb"), "invalid text"),
        (text.replace("_bool", "_boolean"), "invalid text"),
        (text[:-1] + ',"more":1}', "invalid text"),
        (make_randomized_response_bitvec(8, 8, 0.5).to_json().replace(":8", ":0"), "invalid length"),
        (make_randomized_response_bitvec(8, 8, 0.5).to_json().replace(":8", f":{2**60}"), "invalid length"),
        ("[" * 100_000, "invalid text"),
        ("", "invalid text"),
    ]:
        with pytest.raises(ValueError, match=message):
            Measurement.from_json(bad)


def test_equality():
    made = all_made()
    for i, one in enumerate(made):
        for j, other in enumerate(all_made()):
            assert (one == other) == (i == j) and (one != other) == (i != j)
    assert len({*made, *all_made()}) == len(made)
    assert make_randomized_response_bool(0.75) != make_randomized_response_bool(math.nextafter(0.75, 1))
    assert make_randomized_response_bool(0.75) != make_randomized_response_bool(0.75, constant_time=True)
    assert make_randomized_response(["a", "b"], 0.8) != make_randomized_response(["b", "a"], 0.8)
    assert make_scalar_float_laplace_cks20(1.0) != make_scalar_float_laplace_cks20(1.0, dtype="float32")
    for other in (None, 0.75, "tea", made[0].to_json(), made[0].parameters):
        assert made[0] != other and not made[0] == other
    zero, negative_zero = ((zero, 1.0) for zero in (0.0, -0.0))
    a, b = (make_scalar_float_laplace_cks20(1.0, bounds=bounds) for bounds in (zero, negative_zero))
    assert a != b or hash(a) == hash(b)


def test_it_cannot_be_changed_or_made_by_hand():
    mechanism = make_randomized_response_bool(0.75)
    with pytest.raises(AttributeError):
        mechanism.epsilon = 0.0
    with pytest.raises(AttributeError):
        mechanism.anything = 1
    with pytest.raises(TypeError):
        Measurement()


def test_invoke():
    assert make_randomized_response_bool(1.0).invoke(True) is True
    assert make_randomized_response_bool(1.0).invoke(numpy.False_) is False
    assert make_randomized_response_bool(1.0)(True) is True
    drink = make_randomized_response(DRINKS, 0.9999999999999999)
    assert drink.invoke("water") == drink(numpy.str_("water")) == "water"
    assert drink.invoke("wine") in DRINKS and drink.invoke("\ud800") in DRINKS
    number = make_randomized_response([5, -7, 2**63 - 1], 0.9999999999999999)
    assert number.invoke(2**63 - 1) == number(numpy.int64(2**63 - 1)) == 2**63 - 1
    assert number.invoke(numpy.int8(-7)) == -7 and number.invoke(10**400) in number.categories
    bits = make_randomized_response_bitvec(11, 11, 1e-300)
    truth = [True, False, True, True, False, False, False, True, False, False, True]
    assert bits.invoke(truth) == bits.invoke(tuple(truth)) == truth
    assert bits.invoke(b"\x8d\x04") == b"\x8d\x04"
    assert bits.invoke(numpy.array(truth)).tolist() == truth
    assert bits.invoke(numpy.array([0x8D, 4], "u1")).tolist() == [0x8D, 4]
    assert make_unary_encoding(DRINKS, 0.9999999999999999, 1e-300).invoke("water") == b"\x04"
    assert make_subset_selection(DRINKS, 1, 0.9999999999999999).invoke("coffee") == b"\x02"
    assert len(make_local_hashing(DRINKS, epsilon=1.0).invoke("tea")) == len(
        make_local_hashing(DRINKS, epsilon=1.0).randomize(["tea"])[0]
    )
    for dtype in ("float64", "float32"):
        scalar = make_scalar_float_laplace_cks20(0.0, dtype=dtype)
        vector = make_vector_float_laplace_cks20(0.0, dtype=dtype)
        assert [scalar.invoke(x) for x in (1.5, -2, numpy.float32(0.25))] == [1.5, -2.0, 0.25]
        assert vector.invoke([1.5, -2]) == vector.invoke((1.5, -2)) == [1.5, -2.0]
        assert vector.invoke(numpy.array([1.5, -2], dtype)).tolist() == [1.5, -2.0]
    for dtype, most in (("int64", 2**63 - 1), ("int32", 2**31 - 1)):
        scalar = make_scalar_integer_laplace_cks20(0.0, dtype=dtype)
        vector = make_vector_integer_laplace_cks20(0.0, dtype=dtype)
        assert [scalar.invoke(x) for x in (most, -most - 1, numpy.int8(3))] == [most, -most - 1, 3]
        assert vector.invoke([most, -most - 1]) == [most, -most - 1]
        with pytest.raises(ValueError, match=f"accepted is integers of {dtype[3:]} bits"):
            scalar.invoke(most + 1)


# The messages are those of the Rust library, for the same parameters.
REFUSED = [
    (lambda: make_randomized_response_bool(0.25), "invalid prob: 0.25 is below 0.5; accepted is a number from 0.5 to 1"),
    (lambda: make_randomized_response_bool(1.5), "invalid prob: 1.5 is above 1; accepted is a number from 0.5 to 1"),
    (lambda: make_randomized_response_bool(math.nan), "invalid prob: it is not a number; accepted is a number from 0.5 to 1"),
    (lambda: make_randomized_response_bool(epsilon=-1.0), "invalid epsilon: it is negative; accepted is a number of at least 0"),
    (lambda: make_randomized_response_bool(epsilon=math.nan), "invalid epsilon: it is not a number; accepted is a number of at least 0"),
    (lambda: make_randomized_response([], 0.5), "invalid categories: there are no categories; accepted is two or more categories"),
    (lambda: make_randomized_response(["a"], 0.5), "invalid categories: there is only one category; accepted is two or more categories"),
    (lambda: make_randomized_response(["a", "b", "a"], 0.5), "invalid categories: number 3 is equal to number 1; accepted is distinct categories"),
    (lambda: make_randomized_response(["a", "b"], 0.25), "invalid prob: 0.25 is below 1/2; accepted is a number from 1/2 to below 1"),
    (lambda: make_randomized_response(["a", "b"], 1.0), "invalid prob: 1 is not below 1; accepted is a number from 1/2 to below 1"),
    (lambda: make_unary_encoding(["a", "b"], 0.5, 0.6), "invalid zero: 0.6 is not below one, which is 0.5; accepted is a number above 0 and below one"),
    (lambda: make_unary_encoding(["a", "b"], 1.5, 0.1), "invalid one: 1.5 is not below 1; accepted is a number above 0 and below 1"),
    (lambda: make_subset_selection([1, 2, 3], 3, 0.5), "invalid size: 3 is not below 3; accepted is an integer from 1 to 2"),
    (lambda: make_subset_selection([1, 2, 3], 1, 0.1), "invalid prob: 0.1 is below 1/3; accepted is a number from 1/3 to below 1"),
    (lambda: make_local_hashing([1, 2], 1, 0.5), "invalid buckets: 1 is below 2; accepted is an integer from 2 to 65536"),
    (lambda: make_local_hashing([1, 2], 4, 0.1), "invalid prob: 0.1 is below 1/4; accepted is a number from 1/4 to below 1"),
    (lambda: make_randomized_response_bitvec(3, 3, 0.0), "invalid f: 0 is not above 0; accepted is a number above 0, up to 1"),
    (lambda: make_randomized_response_bitvec(3, 3, 1.5), "invalid f: 1.5 is above 1; accepted is a number above 0, up to 1"),
    (lambda: make_scalar_float_laplace_cks20(-1.0), "invalid scale: -1.0 is negative or not finite; accepted is a finite number of at least 0"),
    (lambda: make_scalar_float_laplace_cks20(1.0, bounds=(1, 0)), "invalid lower: 1.0 is above upper, which is 0.0; accepted is a number up to upper"),
    (lambda: make_scalar_float_laplace_cks20(0.1, dtype="float32"), "invalid scale: 0.1 is no number of this type of floats; accepted is a finite number of the type, such as 0.10000000149011612"),
    (lambda: make_scalar_float_laplace_cks20(1.0, k=5000), "invalid k: 2^5000 is beyond the type's range; accepted is an integer up to 1023"),
    (lambda: make_vector_float_laplace_cks20(math.inf), "invalid scale: it is not finite; accepted is a finite number of the type"),
    (lambda: make_scalar_integer_laplace_cks20(-1.0), "invalid scale: -1.0 is negative or not finite; accepted is a finite number of at least 0"),
    (lambda: make_scalar_integer_laplace_cks20(1.0, bounds=(5, 1)), "invalid lower: 5 is above upper, which is 1; accepted is a number up to upper"),
    (lambda: make_scalar_integer_laplace_cks20(1.0, bounds=(0, 2**40), dtype="int32"), "invalid upper: 1099511627776 is beyond the type's range; accepted is a number of the type"),
    (lambda: make_scalar_integer_laplace_cks20(epsilon=0, sensitivity=1), "invalid epsilon: no finite scale stays within 0; accepted is a larger loss"),
]


@pytest.mark.parametrize("make_it, message", REFUSED, ids=[message.split(";")[0] for _, message in REFUSED])
def test_what_the_constructor_refuses(make_it, message):
    with pytest.raises(ValueError) as refusal:
        make_it()
    assert str(refusal.value) == message


# What only Python's constructors can be asked for.
OWN = [
    (lambda: make_randomized_response_bool(), ValueError, "prob"),
    (lambda: make_randomized_response_bool(0.75, epsilon=1.0), ValueError, "prob"),
    (lambda: make_unary_encoding(DRINKS, 0.5), ValueError, "epsilon"),
    (lambda: make_unary_encoding(DRINKS, zero=0.5), ValueError, "epsilon"),
    (lambda: make_subset_selection(DRINKS, 1), ValueError, "epsilon"),
    (lambda: make_subset_selection(DRINKS, 1, epsilon=1.0), ValueError, "epsilon"),
    (lambda: make_subset_selection(DRINKS, -1, 0.5), ValueError, "size"),
    (lambda: make_subset_selection(DRINKS, 1.0, 0.5), TypeError, "size"),
    (lambda: make_local_hashing(DRINKS, 2**64, 0.5), ValueError, "buckets"),
    (lambda: make_randomized_response_bitvec(0, 0, 0.5), ValueError, "length"),
    (lambda: make_randomized_response_bitvec(2**24 + 1, 1, 0.5), ValueError, "length"),
    (lambda: make_randomized_response_bitvec(3, -1, 0.5), ValueError, "max_weight"),
    (lambda: make_randomized_response_bitvec("3", 1, 0.5), TypeError, "length"),
    (lambda: make_randomized_response("ab", 0.5), TypeError, "texts"),
    (lambda: make_randomized_response(b"ab", 0.5), TypeError, "texts"),
    (lambda: make_randomized_response(["a", 1], 0.5), TypeError, "texts"),
    (lambda: make_randomized_response([True, False], 0.5), TypeError, "make_randomized_response_bool"),
    (lambda: make_randomized_response([2**63, 1], 0.5), ValueError, "categories"),
    (lambda: make_randomized_response(["\ud800", "a"], 0.5), ValueError, "categories"),
    (lambda: make_randomized_response(range(2**24 + 1), 0.5), ValueError, "categories"),
    (lambda: make_scalar_float_laplace_cks20(epsilon=1.0), ValueError, "sensitivity"),
    (lambda: make_scalar_float_laplace_cks20(epsilon=1.0, sensitivity=-1), ValueError, "sensitivity"),
    (lambda: make_scalar_float_laplace_cks20(epsilon=1.0, sensitivity=math.nan), ValueError, "sensitivity"),
    (lambda: make_scalar_float_laplace_cks20(epsilon=1.0, bounds=(1, 0)), ValueError, "bounds"),
    (lambda: make_scalar_float_laplace_cks20(epsilon=1.0, bounds=(math.nan, 0)), ValueError, "bounds"),
    (lambda: make_scalar_float_laplace_cks20(epsilon=1.0, bounds=(0, math.inf)), ValueError, "bounds"),
    (lambda: make_scalar_float_laplace_cks20(1.0, dtype="int64"), ValueError, "dtype"),
    (lambda: make_scalar_integer_laplace_cks20(1.0, dtype="float64"), ValueError, "dtype"),
    (lambda: make_scalar_integer_laplace_cks20(epsilon=1.0, sensitivity=-1), ValueError, "sensitivity"),
    (lambda: make_scalar_integer_laplace_cks20(epsilon=1.0, sensitivity=1.5), TypeError, "sensitivity"),
    (lambda: make_vector_integer_laplace_cks20(1.0, size=-1), ValueError, "size"),
]


@pytest.mark.parametrize("make_it, error, parameter", OWN)
def test_what_is_refused_says_which_and_what_is_accepted(make_it, error, parameter):
    with pytest.raises(error) as refusal:
        make_it()
    assert parameter in str(refusal.value) and "accepted is" in str(refusal.value)
    assert refusal.value.__cause__ is None
