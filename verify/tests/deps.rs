//! The rules about dependencies hold here, and each is noticed when broken.

use std::path::Path;

use deniable_verify::deps::{Member, Use};
use deniable_verify::deps::{ORDER, VERIFIERS, read, violations};

#[test]
fn this_workspace_keeps_the_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let members = read(root).unwrap();
    let apart = ["deniable-num", "deniable-sample", "deniable-sql", "deniable-python"];
    for expected in apart.into_iter().chain(VERIFIERS) {
        assert!(members.iter().any(|member| member.name == expected), "{expected} was not seen");
    }
    let sample = members.iter().find(|member| member.name == "deniable-sample").unwrap();
    assert!(sample.uses.iter().any(|used| used.name == "deniable-num" && !used.dev));
    assert_eq!(violations(&members), Vec::<String>::new());
}

#[test]
fn every_arrow_that_points_down_the_list_is_fine() {
    for (place, name) in ORDER.iter().enumerate() {
        for above in ORDER[..place].iter().filter(|above| **above != "deniable-testing") {
            assert_eq!(violations(&[member(name, &[normal(above)])]), Vec::<String>::new());
        }
    }
    assert_eq!(broken("deniable-cli", dev("deniable-testing")), None);
    assert_eq!(broken(VERIFIERS[0], normal("deniable-testing")), None);
    assert_eq!(broken("deniable-arrow", normal("parquet")), None);
    assert_eq!(broken("deniable-sample", normal("zeroize")), None);
    assert_eq!(broken("deniable-sample", dev("proptest")), None);
}

#[test]
fn an_arrow_that_points_up_is_found() {
    let upward = "deniable-num uses deniable-sample: it is not above it in the order of crates";
    assert_eq!(broken("deniable-num", normal("deniable-sample")).as_deref(), Some(upward));
    assert_eq!(broken("deniable-num", dev("deniable-sample")).as_deref(), Some(upward));
    assert!(broken("deniable", dev("deniable-testing")).is_some());
    assert!(broken("deniable", dev("deniable")).is_some());
}

#[test]
fn simulated_randomness_in_what_ships_is_found() {
    let rule = "deniable-cli uses deniable-testing: only tests may use it";
    assert_eq!(broken("deniable-cli", normal("deniable-testing")).as_deref(), Some(rule));
}

#[test]
fn the_verifier_is_used_by_nothing() {
    for verifier in VERIFIERS {
        let rule = format!("deniable uses {verifier}: nothing may use the verifier");
        assert_eq!(broken("deniable", dev(verifier)), Some(rule));
    }
}

#[test]
fn a_crate_without_a_place_is_found() {
    let rule = "deniable-misc: has no place in the order of crates";
    assert_eq!(broken("deniable-misc", normal("deniable-num")).as_deref(), Some(rule));
    let members = [member("deniable", &[normal("helpers")]), member("helpers", &[])];
    assert_eq!(violations(&members).len(), 2);
}

#[test]
fn a_dependency_that_is_not_listed_is_found() {
    let rule = "deniable-sample uses rand: it is not on the list of allowed dependencies";
    assert_eq!(broken("deniable-sample", normal("rand")).as_deref(), Some(rule));
    // Listed for another crate is not listed.
    assert!(broken("deniable-num", normal("libc")).is_some());
}

fn broken(user: &str, used: Use) -> Option<String> {
    let mut findings = violations(&[member(user, &[used])]);
    assert!(findings.len() <= 1);
    findings.pop()
}

fn member(name: &str, uses: &[Use]) -> Member {
    Member { name: name.into(), uses: uses.to_vec() }
}

fn normal(name: &str) -> Use {
    Use { name: name.into(), dev: false }
}

fn dev(name: &str) -> Use {
    Use { name: name.into(), dev: true }
}
