//! The examples of the documentation run.

use super::{run, session};

#[tokio::test]
async fn examples() {
    let session = session();
    let answers = "CREATE TABLE answers AS SELECT id, x AS moved, c AS transport, c AS pets, c AS browser, n AS hours, [x, y] AS ticks, c AS region FROM t";
    run(&session, answers).await.unwrap();
    let parameters = |name: &str| {
        let example = crate::definitions()
            .into_iter()
            .find(|definition| definition.name == name)
            .unwrap()
            .example;
        example.strip_prefix("SELECT ").unwrap().split(" AS ").next().unwrap().to_owned()
    };
    let kinds = ["yes_no", "choice", "several", "bits", "number", "text"];
    let columns = ["moved", "transport", "pets", "ticks", "hours", "browser"];
    let calls = kinds
        .iter()
        .zip(columns)
        .map(|(kind, column)| format!("{} AS {column}", parameters(&format!("randomize_{kind}"))));
    let calls: Vec<String> = calls.collect();
    run(&session, &format!("CREATE TABLE reports AS SELECT {} FROM answers", calls.join(", ")))
        .await
        .unwrap();
    for definition in crate::definitions() {
        let rows = run(&session, definition.example).await;
        let rows =
            rows.unwrap_or_else(|error| panic!("{}: {}", definition.example, crate::shown(&error)));
        assert!(rows.num_rows() > 0, "{}", definition.name);
        assert!(definition.example.contains(definition.name));
    }
}

#[test]
fn names_differ() {
    let mut names: Vec<&str> =
        crate::definitions().iter().map(|definition| definition.name).collect();
    names.sort_unstable();
    names.dedup();
    let functions = crate::scalar_functions().len() + crate::aggregate_functions().len();
    assert_eq!((names.len(), functions), (17, 17));
}
