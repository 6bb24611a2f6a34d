//! What the tests of the samplers' laws need of `deniable-verify`, compiled a second time from where it is: without mechanisms, columns and files, so that a changed sampler is built and tried in seconds. `verify mutants` does so a thousand times.
#![forbid(unsafe_code)]

#[path = "../../../crates/deniable-audit/src/closed_form.rs"]
pub mod closed_form;
#[path = "../../../crates/deniable-audit/src/interval.rs"]
pub mod interval;
#[path = "../../../crates/deniable-audit/src/law.rs"]
pub mod law;

#[path = "../../src/bisect.rs"]
pub mod bisect;
#[path = "../../src/digits.rs"]
pub mod digits;
#[path = "../../src/draws.rs"]
pub mod draws;
#[path = "../../src/enumerate.rs"]
pub mod enumerate;
#[path = "../../src/flips.rs"]
pub mod flips;
#[path = "../../src/inversion.rs"]
pub mod inversion;
#[path = "../../src/mini.rs"]
pub mod mini;
#[path = "../../src/words.rs"]
pub mod words;
