//! Parameters are literals, and wrong ones are refused when the query is planned.

use super::{refusal, run, session};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Float64Type;

#[tokio::test]
async fn wrong() {
    let cases = [
        // Missing, NULL, no literal.
        ("randomize_yes_no(x)", "1 arguments; accepted is randomize_yes_no(answer, parameters)"),
        ("randomize_yes_no(x, NULL)", "NULL"),
        ("randomize_yes_no(x, CAST(NULL AS VARCHAR))", "no literal"),
        ("randomize_yes_no(x, c)", "no literal"),
        ("randomize_yes_no(x, f)", "no literal"),
        ("randomize_yes_no(x, '')", "there is no budget"),
        ("randomize_yes_no(x, true)", "of another type"),
        ("estimate_yes_no(x)", "1 arguments; accepted is estimate_yes_no(report, parameters, how)"),
        ("estimate_yes_no(x, NULL)", "NULL"),
        ("estimate_yes_no(x, f)", "no literal"),
        ("estimate_yes_no(x, 1.0, NULL)", "NULL"),
        ("estimate_yes_no(x, 1.0, 1.5)", "confidence"),
        ("estimate_yes_no(x, 1.0, 'target = \"all\"')", "`target`"),
        // A number is the confidence, and an ε is none, however it is written.
        ("estimate_yes_no(x, 1.0, 'epsilon = 0.9')", "`epsilon` is no way to estimate"),
        ("noisy_count(1)", "1 arguments; accepted is noisy_count(value, parameters)"),
        ("noisy_count(1, NULL)", "NULL"),
        ("noisy_count(1, c)", "no literal"),
        ("count_reports(NULL, x)", "NULL"),
        ("count_reports('version = 2', x)", "`version`"),
        (
            "count_reports('version = 1\n[[question]]\nname = \"a\"\nkind = \"yes-no\"\nepsilon = 1.0', x, y)",
            "one for each question: a",
        ),
        // Out of range, unknown, of another kind.
        ("randomize_yes_no(x, 0.0)", "above 0"),
        ("randomize_yes_no(x, 0)", "above 0"),
        ("randomize_yes_no(x, 1e999)", "above 0"),
        ("randomize_yes_no(x, 'epsilon = nan')", "above 0"),
        ("randomize_yes_no(x, 'epsilon = 1.0, prob = 0.7')", "already"),
        ("randomize_yes_no(x, 'prob = 1.0')", "nothing bounds what an answer loses"),
        ("randomize_yes_no(x, 'epsilon = 1.0, speed = 3')", "`speed`"),
        ("randomize_yes_no(x, 'epsilon = 1.0, kind = \"choice\"')", "`kind`"),
        ("randomize_yes_no(x, 'epsilon = 1.0, name = \"a\"')", "`name`"),
        (
            "randomize_yes_no(x, 'epsilon = 1.0 }\nother = { a = 1')",
            "more than the fields of one table",
        ),
        ("randomize_yes_no(x, 'epsilon 1.0')", "cannot be read"),
        ("randomize_choice(c, 1.0)", "`choices`"),
        ("randomize_bits(x, 'most = 1, epsilon = 1.0')", "`length` is missing"),
        ("randomize_bits(x, 'length = 0, most = 1, epsilon = 1.0')", "`length`"),
        ("randomize_bits(x, 'length = 70000, most = 1, epsilon = 1.0')", "`length`"),
        ("randomize_number(n, 'low = 3, high = 1, epsilon = 1.0')", "`high`"),
        ("noisy_count(1, 'epsilon = 1.0')", "`rows_per_person` is missing"),
        ("noisy_count(1, 1.0)", "`rows_per_person` is missing"),
        ("noisy_count(1, 'rows_per_person = 0, epsilon = 1.0')", "`rows_per_person`"),
        ("noisy_count(1, 'rows_per_person = 1.0, epsilon = 1.0')", "`rows_per_person`"),
        ("noisy_count(1, 'rows_per_person = 1')", "either `epsilon`"),
        ("noisy_count(1, 'rows_per_person = 1, epsilon = 1.0, scale = 1.0')", "either `epsilon`"),
        ("noisy_count(1, 'rows_per_person = 1, epsilon = 0.0')", "above 0"),
        ("noisy_count(1, 'rows_per_person = 1, epsilon = -1.0')", "above 0"),
        ("noisy_count(1, 'rows_per_person = 1, scale = 0.0')", "above 0"),
        ("noisy_count(1, 'rows_per_person = 1, scale = -1.0')", "scale"),
        ("noisy_count(1, 'rows_per_person = 9007199254740993, epsilon = 1.0')", "too large"),
        ("noisy_count(1, 'rows_per_person = 1, epsilon = 1.0, low = 0')", "`low` is no parameter"),
        ("noisy_sum(n, 'low = 0, rows_per_person = 1, epsilon = 1.0')", "`high` is missing"),
        ("noisy_sum(n, 'low = 1, high = 0, rows_per_person = 1, epsilon = 1.0')", "`low`"),
        ("noisy_sum(n, 'low = 0, high = 0, rows_per_person = 1, epsilon = 1.0')", "`low`"),
        ("noisy_sum(n, 'low = 0, high = inf, rows_per_person = 1, epsilon = 1.0')", "`high`"),
        (
            "noisy_sum(n, 'low = 0, high = 1, step = 0, rows_per_person = 1, epsilon = 1.0')",
            "`step`",
        ),
        (
            "noisy_sum(n, 'low = 0, high = 1, step = 9, rows_per_person = 1, epsilon = 1.0')",
            "`step`",
        ),
        (
            "noisy_sum(n, 'low = 0, high = 1, step = 1e-300, rows_per_person = 1, epsilon = 1.0')",
            "`step`",
        ),
        (
            "noisy_sum(c, 'low = 0, high = 1, rows_per_person = 1, epsilon = 1.0')",
            "whole numbers and floats",
        ),
        ("noisy_histogram(c, 'rows_per_person = 1, epsilon = 1.0')", "`keys`"),
        ("noisy_histogram(c, 'keys = [], rows_per_person = 1, epsilon = 1.0')", "`keys`"),
        (
            "noisy_histogram(c, 'keys = [\"a\", \"a\"], rows_per_person = 1, epsilon = 1.0')",
            "`keys`",
        ),
        ("noisy_histogram(c, 'keys = [\"a\", 1], rows_per_person = 1, epsilon = 1.0')", "`keys`"),
        (
            "noisy_histogram(f, 'keys = [\"a\"], rows_per_person = 1, epsilon = 1.0')",
            "texts, whole numbers",
        ),
        ("privacy_map('randomize_yes_no')", "1 arguments"),
        ("privacy_map('deny', 1.0)", "accepted are randomize_yes_no,"),
        ("privacy_map('randomize_yes_no', NULL)", "NULL"),
        ("privacy_map('randomize_yes_no', 1.0, -1)", "`rows`"),
    ];
    for (call, message) in cases {
        // Planned, and not run.
        let plan = match session().sql(&format!("SELECT {call} FROM t")).await {
            Ok(frame) => frame.into_optimized_plan().map(drop),
            Err(error) => Err(error),
        };
        let found = match plan {
            Err(error) => crate::shown_of_plan(&error),
            Ok(()) => panic!("accepted: {call}"),
        };
        assert!(found.contains(message), "{call}: {found}");
    }
}

