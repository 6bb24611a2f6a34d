//! Which changes break a seal, and which do not.

use std::fs;
use std::path::{Path, PathBuf};

use deniable_verify::seal::{LOCK, check, code_hash, reseal};

const LAW: &str = "crates/deniable-sample/src/law";
const CODE: &str = "
    //! A law.
    use core::cmp::Ordering;
    /// Draws.
    pub fn draw(x: u64, y: u64) -> (u64,) {
        assert!(x >= 1, \"why\"); // one
        (x + y,)
    }
    #[cfg(test)]
    mod tests {
        #[test]
        fn works() {}
    }
";
const PROOF: &str = "# Claim\n\nIt is so.\n\nCovers: `mod.rs`,\n`../shared.rs`.\n";

#[test]
fn this_workspace_is_sealed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    match check(root) {
        Ok(proofs) => println!("{proofs} proofs sealed"),
        Err(findings) => panic!("{}", findings.join("\n")),
    }
}

#[test]
fn a_tree_without_proofs_passes() {
    let tree = Tree::empty("no-proofs");
    tree.write("crates/deniable-sample/src/lib.rs", "");
    assert_eq!(check(&tree.0), Ok(0));
}

#[test]
fn a_sealed_tree_passes_and_sealing_again_changes_nothing() {
    let tree = Tree::sealed("sealed");
    assert_eq!(check(&tree.0), Ok(1));
    let lock = tree.read(LOCK);
    assert_eq!(reseal(&tree.0), Ok(vec![]));
    assert_eq!(tree.read(LOCK), lock);
    assert!(lock.contains("\ncrates/deniable-sample/src/law/proof.md "));
    assert!(lock.contains("\n    crates/deniable-sample/src/shared.rs "));
}

