//! The auditor of black boxes, through SQL: what is drawn by queries loses no more than `privacy_map` says.
//!
//! Each function is run often on two neighbouring inputs. Its claim must stand, and a smaller one must fall: that is what the auditor would find if the function lost more than it says. How small is no guess: [`is_found`] computes
//! from the law of the reports that the smaller claim falls with a probability of at least 1 − 10^−9. An honest function is accused with a probability of at most 10^−9.
#![forbid(unsafe_code)]

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float64Array, Int64Array, RecordBatch,
    StringArray,
};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::datasource::MemTable;
use datafusion::physical_plan::collect;
use datafusion::prelude::{SessionConfig, SessionContext};
use deniable_audit::binomial;
use deniable_audit::black_box::{Counts, judge, lower_bound};

/// As [`deniable_audit::black_box::FALSE_ALARM`]: how often the smaller claim stands, at most.
const MISSED: f64 = 1e-9;

/// The smaller claim of noisy aggregates, as a part of the one that is made.
const LESS: f64 = 0.8;

/// So many runs of a query with [`CALLS`] calls are enough for that.
const RUNS: usize = 400;

/// The rows of a table.
const ROWS: usize = 1_000_000;

fn session(column: ArrayRef) -> SessionContext {
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    deniable_sql::register(&session).unwrap();
    let rows = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let table = MemTable::try_new(rows.schema(), vec![vec![rows]]).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    session
}

async fn run(session: &SessionContext, query: &str) -> Vec<RecordBatch> {
    session.sql(query).await.unwrap().collect().await.unwrap()
}

/// What a call claims to lose.
async fn claim(function: &str, parameters: &str) -> f64 {
    let session = session(Arc::new(Int64Array::from(vec![0])));
    let query = format!("SELECT privacy_map('{function}', '{parameters}')");
    run(&session, &query).await[0].column(0).as_primitive::<Float64Type>().value(0)
}

/// Whether it is found, but for once in 10^9, that a claim is too small. There is an outcome that the left input has with a probability of at least `left`, and the right one with at most `right`.
///
/// Fewer of them on the left, or more on the right, than are counted here come once in 10^9; and the bound grows with the one, and falls with the other.
fn is_found(claim: f64, (left, right): (f64, f64), outcomes: usize, trials: u64) -> bool {
    // The largest count with such a probability of no more than that.
    let few = |is_rare: &dyn Fn(u64) -> bool| {
        let (mut from, mut to) = (0, trials);
        while from < to {
            let middle = from + (to - from).div_ceil(2);
            if is_rare(middle) { from = middle } else { to = middle - 1 }
        }
        from
    };
    let least = few(&|count| binomial::at_most(count, trials, left) <= MISSED / 2.0);
    let most =
        trials - few(&|count| binomial::at_least(trials - count, trials, right) <= MISSED / 2.0);
    let mut counts = [Counts::new(0..outcomes), Counts::new(0..outcomes)];
    for (counts, count) in counts.iter_mut().zip([least, most]) {
        counts.add(&0, count);
        counts.add(&outcomes, trials - count);
    }
    let bound = lower_bound(&counts[0], &counts[1], 1e-9).unwrap();
    bound.epsilon > claim
}

/// Judges what was counted: the claim stands, and `less` of it does not. Outcome 0 has the probabilities of `law`.
fn assert_stands(
    name: &str,
    claim: f64,
    less: f64,
    law: (f64, f64),
    [left, right]: [Counts<usize>; 2],
) {
    let outcomes = left.iter().count() - 1;
    assert!(is_found(less * claim, law, outcomes, left.trials()), "{name}: too few trials");
    let verdict = judge(claim, &left, &right).unwrap();
    assert!(!verdict.is_violation(), "{name}: {verdict}");
    let verdict = judge(less * claim, &left, &right).unwrap();
    assert!(verdict.is_violation(), "{name}: {verdict}");
}

/// Audits a randomizer on two answers.
struct Audit<'a> {
    function: &'a str,
    parameters: &'a str,
    answers: [ArrayRef; 2],
    rows: usize,
    less: f64,
    law: (f64, f64),
    outcomes: usize,
}

impl Audit<'_> {
    /// With reports as numbers.
    async fn run(self, outcome: impl Fn(&ArrayRef) -> Vec<usize>) {
        let mut counts = [Counts::new(0..self.outcomes), Counts::new(0..self.outcomes)];
        for (counts, answer) in counts.iter_mut().zip(&self.answers) {
            let reports = reports(self.function, self.parameters, answer, self.rows).await;
            reports.iter().for_each(|reports| counts.extend(outcome(reports)));
            assert_eq!(counts.trials(), self.rows as u64);
        }
        let claim = claim(self.function, self.parameters).await;
        assert_stands(self.function, claim, self.less, self.law, counts);
    }
}

