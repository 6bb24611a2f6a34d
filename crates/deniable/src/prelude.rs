//! What programs that use this crate need: `use deniable::prelude::*;`.

pub use crate::{
    AbsoluteDistance, AtomDomain, BitVector, BitVectorDomain, CategoryDomain, DiscreteDistance,
    Domain, Epsilon, ErrorKind, L1Distance, LocalRandomizer, MaxDivergence, Measurement,
    VectorDomain, get_discretization_consts, laplace_map, make_local_hashing,
    make_randomized_response, make_randomized_response_bitvec, make_randomized_response_bool,
    make_scalar_float_laplace_cks20, make_scalar_integer_laplace_cks20, make_subset_selection,
    make_unary_encoding, make_vector_float_laplace_cks20, make_vector_integer_laplace_cks20,
};
#[cfg(feature = "std")]
pub use crate::{
    debias_randomized_response, debias_randomized_response_bitvec, debias_randomized_response_bool,
};
