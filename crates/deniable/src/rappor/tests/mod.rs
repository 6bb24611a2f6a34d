//! Known answers are from programs in another language, with nothing in common but the formulas.

mod client;
mod counts;
mod params;
mod plan;
mod reference;
