//! The black-box auditor the whole way: from words to a verdict, and as a command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use deniable_verify::audit::black_box::{audit, trials_for};
use deniable_verify::audit::files_command;
use deniable_verify::words;

/// With runs that look random and are always the same.
#[test]
fn audits_of_randomized_response() {
    for (epsilon, claimed) in [(1.05, 1.0), (1.0, 1.0), (5.25, 5.0), (5.0, 5.0)] {
        let n = trials_for(claimed);
        let all = words::spread(2 * n as usize);
        let honest = |word: u64| (word as f64) < 2f64.powi(64) / (1.0 + f64::exp(-epsilon));
        let (mut ones, mut others) = (all.iter(), all.iter().rev());
        let left = || honest(*ones.next().unwrap());
        let right = || !honest(*others.next().unwrap());
        let verdict = audit(claimed, n, &[false, true], left, right).unwrap();
        assert_eq!(verdict.is_violation(), epsilon > claimed, "{verdict}");
        assert_eq!(verdict.trials, (n, n));
        let witness = verdict.bound.witness.expect("both show that ε is not 0");
        assert!(witness.at_least > witness.at_most && verdict.bound.epsilon < epsilon);
    }
}

#[test]
fn outcomes_of_other_programs_are_audited() {
    let folder = std::env::temp_dir().join(format!("deniable-verify-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    // e^1.5 = 4.48 and more is shown by 9 : 1.
    let outcomes = |yes: usize, no: usize| "yes\n".repeat(yes) + &"no\n".repeat(no);
    let (left, right) = (write("left", outcomes(9000, 1000)), write("right", outcomes(1000, 9000)));
    let run = |epsilon: &str, buckets: &str| {
        files_command(&[epsilon, buckets, &left, &right].map(str::to_owned))
    };
    let list = format!("@{}", write("buckets", "yes\nno\n".to_owned()));
    assert_eq!(run("1.5", "yes,no"), Ok(ExitCode::FAILURE));
    assert_eq!(run("2.2", &list), Ok(ExitCode::SUCCESS));
    assert!(run("one", "yes,no").is_err() && run("NaN", "yes,no").is_err());
    assert!(run("1.5", "@/does/not/exist").is_err() && files_command(&[]).is_err());
    std::fs::remove_dir_all(folder).unwrap();
}
