//! Mechanisms written as JSON.
#![no_main]

use deniable::Spec;
use deniable_arrow::Mechanism;
use deniable_arrow::mechanism::Distance;
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
    // Columns have none of it.
    let is_noise_in_constant_time = matches!(
        spec,
        Spec::ScalarIntegerLaplaceCks20 { constant_time: true, .. }
            | Spec::VectorIntegerLaplaceCks20 { constant_time: true, .. }
    );
    let made = Mechanism::try_from(spec);
    assert_eq!(
        checked.is_ok() && !is_noise_in_constant_time,
        made.is_ok(),
        "one says yes and one no"
    );
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
});
