//! The exact audit of the local mechanisms, and the mistakes it finds. `verify audit` runs it in full.

use deniable_verify::audit::exact::Tally;
use deniable_verify::audit::local::{bitvec, boolean, categorical};

/// Nothing is found, in as much as there should be.
fn is_clean(tally: &Tally, cases: u64, pairs: u64) {
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.cases >= cases && tally.pairs >= pairs, "{tally}");
    assert!(tally.widest_slack_ulps <= 1.0, "{tally}");
}

#[test]
fn the_boolean_mechanism_is_private() {
    is_clean(&boolean::audit(false), 4_000, 4_000);
}

#[test]
fn the_categorical_mechanism_is_private() {
    is_clean(&categorical::audit(false), 5_000, 5_000);
}

#[test]
fn the_bit_vector_mechanism_is_private() {
    is_clean(&bitvec::audit(false), 50_000, 25_000);
}

mod planted;
