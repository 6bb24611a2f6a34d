//! What a survey file may say, and what is said of one that is wrong.

use super::*;
use crate::ErrorKind;

/// A survey of one question, whose fields begin at line 5.
fn one(fields: &str) -> Result<Survey> {
    Survey::parse(&format!("version = 1\n\n[[question]]\nname = \"q\"\n{fields}\n"))
}

fn described(fields: &str) -> String {
    one(fields).unwrap().questions()[0].kind().described().1
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let choice = "kind = \"choice\"\nchoices = [\"a\", \"b\"]\n";
    for (fields, line, column, message) in [
        ("kind = \"maybe\"", 5, 8, "accepted are \"yes-no\", \"choice\""),
        ("epsilon = 1", 3, 1, "`kind` is missing"),
        ("kind = \"yes-no\"", 3, 1, "there is no budget"),
        ("kind = \"yes-no\"\nepsilon = 1\nprob = 0.75", 6, 11, "there is a budget already"),
        ("kind = \"yes-no\"\nepsilon = 0", 6, 11, "a finite number above 0"),
        ("kind = \"yes-no\"\nepsilon = inf", 6, 11, "a finite number above 0"),
        ("kind = \"yes-no\"\nepsilon = \"one\"", 6, 11, "`epsilon` is not a number"),
        ("kind = \"yes-no\"\nprob = 7.0", 6, 8, "invalid prob"),
        ("kind = \"yes-no\"\nprob = 0.5", 6, 8, "invalid prob"),
        ("kind = \"yes-no\"\nepsilon = 1\nmissing = \"perhaps\"", 7, 11, "\"yes\" and \"no\""),
        (
            "kind = \"yes-no\"\nepsilon = 1\nmost = 1",
            7,
            1,
            "`most` is no field of a yes-no question; accepted are name, text, kind, prob, epsilon, missing",
        ),
        ("kind = \"choice\"\nepsilon = 1", 3, 1, "`choices` is missing"),
        ("kind = \"choice\"\nchoices = []\nepsilon = 1", 6, 11, "at least 1"),
        ("kind = \"choice\"\nchoices = [\"a\", \"b\", \"a\"]\nepsilon = 1", 6, 22, "there twice"),
        ("kind = \"choice\"\nchoices = [\"a\"]\nother = false\nepsilon = 1", 3, 1, "at least two"),
        (&format!("{choice}other = false\nepsilon = 1"), 3, 1, "`missing` is missing"),
        (&format!("{choice}missing = \"c\"\nepsilon = 1"), 7, 11, "none of the choices"),
        (&format!("{choice}mechanism = \"dice\"\nepsilon = 1"), 7, 13, "\"local-hashing\""),
        (
            &format!("{choice}mechanism = \"unary-encoding\"\nprob = 0.9"),
            7,
            13,
            "`one` and `zero` for unary-encoding",
        ),
        (&format!("{choice}prob = 0.2"), 3, 1, "invalid prob"),
        ("kind = \"several\"\nchoices = [\"a\"]\nepsilon = 1", 3, 1, "`most` is missing"),
        (
            "kind = \"several\"\nchoices = [\"a\"]\nmost = 2\nepsilon = 1",
            7,
            8,
            "accepted are 1 to 1",
        ),
        ("kind = \"several\"\nchoices = [\"a\"]\nmost = -1\nepsilon = 1", 7, 8, "a whole number"),
        ("kind = \"several\"\nchoices = [\"a\"]\nmost = 1\nf = 1.5", 8, 5, "invalid f"),
        ("kind = \"text\"\np = 0.5", 6, 5, "accepted are all three"),
        ("kind = \"text\"\np = 0.5\nq = 0.5\nf = 0.5", 6, 5, "invalid q"),
        ("kind = \"text\"\nepsilon = 1\ncandidates = [\"x\", \"x\"]", 7, 20, "there twice"),
        ("kind = \"number\"\nlow = 1\nhigh = 1\nepsilon = 1", 7, 8, "the larger one for `high`"),
        ("kind = \"number\"\nlow = 0\nhigh = nan\nepsilon = 1", 7, 8, "two finite numbers"),
        ("kind = \"number\"\nlow = -1e308\nhigh = 1e308\nepsilon = 1", 7, 8, "too far"),
        (
            "kind = \"number\"\nlow = 0\nhigh = 1\nmissing = 2\nepsilon = 1",
            8,
            11,
            "from `low` to `high`",
        ),
        ("kind = \"number\"\nlow = 0\nhigh = 1\nscale = -1.0", 8, 9, "invalid scale"),
        ("kind = \"number\"\nkind = \"number\"", 6, 1, "duplicate"),
        // Choices that no answer is.
        ("kind = \"choice\"\nchoices = [\"a\", \"\"]\nepsilon = 1", 6, 17, "this choice is empty"),
        ("kind = \"several\"\nchoices = [\" a\"]\nmost = 1\nepsilon = 1", 6, 12, "with a space"),
        (&format!("{choice}other = \"\"\nepsilon = 1"), 7, 9, "this choice is empty"),
        ("kind = \"several\"\nchoices = [\"a;b\"]\nmost = 1\nepsilon = 1", 3, 1, "a ; in it"),
        // Reports that cannot be added up.
        ("kind = \"number\"\nlow = 0\nhigh = 1e160\nepsilon = 1", 7, 8, "too far"),
        ("kind = \"number\"\nlow = 0\nhigh = 1\nepsilon = 1e-150", 3, 1, "too large to add up"),
        // No noise.
        ("kind = \"yes-no\"\nprob = 1.0", 3, 1, "nothing bounds"),
        ("kind = \"text\"\np = 0.0\nq = 1.0\nf = 0.0", 3, 1, "nothing bounds"),
        ("kind = \"number\"\nlow = 0\nhigh = 1e99\nscale = 1e-300", 3, 1, "nothing bounds"),
    ] {
        let error = one(fields).expect_err(fields);
        assert_eq!(error.kind(), ErrorKind::Survey { line, column }, "{fields}: {error}");
        assert!(error.to_string().contains(message), "{fields}: {error}");
    }
}

