//! Files of outcomes: those that other programs write, with buckets that are named and with buckets that are found.
#![forbid(unsafe_code)]

use std::path::PathBuf;

use deniable_audit::files::{Problem, judge_files, read_buckets};

/// A folder of this test, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("deniable-audit-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn outcomes_of_other_programs_are_audited() {
    let folder = Folder::new("named");
    let write = |name, yes: usize, no: usize| {
        folder.write(name, "yes\n".repeat(yes) + &"no\r\n".repeat(no))
    };
    // e^1.5 = 4.48 and more is shown by 9 : 1.
    let (left, right) = (write("left", 9000, 1000), write("right", 1000, 9000));
    let buckets = ["yes", "no"].map(str::to_owned);
    let judged = |claimed, left, right| judge_files(claimed, Some(&buckets), left, right);
    let verdict = judged(1.5, &left, &right).unwrap();
    assert!(verdict.is_violation() && verdict.to_string().starts_with("VIOLATION: ε = 1.5 is"));
    assert!(!judged(2.2, &left, &right).unwrap().is_violation());
    assert!(!judged(0.0, &left, &left).unwrap().is_violation());
    assert!(judged(f64::NAN, &left, &right).is_err());
    let empty = write("empty", 0, 0);
    assert!(judged(1.0, &left, &empty).is_err());
    let list = folder.write("buckets", "yes\nno\n");
    assert_eq!(read_buckets(&format!("@{}", list.display())).unwrap(), buckets);
    assert_eq!(read_buckets("yes,no").unwrap(), buckets);
    assert!(read_buckets("@/does/not/exist").is_err());
    let no_text = folder.write("no text", [0xff]);
    let Problem::Unreadable(message) = judged(1.0, &left, &no_text).unwrap_err() else {
        panic!("it was read");
    };
    assert!(message.ends_with("invalid data"));
    // A folder opens, and is read by nobody: also where the lines are counted first.
    let unreadable = judge_files(1.0, None, &left, list.parent().unwrap()).unwrap_err();
    assert!(matches!(unreadable, Problem::Unreadable(_)));
    assert!(matches!(judged(-1.0, &left, &right), Err(Problem::Refused(_))));
}

/// What the buckets were found in is not counted: an outcome that is only there shows nothing.
#[test]
fn buckets_are_found_in_what_is_not_counted() {
    let folder = Folder::new("found");
    let text =
        |first: &str, outcomes: [&str; 10]| first.repeat(1000) + &outcomes.concat().repeat(900);
    let (yes, no) = ("yes\n", "no\n");
    let mut mostly = [yes; 10];
    mostly[9] = no;
    let left = folder.write("left", text("yes\nno\n", mostly));
    let right =
        folder.write("right", text("yes\nno\n", mostly.map(|x| if x == yes { no } else { yes })));
    let verdict = judge_files(1.5, None, &left, &right).unwrap();
    // 11 000 lines, without the first 1100.
    assert_eq!(verdict.trials, (9900, 9900));
    assert!(verdict.is_violation(), "{verdict}");
    assert!(!judge_files(2.2, None, &left, &right).unwrap().is_violation());
    let half = [yes, no, yes, no, yes, no, yes, no, yes, no];
    let one = folder.write("one", text("here\n", half));
    let other = folder.write("other", text("there\n", half));
    assert!(!judge_files(0.0, None, &one, &other).unwrap().is_violation());
    let named = ["here".to_owned()];
    assert!(judge_files(0.0, Some(&named), &one, &other).unwrap().is_violation());
}
