//! A word that is written while somebody else holds it as one that does not change, which Miri must find. Run by `verify/miri` as a test of a
//! package that it makes, and part of nothing else.

#[test]
fn planted() {
    let mut words = vec![1u64; std::env::args().count() + 3];
    let pointer = words.as_mut_ptr();
    // SAFETY: there is none.
    let held = unsafe { &*pointer };
    // SAFETY: there is none.
    unsafe { pointer.write(2) };
    println!("{held}");
}
