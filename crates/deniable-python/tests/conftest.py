"""What the tests share: mechanisms that leave nothing to chance, and what is in a column of any kind."""

import deniable

# Another category than the answer is reported once in 10^16 answers. The tests have fewer than 10^7 of them, so that
# they fail once in 10^9 runs.
ALMOST_ONE = 0.9999999999999999

TEXTS = ["tea", "coffee", "ü", "hot chocolate"]
INTEGERS = [7, 3, 100]


def certain():
    """Mechanisms whose reports are the answers, by what answers are."""
    return {
        "truth": deniable.make_randomized_response_bool(prob=1.0),
        "texts": deniable.make_randomized_response(TEXTS, ALMOST_ONE),
        "integers": deniable.make_randomized_response(INTEGERS, ALMOST_ONE),
        "bits": deniable.make_randomized_response_bitvec(length=11, max_weight=11, f=1e-300),
        "float64": deniable.make_scalar_float_laplace_cks20(scale=0.0),
        "float32": deniable.make_scalar_float_laplace_cks20(scale=0.0, dtype="float32"),
        "int64": deniable.make_scalar_integer_laplace_cks20(scale=0.0),
        "int32": deniable.make_scalar_integer_laplace_cks20(scale=0.0, dtype="int32"),
        "float64 vector": deniable.make_vector_float_laplace_cks20(scale=0.0),
        "float32 vector": deniable.make_vector_float_laplace_cks20(scale=0.0, dtype="float32"),
        "int64 vector": deniable.make_vector_integer_laplace_cks20(scale=0.0),
        "int32 vector": deniable.make_vector_integer_laplace_cks20(scale=0.0, dtype="int32"),
    }


def plain(column):
    """What is in a column of any kind, as a list."""
    if isinstance(column, (list, tuple)):
        return list(column)
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return getattr(column, name)()
    raise TypeError(type(column))
