//! A forked child never repeats its parent's words.
//!
//! A check draws fewer than 2¹⁵ words in all and fails if any two of them are equal. With words that
//! are independent and uniformly random that happens by accident with a chance below 2²⁹ / 2⁶⁴, which
//! is 3·10⁻¹¹, a check, and below 10⁻⁹ for this file, which has fewer than 30 that expect none. The
//! same checks are run on generators with a planted mistake, which they must find.
#![cfg(target_os = "linux")]

use std::cell::RefCell;

use deniable_sample::{Entropy, OsEntropy};
use deniable_verify::backend::fork::{How, in_child};
use deniable_verify::words::repeats;

/// Enough to use up several buffers, too few to be equal by accident.
const WORDS: usize = 4096;

#[test]
fn shipping_generator_does_not_repeat() {
    for how in [How::Fork, How::RawClone] {
        for drawn_before in [0, 1, 100, 1003, 1004, 1005, 16_063, 16_064] {
            assert!(
                !repeats_across_fork(how, drawn_before, os_word),
                "{how:?} after {drawn_before}"
            );
        }
    }
}

#[test]
fn bulk_draws_do_not_repeat() {
    let fill = |words: &mut [u64]| OsEntropy::new().fill(words).unwrap();
    for how in [How::Fork, How::RawClone] {
        let mut streams = [vec![0; 100], vec![0; WORDS], vec![]];
        fill(&mut streams[0]);
        streams[2] = in_child(how, WORDS, fill).unwrap();
        fill(&mut streams[1]);
        assert!(!repeats(&streams));
    }
}

#[test]
fn a_child_of_a_child_does_not_repeat() {
    let before = draw(100, os_word);
    let below = in_child(How::Fork, 3 * WORDS, |words| {
        let (first, rest) = words.split_at_mut(WORDS);
        let (second, third) = rest.split_at_mut(WORDS);
        first.fill_with(os_word);
        let grandchild = in_child(How::Fork, WORDS, |words| words.fill_with(os_word)).unwrap();
        second.copy_from_slice(&grandchild);
        third.fill_with(os_word);
    });
    let after = draw(WORDS, os_word);
    assert!(!repeats(&[before, below.unwrap(), after]));
}

/// A fork on a thread other than the main one, beside threads that draw all the time.
#[test]
fn a_fork_among_busy_threads_does_not_repeat() {
    let busy = || std::thread::spawn(|| draw(100_000, os_word).len());
    let others = [busy(), busy()];
    assert!(!repeats_across_fork(How::Fork, 100, os_word));
    assert!(!repeats_across_fork(How::RawClone, 100, os_word));
    for thread in others {
        thread.join().unwrap();
    }
}

#[test]
fn planted_mistake_an_ordinary_buffer_is_found() {
    for how in [How::Fork, How::RawClone] {
        assert!(repeats_across_fork(how, 100, naively_buffered));
    }
}

#[test]
fn planted_mistake_wiped_zeros_are_found() {
    let parent = std::process::id();
    let zero_in_a_child = || if std::process::id() == parent { os_word() } else { 0 };
    assert!(repeats_across_fork(How::Fork, 100, zero_in_a_child));
}

/// Draws, forks twice, draws: whether any word of parent and children occurs twice.
fn repeats_across_fork(how: How, drawn_before: usize, source: impl Fn() -> u64 + Copy) -> bool {
    let before = draw(drawn_before, source);
    let child = in_child(how, WORDS, |words| words.fill_with(source)).unwrap();
    let its_sibling = in_child(how, WORDS, |words| words.fill_with(source)).unwrap();
    let after = draw(WORDS, source);
    repeats(&[before, child, its_sibling, after])
}

fn draw(count: usize, source: impl Fn() -> u64) -> Vec<u64> {
    (0..count).map(|_| source()).collect()
}

fn os_word() -> u64 {
    OsEntropy::new().word().unwrap()
}

