//! Mechanisms written as JSON.
#![no_main]

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray,
};
use deniable::Spec;
use deniable_arrow::Mechanism;
use deniable_arrow::mechanism::{Distance, MOST_VALUES};
use deniable_fuzz::mechanism::check_loss;
use deniable_fuzz::planted;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &[u8]| {
    planted::declared_length(json);
    let Ok(spec) = serde_json::from_slice::<Spec>(json) else { return };
    let written = planted::written(serde_json::to_string(&spec).expect("plain data"));
    let back: Spec = serde_json::from_str(&written).expect("what was written");
    assert_eq!(back, spec, "read back as another");
    let checked = spec.check();
    // Of columns no row is of nothing, nor without end.
    let is_counted = match spec {
        Spec::RandomizedResponseBitvec { length, .. } => (1..=MOST_VALUES).contains(&length),
        _ => true,
    };
    let made = Mechanism::try_from(spec);
    assert_eq!(checked.is_ok() && is_counted, made.is_ok(), "one says yes and one no");
    let Ok(mechanism) = made else { return };
    let own = mechanism.spec();
    assert_eq!(Mechanism::try_from(own.clone()).expect("its own").spec(), own, "another one");
    for d_in in [Distance::Whole(0), Distance::Whole(1), Distance::Float(0.0), Distance::Float(1.5)]
    {
        if let Ok(loss) = mechanism.map(d_in) {
            check_loss(loss.get());
        }
    }
    if let Some(loss) = mechanism.epsilon() {
        check_loss(loss.get());
    }
    for answers in columns() {
        // Of any type; what comes of it are as many reports, of this mechanism.
        let Ok(reports) = mechanism.randomize(&answers, None) else { continue };
        assert_eq!(reports.len(), answers.len(), "not a report for each answer");
        let counted = mechanism.count(&reports, &mut mechanism.counts());
        // Of floats there are some that are too large for sums of squares.
        let is_float = matches!(mechanism, Mechanism::F32(_) | Mechanism::F64(_));
        assert!(counted.is_ok() || is_float, "its own reports are refused");
    }
});

fn columns() -> [ArrayRef; 6] {
    [
        Arc::new(BooleanArray::from(vec![true, false])),
        Arc::new(StringArray::from(vec!["yes", "no"])),
        Arc::new(Int64Array::from(vec![1, -1])),
        Arc::new(Int32Array::from(vec![1, -1])),
        Arc::new(Float64Array::from(vec![1.5, -1.5])),
        Arc::new(BinaryArray::from(vec![&b"\x01"[..], b"\x00"])),
    ]
}