/// Reports of an answer that all rows have.
async fn reports(
    function: &str,
    parameters: &str,
    answer: &ArrayRef,
    rows: usize,
) -> Vec<ArrayRef> {
    let places = Int64Array::from_value(0, rows);
    let session = session(take(answer, &places, None).unwrap());
    let query = format!("SELECT {function}(x, '{parameters}') AS r FROM t");
    run(&session, &query).await.iter().map(|batch| batch.column(0).clone()).collect()
}

fn texts(left: &str, right: &str) -> [ArrayRef; 2] {
    [left, right].map(|text| Arc::new(StringArray::from(vec![text])) as ArrayRef)
}

/// Of packed reports one byte each.
fn bytes(reports: &ArrayRef, place: usize) -> impl Iterator<Item = u8> {
    let reports = reports.as_fixed_size_binary();
    (0..reports.len()).map(move |row| reports.value(row)[place])
}

/// Randomized response on so many bits in which the answers differ: the truth in all of them.
fn law_of_bits(epsilon: f64, bits: i32) -> (f64, f64) {
    let truth = 1.0 / (1.0 + (-epsilon / f64::from(bits)).exp());
    (truth.powi(bits), (1.0 - truth).powi(bits))
}

#[tokio::test]
async fn yes_no() {
    let answers = [true, false].map(|yes| Arc::new(BooleanArray::from(vec![yes])) as ArrayRef);
    let audit = Audit {
        function: "randomize_yes_no",
        parameters: "epsilon = 1.0",
        answers,
        rows: ROWS,
        less: 0.95,
        law: law_of_bits(1.0, 1),
        outcomes: 2,
    };
    audit
        .run(|reports| {
            reports.as_boolean().iter().map(|yes| usize::from(yes != Some(true))).collect()
        })
        .await;
}

/// Three choices, each by its number.
#[tokio::test]
async fn choice_by_randomized_response() {
    let odds = 2f64.exp();
    let audit = Audit {
        function: "randomize_choice",
        parameters: "choices = [\"0\", \"1\", \"2\"], other = false, missing = \"0\", mechanism = \"randomized-response\", epsilon = 2.0",
        answers: texts("0", "1"),
        rows: ROWS,
        less: 0.95,
        law: (odds / (odds + 2.0), 1.0 / (odds + 2.0)),
        outcomes: 3,
    };
    audit
        .run(|reports| {
            let reports = cast(reports, &DataType::Int64).unwrap();
            reports.as_primitive::<Int64Type>().values().iter().map(|&i| i as usize).collect()
        })
        .await;
}

/// A bit for each of three choices; the truth is a one half of the time.
#[tokio::test]
async fn choice_by_unary_encoding() {
    let one = 1.0 / (1.0 + 2f64.exp());
    let audit = Audit {
        function: "randomize_choice",
        parameters: "choices = [\"a\", \"b\", \"c\"], other = false, missing = \"a\", mechanism = \"unary-encoding\", epsilon = 2.0",
        answers: texts("a", "b"),
        rows: ROWS,
        less: 0.95,
        law: (0.5 * (1.0 - one), 0.5 * one),
        outcomes: 4,
    };
    // The first bit and not the second is outcome 0.
    audit
        .run(|reports| bytes(reports, 0).map(|bits| usize::from(bits & 0b11 ^ 0b01)).collect())
        .await;
}

#[tokio::test]
async fn several() {
    let audit = Audit {
        function: "randomize_several",
        parameters: "choices = [\"a\", \"b\", \"c\", \"d\"], most = 2, epsilon = 3.0",
        answers: texts("a;b", "c;d"),
        rows: ROWS,
        less: 0.95,
        law: law_of_bits(3.0, 4),
        outcomes: 16,
    };
    audit.run(|reports| bytes(reports, 0).map(|bits| usize::from(bits ^ 0b0011)).collect()).await;
}

#[tokio::test]
async fn bits() {
    let answers = [0b00_0001, 0b10_0000]
        .map(|bits| Arc::new(BinaryArray::from(vec![&[bits][..]])) as ArrayRef);
    let audit = Audit {
        function: "randomize_bits",
        parameters: "length = 6, most = 1, epsilon = 2.0",
        answers,
        rows: ROWS,
        less: 0.95,
        law: law_of_bits(2.0, 2),
        outcomes: 4,
    };
    audit
        .run(|reports| {
            bytes(reports, 0).map(|bits| usize::from(bits & 1 ^ 1 | bits >> 4 & 2)).collect()
        })
        .await;
}

/// In buckets of length one, and what is beyond the bounds: below the lower bound all reports tell the same of the two bounds.
#[tokio::test]
async fn number() {
    let answers = [0.0, 4.0].map(|number| Arc::new(Float64Array::from(vec![number])) as ArrayRef);
    let audit = Audit {
        function: "randomize_number",
        parameters: "low = 0, high = 4, epsilon = 2.0",
        answers,
        rows: ROWS,
        less: 0.95,
        law: (0.499, 0.501 * (-2f64).exp()),
        outcomes: 6,
    };
    audit
        .run(|reports| {
            let numbers = reports.as_primitive::<Float64Type>().values();
            numbers.iter().map(|x| (x.floor() + 1.0).clamp(0.0, 5.0) as usize).collect()
        })
        .await;
}