/// Words from the right source, kept in ordinary memory until they are wanted.
fn naively_buffered() -> u64 {
    thread_local!(static BUFFER: RefCell<(usize, [u64; 512])> = const { RefCell::new((0, [0; 512])) });
    BUFFER.with_borrow_mut(|(unread, words)| {
        if *unread == 0 {
            OsEntropy::new().fill(words).unwrap();
            *unread = words.len();
        }
        *unread -= 1;
        words[*unread]
    })
}

#[cfg(target_arch = "x86_64")]
mod within_a_draw {
    //! A fork after every instruction of a draw, or every eleventh where there are many. The counts
    //! are those of optimized code, which the tests of this workspace are.

    use deniable_verify::backend::fork::step::{Stepped, fork_within};

    use super::{Entropy, OsEntropy, naively_buffered, repeats};

    /// What may pass between the generator's last look at its mark and the return to its caller. A fork
    /// there is one after the draw: parent and child both have its words.
    const INSTRUCTIONS_AFTER_THE_CHECK: usize = 150;

    #[test]
    fn word_at_hand() {
        os_fill(&mut [0; 20]);
        let stepped = fork_within(1, 1, os_words).unwrap();
        assert_eq!(fault(&stepped, 1), None);
        // The path is short, and no system call or cipher is on it.
        assert!((10..400).contains(&stepped.instructions), "{}", stepped.instructions);
    }

    /// The thread's first word: the page is mapped, the mark set, the seed fetched.
    #[test]
    fn first_word() {
        let draw = || fork_within(11, 1, os_words).unwrap();
        let stepped = std::thread::spawn(draw).join().unwrap();
        assert_eq!(fault(&stepped, 11), None);
    }

    /// The last words of a buffer and the first of the next, without and with a new seed.
    #[test]
    fn fill_across_a_refill_and_across_a_seed() {
        for refills_before in [1, 16] {
            let draw = move || {
                os_fill(&mut vec![0; refills_before * 1004 - 3]);
                fork_within(11, 6, os_fill).unwrap()
            };
            let stepped = std::thread::spawn(draw).join().unwrap();
            assert_eq!(fault(&stepped, 11), None);
            assert!(stepped.instructions > 5000, "{}", stepped.instructions);
        }
    }

    /// It compares process numbers before each draw, and after a fork would notice; but not in a draw.
    #[test]
    fn planted_mistake_a_check_before_the_draw_is_found() {
        let mut process = std::process::id();
        let mut state = naively_buffered();
        let stepped = fork_within(11, 1, |words| {
            if std::process::id() != process {
                process = std::process::id();
                os_fill(std::slice::from_mut(&mut state));
            }
            for _ in 0..1000 {
                state =
                    std::hint::black_box(state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
            }
            words[0] = state;
        });
        assert!(fault(&stepped.unwrap(), 11).is_some());
    }

    /// What is wrong with what the children drew.
    fn fault(stepped: &Stepped, stride: usize) -> Option<&'static str> {
        let Stepped { instructions, parent, children } = stepped;
        assert_eq!(children.len(), instructions.div_ceil(stride));
        let shares = |words: &[u64]| words == parent.interrupted;
        let late = children.iter().rev().take_while(|child| shares(&child.interrupted)).count();
        if late * stride > INSTRUCTIONS_AFTER_THE_CHECK {
            return Some("a fork long before the end of the draw is not noticed");
        }
        let mut streams = vec![parent.interrupted.clone(), parent.next.clone()];
        let (early, late) = children.split_at(children.len() - late);
        streams.extend(early.iter().map(|child| child.interrupted.clone()));
        streams.extend(early.iter().chain(late).map(|child| child.next.clone()));
        repeats(&streams).then_some("a child repeats a word, its own or another's")
    }

    fn os_fill(words: &mut [u64]) {
        OsEntropy::new().fill(words).unwrap();
    }

    fn os_words(words: &mut [u64]) {
        words.iter_mut().for_each(|word| *word = OsEntropy::new().word().unwrap());
    }
}
