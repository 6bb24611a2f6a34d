//! What files of reports and counts are of.

/// A survey with every kind of question. All parameters are stated: it takes no time to read.
pub const SURVEY: &str = r#"version = 1
public = ["region"]
question = [
{ name = "moved", kind = "yes-no", prob = 0.75 },
{ name = "transport", kind = "choice", choices = ["car", "bus", "bike"], mechanism = "randomized-response", prob = 0.5 },
{ name = "colour", kind = "choice", choices = ["red", "blue"], mechanism = "unary-encoding", one = 0.5, zero = 0.25 },
{ name = "drink", kind = "choice", choices = ["tea", "milk"], mechanism = "subset-selection", size = 1, prob = 0.75 },
{ name = "town", kind = "choice", choices = ["Ulm", "Bonn"], mechanism = "local-hashing", buckets = 2, prob = 0.75 },
{ name = "pets", kind = "several", choices = ["cat", "dog", "fish"], most = 2, f = 0.5 },
{ name = "browser", kind = "text", bits = 8, hashes = 1, cohorts = 2, candidates = ["a", "b"], p = 0.25, q = 0.75, f = 0.5 },
{ name = "hours", kind = "number", low = 0, high = 24, scale = 10 },
]
"#;

/// The same with the column of a person's name.
pub fn survey_with_id() -> String {
    SURVEY.replace("public", "id = \"person\"\npublic")
}