/// A text is one bit of a cohort's, and there is one cohort.
#[tokio::test]
async fn text() {
    let fields = "bits = 8, hashes = 1, cohorts = 1, candidates = [\"a\", \"b\"]";
    let answers = texts("a", "b");
    // Without noise, the bits themselves.
    let mut own = [0; 2];
    for (own, answer) in own.iter_mut().zip(&answers) {
        let plain =
            reports("randomize_text", &format!("{fields}, epsilon = 80.0"), answer, 1).await;
        *own = bytes(&plain[0], 2).next().unwrap();
    }
    assert!(own[0].count_ones() == 1 && own[1].count_ones() == 1 && own[0] != own[1]);
    let audit = Audit {
        function: "randomize_text",
        parameters: &format!("{fields}, epsilon = 2.0"),
        answers,
        rows: 100_000,
        less: 0.85,
        law: law_of_bits(2.0, 2),
        outcomes: 4,
    };
    let outcome = |bits: u8| usize::from(bits & own[0] == 0) + 2 * usize::from(bits & own[1] != 0);
    audit.run(|reports| bytes(reports, 2).map(outcome).collect()).await;
}

/// Calls of one query. They differ in their text, or it would be refused; each draws for itself.
const CALLS: usize = 30;

/// Audits a noisy aggregate of two tables, one with the rows of a person and one without. Noise is drawn once a call and run, so that there are fewer draws than of randomizers, and less is found.
///
/// The outcome is a total of at least the true one of the left table, which is `distance` above that of the right one. With noise of e^(−|x|/scale) that has the probabilities 1/(1 + a) and a^distance/(1 + a), where a = e^(−1/scale).
async fn audit_release(
    (function, parameters): (&str, &str),
    tables: [ArrayRef; 2],
    distance: i32,
    is_outcome: impl Fn(&ArrayRef) -> bool,
) {
    let epsilon = claim(function, parameters).await;
    let a = (-epsilon / f64::from(distance)).exp();
    let law = (1.0 / (1.0 + a), a.powi(distance) / (1.0 + a));
    let mut counts = [Counts::new(0..2), Counts::new(0..2)];
    for (counts, table) in counts.iter_mut().zip(tables) {
        let session = session(table);
        let calls =
            (0..CALLS).map(|i| format!("{function}(x, '{parameters}{}') AS r{i}", " ".repeat(i)));
        let query = format!("SELECT {} FROM t", calls.collect::<Vec<_>>().join(", "));
        // Planned once: that takes longer than to run it.
        let plan = session.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
        for _ in 0..RUNS {
            let rows = &collect(plan.clone(), session.task_ctx()).await.unwrap()[0];
            counts.extend(rows.columns().iter().map(|total| usize::from(!is_outcome(total))));
        }
        assert_eq!(counts.trials(), (RUNS * CALLS) as u64);
    }
    assert_stands(function, epsilon, LESS, law, counts);
}

/// Somebody, or nobody.
#[tokio::test]
async fn noisy_count() {
    let table = |rows| Arc::new(Int64Array::from_value(1, rows)) as ArrayRef;
    let parameters = "rows_per_person = 1, epsilon = 2.0";
    let is_one = |count: &ArrayRef| count.as_primitive::<Int64Type>().value(0) >= 1;
    audit_release(("noisy_count", parameters), [table(1), table(0)], 1, is_one).await;
}

/// A person with two rows, of the largest number.
#[tokio::test]
async fn noisy_sum() {
    let table = |numbers: Vec<i64>| Arc::new(Int64Array::from(numbers)) as ArrayRef;
    let tables = [table(vec![3, 9, 3]), table(vec![3])];
    let parameters = "low = 0, high = 3, step = 3, rows_per_person = 2, epsilon = 2.0";
    let is_nine = |sum: &ArrayRef| sum.as_primitive::<Float64Type>().value(0) >= 9.0;
    audit_release(("noisy_sum", parameters), tables, 2, is_nine).await;
}

/// A person of one key.
#[tokio::test]
async fn noisy_histogram() {
    let table = |keys: Vec<&str>| Arc::new(StringArray::from(keys)) as ArrayRef;
    let tables = [table(vec!["a", "b", "b"]), table(vec!["a", "b"])];
    let parameters = "keys = [\"a\", \"b\"], rows_per_person = 1, epsilon = 2.0";
    let is_two = |list: &ArrayRef| {
        let list = list.as_list::<i32>().value(0);
        list.as_struct().column(1).as_primitive::<Int64Type>().value(1) >= 2
    };
    audit_release(("noisy_histogram", parameters), tables, 1, is_two).await;
}
