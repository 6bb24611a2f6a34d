//! A read behind the end of an allocation, which the sanitizer and Miri must find. Run by `verify/sanitize` and `verify/miri` as a test of a
//! package that they make, and part of nothing else.

#[test]
fn planted() {
    let words = vec![1u64; std::env::args().count() + 3];
    // SAFETY: there is none.
    let behind = unsafe { std::hint::black_box(words.as_ptr()).add(words.len()).read() };
    println!("{behind}");
}
