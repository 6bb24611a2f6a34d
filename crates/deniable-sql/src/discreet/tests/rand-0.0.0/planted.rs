/// A panic whose place is a folder that has the name of a crate which draws.
pub(super) fn defect() {
    panic!("a defect");
}