/// The losses are those of the command's `map` and of the mechanisms.
#[tokio::test]
async fn losses() {
    let ln3 = 3f64.ln().next_up();
    for (call, expected) in [
        ("'randomize_yes_no', 'prob = 0.75'", ln3),
        ("'randomize_yes_no', 'epsilon = 0.5', 0", 0.0),
        ("'noisy_count', 'rows_per_person = 3, scale = 6.0'", 0.5),
        ("'noisy_count', 'rows_per_person = 3, scale = 6.0', 1", (1.0f64 / 6.0).next_up()),
        ("'noisy_sum', 'low = -4, high = 2, step = 1, rows_per_person = 3, scale = 24.0'", 0.5),
        // The same step for all types of numbers.
        ("'noisy_sum', 'low = 0, high = 9, rows_per_person = 1, scale = 9437184.0'", 1.0),
        ("'noisy_histogram', 'keys = [\"a\"], rows_per_person = 2, scale = 4.0'", 0.5),
    ] {
        let rows = run(&session(), &format!("SELECT privacy_map({call})")).await.unwrap();
        let found = rows.column(0).as_primitive::<Float64Type>().value(0);
        assert!(found == expected || found == expected.next_down(), "{call}: {found} {expected}");
    }
    // What is asked for is kept: rows add up, rounded up.
    let rows = run(&session(), "SELECT privacy_map('randomize_yes_no', 1.0), privacy_map('randomize_yes_no', 1.0, 1000003)").await.unwrap();
    let found = |i: usize| rows.column(i).as_primitive::<Float64Type>().value(0);
    assert!(found(0) <= 1.0 && found(0) > 0.9999999);
    assert!(found(1) >= found(0) * 1000003.0 && found(1) < found(0) * 1000003.0 * (1.0 + 1e-13));
}

/// Columns are shown as they are written: literals without their types.
#[tokio::test]
async fn columns_of_losses() {
    for (call, shown) in [
        ("noisy_count(1, 'rows_per_person = 1, scale = 2.0')", "1"),
        ("noisy_histogram('a', 'keys = [\"a\"], rows_per_person = 1, scale = 2.0')", "a"),
        ("noisy_count(n + 1, 'rows_per_person = 1, scale = 2.0')", "t.n + 1"),
        ("randomize_number(n, 'low = 0, high = 9, scale = 18.0')", "t.n"),
        (
            "randomize_number(CASE WHEN c = 'a' THEN 1 ELSE n END, 'low = 0, high = 9, scale = 18.0')",
            "CASE WHEN t.c = a THEN 1 ELSE t.n END",
        ),
    ] {
        let frame = session().sql(&format!("SELECT {call} AS r FROM t")).await.unwrap();
        let losses = crate::losses(frame.logical_plan()).unwrap();
        assert_eq!((losses[0].column.as_str(), losses[0].epsilon), (shown, 0.5), "{call}");
        // Once more when it is marked.
        let losses = crate::losses(&frame.into_optimized_plan().unwrap()).unwrap();
        assert_eq!(losses.len(), 1, "{call}");
    }
}

#[tokio::test]
async fn division_of_names() {
    // The same column with other parameters is another call.
    let query = "SELECT estimate_yes_no(x, 1.0)['share'], estimate_yes_no(x, 2.0)['share'], estimate_yes_no(x, 1.0, 0.5)['low'] FROM t";
    assert_eq!(run(&session(), query).await.unwrap().num_columns(), 3);
    let found = refusal(&session(), "SELECT estimate_yes_no(DISTINCT x, 1.0) FROM t").await;
    assert!(found.contains("DISTINCT"), "{found}");
}