#[test]
fn what_is_no_code_may_change() {
    let tree = Tree::sealed("no-code");
    let changed = "
        //! A law, in other words.
        #![doc = include_str!(\"proof.md\")]
        use core::cmp::Ordering;
        /** Draws with care. */
        pub fn draw(
            x: u64,
            y: u64,
        ) -> (u64,)
        { assert!(x>=1,\"why\",); (x /* a */ + y,) }
        #[cfg(test)] use core::fmt;
        #[cfg(test)] mod tests { #[test] fn works_better() {} }
    ";
    tree.write(&format!("{LAW}/mod.rs"), changed);
    assert_eq!(check(&tree.0), Ok(1));
}

#[test]
fn every_change_of_the_code_is_found() {
    let changes = [
        ("x + y", "x - y"),
        ("x >= 1", "x >= 2"),
        ("x >= 1", "x > 1"),
        ("\"why\"", "\"how\""),
        ("cmp::Ordering", "sync::atomic::Ordering"),
        ("(x: u64, y", "(y: u64, x"),
        ("#[cfg(test)]", ""),
        ("#[cfg(test)]", "#[cfg(not(test))]"),
        ("pub fn", "#[inline] pub fn"),
        ("(x + y,)", "(x + y)"),
        ("-> (u64,)", "-> (u64)"),
        ("x + y", "{ #[cfg(debug_assertions)] return; x + y }"),
    ];
    let before = code_hash(CODE).unwrap();
    for (from, to) in changes {
        let changed = CODE.replace(from, to);
        assert_ne!(changed, CODE);
        assert_ne!(code_hash(&changed).unwrap(), before, "{from} to {to}");
    }
    let tree = Tree::sealed("code");
    tree.write(&format!("{LAW}/mod.rs"), &CODE.replace("x + y", "x - y"));
    tree.breaks(&[LAW, "proof.md: ", "law/mod.rs changed"]);
    let changed = reseal(&tree.0).unwrap();
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(check(&tree.0), Ok(1));
}

#[test]
fn tokens_that_look_alike_when_joined_are_kept_apart() {
    let differ = |a: &str, b: &str| assert_ne!(code_hash(a).unwrap(), code_hash(b).unwrap());
    differ("m!(a b);", "m!(ab);");
    differ("m!(a && b);", "m!(a & & b);");
    differ("m!((a) b);", "m!((a b));");
    differ("m!(\"a\");", "m!('a');");
    differ("m![a];", "m!(a);");
    let agree = |a: &str, b: &str| assert_eq!(code_hash(a).unwrap(), code_hash(b).unwrap());
    agree("m!(a==-b);", "m!(a == -b);");
    agree("fn f<A, B,>() {}", "fn f<A, B>() {}");
    agree("const A: B = f(x,);", "const A: B = f(x);");
    agree("m! { /// One.\n a }", "m! { /// Two.\n a }");
}

#[test]
fn test_code_inside_code_may_change() {
    let nested = |test: &str| format!("mod m {{ impl A {{ {test} fn f() {{ {test} g(); }} }} }}");
    let before = code_hash(&nested("")).unwrap();
    assert_eq!(code_hash(&nested("#[cfg(test)] fn only_here() {}")).unwrap(), before);
    assert_ne!(code_hash(&nested("fn everywhere() {}")).unwrap(), before);
}

#[test]
fn a_changed_proof_is_found() {
    let tree = Tree::sealed("proof");
    tree.write(&format!("{LAW}/proof.md"), &PROOF.replace("is so", "is not so"));
    tree.breaks(&[LAW, "proof.md: its text changed"]);
}

#[test]
fn code_that_no_proof_covers_is_found() {
    for file in ["fast.rs", "fast/mod.rs"] {
        let tree = Tree::sealed("uncovered");
        tree.write(&format!("{LAW}/{file}"), "fn f() {}");
        tree.breaks(&["no proof covers it", file, "law/proof.md"]);
        // And it cannot be sealed away.
        assert!(reseal(&tree.0).is_err());
    }
}

#[test]
fn a_file_of_tests_needs_no_proof() {
    let tree = Tree::sealed("tests-file");
    tree.write(&format!("{LAW}/tests.rs"), "fn f() {}");
    assert!(check(&tree.0).is_err());
    tree.write(&format!("{LAW}/mod.rs"), &format!("{CODE}\n#[cfg(test)]\nmod tests;"));
    assert_eq!(check(&tree.0), Ok(1));
}

#[test]
fn a_missing_file_is_found() {
    let tree = Tree::sealed("missing");
    fs::remove_file(tree.0.join("crates/deniable-sample/src/shared.rs")).unwrap();
    tree.breaks(&["law/proof.md", "src/shared.rs"]);
    tree.write("crates/deniable-sample/src/shared.rs", "this is not Rust");
    tree.breaks(&["law/proof.md", "src/shared.rs", "does not parse"]);
}

#[test]
fn a_proof_must_say_what_it_covers() {
    let cases = [
        ("# Claim\n", "no line that starts with `Covers:`"),
        ("Covers: everything.\n", "covers no file"),
        ("Covers: `mod.rs`.\n\nCovers: `mod.rs`.\n", "more than one"),
        ("Covers: `../../../../../mod.rs`.\n", "outside the workspace"),
    ];
    for (text, message) in cases {
        let tree = Tree::sealed("covers");
        tree.write(&format!("{LAW}/proof.md"), text);
        tree.breaks(&["law/proof.md", message]);
    }
}

#[test]
fn a_stale_or_missing_lock_is_found() {
    let tree = Tree::sealed("stale");
    fs::remove_dir_all(tree.0.join(LAW)).unwrap();
    tree.breaks(&["law/proof.md", "no such proof"]);

    let tree = Tree::sealed("unlocked");
    let lock = tree.read(LOCK);
    fs::remove_file(tree.0.join(LOCK)).unwrap();
    tree.breaks(&["law/proof.md", "not sealed yet"]);
    let without_shared: Vec<_> = lock.lines().filter(|line| !line.contains("shared.rs")).collect();
    tree.write(LOCK, &without_shared.join("\n"));
    tree.breaks(&["law/proof.md", "shared.rs is newly covered"]);
    tree.write(LOCK, "nonsense");
    tree.breaks(&["proof.lock: line 1 is malformed"]);
}

/// A small workspace in a folder of its own, removed at the end.
struct Tree(PathBuf);

impl Tree {
    fn empty(name: &str) -> Self {
        let folder = format!("deniable-seal-{}-{name}", std::process::id());
        let tree = Tree(std::env::temp_dir().join(folder));
        fs::create_dir_all(&tree.0).unwrap();
        tree
    }

    fn sealed(name: &str) -> Self {
        let tree = Tree::empty(name);
        tree.write("crates/deniable-sample/src/lib.rs", "mod law;");
        tree.write("crates/deniable-sample/src/shared.rs", "pub fn shared() {}");
        tree.write(&format!("{LAW}/mod.rs"), CODE);
        tree.write(&format!("{LAW}/proof.md"), PROOF);
        reseal(&tree.0).unwrap();
        tree
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }

    /// The check finds one thing, and says all of `message`.
    fn breaks(&self, message: &[&str]) {
        let findings = check(&self.0).unwrap_err();
        assert_eq!(findings.len(), 1, "{findings:?}");
        for part in message {
            assert!(findings[0].contains(part), "{part} is not in {findings:?}");
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
