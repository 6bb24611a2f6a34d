"""Deniable answers, reliable statistics: differential privacy whose epsilon is true.

Local privacy: a mechanism randomizes each person's answer, so that everybody can deny theirs, and an
estimate over many people still comes out, with an honest interval.

>>> import deniable
>>> smokes = deniable.make_randomized_response_bool(epsilon=1.0)
>>> reports = smokes.randomize([True, False, False, True])
>>> len(smokes.estimate(reports))
1

Central privacy: exact Laplace noise on numbers about everybody.

>>> noise = deniable.make_vector_integer_laplace_cks20(epsilon=0.5, sensitivity=1)
>>> len(noise.invoke([120, 40, 3]))
3

Surveys: the file of the command `deniable` on data frames, see `Survey`.
"""

from ._deniable import (
    Counts,
    Measurement,
    RapporClient,
    RapporCounts,
    RapporParams,
    Survey,
    SurveyCounts,
    __version__,
    make_local_hashing,
    make_randomized_response,
    make_randomized_response_bitvec,
    make_randomized_response_bool,
    make_scalar_float_laplace_cks20,
    make_scalar_integer_laplace_cks20,
    make_subset_selection,
    make_unary_encoding,
    make_vector_float_laplace_cks20,
    make_vector_integer_laplace_cks20,
    rappor_decode,
)
from ._debias import (
    debias_randomized_response,
    debias_randomized_response_bitvec,
    debias_randomized_response_bool,
)
from ._results import Estimates, SurveyEstimates

__all__ = [
    "Counts",
    "Estimates",
    "Measurement",
    "RapporClient",
    "RapporCounts",
    "RapporParams",
    "Survey",
    "SurveyCounts",
    "SurveyEstimates",
    "debias_randomized_response",
    "debias_randomized_response_bitvec",
    "debias_randomized_response_bool",
    "make_local_hashing",
    "make_randomized_response",
    "make_randomized_response_bitvec",
    "make_randomized_response_bool",
    "make_scalar_float_laplace_cks20",
    "make_scalar_integer_laplace_cks20",
    "make_subset_selection",
    "make_unary_encoding",
    "make_vector_float_laplace_cks20",
    "make_vector_integer_laplace_cks20",
    "rappor_decode",
]
