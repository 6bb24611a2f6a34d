//! A read behind the end of an allocation, which the sanitizer must find. Compiled by `verify/sanitize`, and part of nothing else.

fn main() {
    let words = vec![1u64; std::env::args().count() + 3];
    // SAFETY: there is none.
    let behind = unsafe { std::hint::black_box(words.as_ptr()).add(words.len()).read() };
    println!("{behind}");
}