#[test]
fn the_survey_itself_is_checked() {
    let question = "[[question]]\nname = \"q\"\nkind = \"yes-no\"\nepsilon = 1\n";
    for (text, line, column, message) in [
        (String::new(), 1, 1, "`version` is missing"),
        ("version = 2".into(), 1, 11, "accepted is 1"),
        ("version = 1".into(), 1, 1, "`question` is missing"),
        ("version = 1\nquestion = []".into(), 2, 12, "at least one"),
        (
            format!("version = 1\nsurvey = 1\n{question}"),
            2,
            1,
            "`survey` is no field of a survey; accepted are version, title, id, public, question",
        ),
        (format!("version = 1\n{question}{question}"), 7, 8, "`q` already"),
        (format!("version = 1\nid = \"q\"\n{question}"), 4, 8, "`q` already"),
        (format!("version = 1\npublic = [\"a\", \"a\"]\n{question}"), 2, 16, "`a` already"),
        (format!("version = 1\nid = \"\"\n{question}"), 2, 6, "cannot be the name"),
        (format!("version = 1\nid = \"{FINGERPRINT}\"\n{question}"), 2, 6, "cannot be the name"),
        ("version = 1\n[[question]\n".into(), 2, 12, ""),
        ("version = 1\ntitle = \"Zoë's\" = 1".into(), 2, 17, ""),
    ] {
        let error = Survey::parse(&text).expect_err(&text);
        assert_eq!(error.kind(), ErrorKind::Survey { line, column }, "{text}: {error}");
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

#[test]
fn a_whole_survey() {
    let survey = Survey::parse(
        r#"
        version = 1
        title = "Commuters"
        id = "person"
        public = ["region"]

        [[question]]
        name = "moved"
        text = "Did you move?"
        kind = "yes-no"
        epsilon = 0.5

        [[question]]
        name = "hours"
        kind = "number"
        low = 0
        high = 24
        epsilon = 0.25
        "#,
    )
    .unwrap();
    assert_eq!((survey.title(), survey.id()), (Some("Commuters"), Some("person")));
    assert_eq!(survey.public(), ["region"]);
    assert_eq!(survey.questions().len(), 2);
    assert_eq!(survey.question("moved").unwrap().text(), "Did you move?");
    assert_eq!(survey.question("hours").unwrap().text(), "hours");
    assert!(survey.question("person").is_none());
    let epsilon = survey.epsilon().get();
    assert!(epsilon <= 0.75 && epsilon > 0.7499999);
}

/// A budget is never exceeded, and used to the last bit that a float can have.
#[test]
fn a_budget_of_epsilon_is_kept() {
    let choices = (0..20).map(|i| format!("\"{i}\"")).collect::<Vec<_>>().join(", ");
    let kinds = [
        "kind = \"yes-no\"".to_owned(),
        format!("kind = \"choice\"\nchoices = [{choices}]"),
        format!("kind = \"choice\"\nchoices = [{choices}]\nmechanism = \"randomized-response\""),
        format!("kind = \"choice\"\nchoices = [{choices}]\nmechanism = \"unary-encoding\""),
        format!("kind = \"choice\"\nchoices = [{choices}]\nmechanism = \"subset-selection\""),
        format!("kind = \"choice\"\nchoices = [{choices}]\nmechanism = \"local-hashing\""),
        format!("kind = \"several\"\nchoices = [{choices}]\nmost = 3"),
        "kind = \"text\"".into(),
        "kind = \"text\"\nbits = 3\nhashes = 4\ncohorts = 1".into(),
        "kind = \"number\"\nlow = -0.1\nhigh = 0.2".into(),
    ];
    for epsilon in [0.1, 1.0, 3.7, 12.0] {
        for kind in &kinds {
            let survey = one(&format!("{kind}\nepsilon = {epsilon}")).unwrap();
            let cost = survey.epsilon().get();
            assert!(cost <= epsilon && cost > 0.999 * epsilon, "{kind}: {cost} of {epsilon}");
        }
    }
}

#[test]
fn the_fingerprint_is_that_of_what_reports_mean() {
    let of = |fields: &str| one(fields).unwrap().fingerprint();
    let choice = "kind = \"choice\"\nchoices = [\"a\", \"b\"]\n";
    let same = of(&format!("{choice}epsilon = 1"));
    assert_eq!(of(&format!("{choice}epsilon = 1.0\ntext = \"Which?\"")), same);
    assert_eq!(of(&format!("{choice}epsilon = 1\nother = \"other\"\nmissing = \"other\"")), same);
    for other in [
        format!("{choice}epsilon = 1.1"),
        format!("{choice}epsilon = 1\nother = \"none\""),
        format!("{choice}epsilon = 1\nmissing = \"a\""),
        format!("{choice}epsilon = 1\nmechanism = \"unary-encoding\""),
        "kind = \"choice\"\nchoices = [\"b\", \"a\"]\nepsilon = 1".into(),
        "kind = \"several\"\nchoices = [\"a\", \"b\"]\nmost = 1\nepsilon = 1".into(),
    ] {
        assert_ne!(of(&other), same, "{other}");
    }
    // What it is today, it is for ever.
    let known = of("kind = \"yes-no\"\nprob = 0.75");
    assert_eq!(known.to_string(), "1051579bec188164204e520f7d0c98dd");
    assert_eq!(known.to_string().parse::<Fingerprint>().unwrap(), known);
    for text in ["", "1051", &"g".repeat(32), &"a".repeat(33), "ää"] {
        assert!(text.parse::<Fingerprint>().is_err());
    }
}

/// Each field is there, so that no two surveys whose reports differ are taken for one.
#[test]
fn all_that_reports_depend_on_is_described() {
    for (fields, other) in [
        ("kind = \"yes-no\"\nprob = 0.75", "kind = \"yes-no\"\nprob = 0.75\nmissing = \"yes\""),
        (
            "kind = \"number\"\nlow = 0\nhigh = 2\nscale = 1",
            "kind = \"number\"\nlow = 0\nhigh = 2\nscale = 1\nmissing = 0.5",
        ),
        (
            "kind = \"number\"\nlow = 0\nhigh = 2\nscale = 1",
            "kind = \"number\"\nlow = 0\nhigh = 3\nscale = 1\nmissing = 1",
        ),
        (
            "kind = \"several\"\nchoices = [\"a\", \"b\"]\nmost = 1\nf = 0.5",
            "kind = \"several\"\nchoices = [\"a\", \"b\"]\nmost = 2\nf = 0.5",
        ),
        (
            "kind = \"several\"\nchoices = [\"a\", \"b\"]\nmost = 1\nf = 0.5",
            "kind = \"several\"\nchoices = [\"b\", \"a\"]\nmost = 1\nf = 0.5",
        ),
        ("kind = \"text\"\nepsilon = 1", "kind = \"text\"\nepsilon = 1\ncohorts = 31"),
    ] {
        assert_ne!(described(fields), described(other));
    }
}
