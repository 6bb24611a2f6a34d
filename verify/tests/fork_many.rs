//! Many processes and threads at a time: no word of one is another's, or its parent's.
//!
//! A check compares fewer than 2¹⁵ words and fails if any two are equal. With words that are independent and uniformly random
//! that happens by accident with a chance below 3·10⁻¹¹, and for this file, which has 20 that expect none, below 10⁻⁹.
//! With a planted mistake it happens with certainty.
#![cfg(target_os = "linux")]

use std::cell::RefCell;
use std::sync::{Barrier, Mutex, OnceLock};

use deniable::make_randomized_response_bool;
use deniable_sample::{Entropy, OsEntropy};
use deniable_verify::backend::fork::{How, in_child, in_children};
use deniable_verify::words::repeats;

/// Children of a process, and threads of one.
const MANY: usize = 64;

/// What each of them draws.
const WORDS: usize = 120;

/// Enough that several threads share the work, where the feature `rayon` is on.
const LARGE: usize = 1 << 16;

/// Draws words in some way.
type Draw = fn(&mut [u64]);

#[test]
fn children_of_one_process_do_not_repeat() {
    for how in [How::Fork, How::RawClone] {
        for draw in [one_by_one as Draw, at_once, in_a_loop] {
            assert!(!repeats(&of_children(how, draw)), "{how:?}");
        }
    }
}

#[test]
fn threads_do_not_repeat() {
    for draw in [one_by_one as Draw, at_once, in_a_loop] {
        assert!(!repeats(&of_threads(draw)));
    }
}

/// Each thread forks, and goes on beside its child.
#[test]
fn children_of_many_threads_do_not_repeat() {
    for how in [How::Fork, How::RawClone] {
        let streams = on_threads(|words| {
            let (own, childs) = words.split_at_mut(WORDS / 2);
            one_by_one(&mut own[..10]);
            childs.copy_from_slice(&in_child(how, childs.len(), one_by_one).unwrap());
            one_by_one(&mut own[10..]);
        });
        assert!(!repeats(&streams), "{how:?}");
    }
}

/// A process that has drawn already, as one that makes a pool of workers has, draws on between any two of them; they do work after work.
#[test]
fn a_pool_does_not_repeat() {
    for how in [How::Fork, How::RawClone] {
        assert!(!repeats(&of_pool(how, in_a_loop)), "{how:?}");
    }
}

/// Threads that work on a large batch are not there in a child, which has a generator of its own all the same.
#[test]
fn large_batches_before_and_after_a_fork_do_not_repeat() {
    assert!(!repeats(&of_batches(batch)));
    // No two words of one batch either, whatever thread drew them.
    assert!(!repeats(&[sampled(&batch(), 1 << 14)]));
}

#[test]
fn planted_mistake_an_ordinary_buffer_is_found() {
    for how in [How::Fork, How::RawClone] {
        assert!(repeats(&of_children(how, buffered)), "{how:?}");
        assert!(repeats(&of_pool(how, buffered)), "{how:?}");
    }
    println!("planted mistake found: an ordinary buffer");
}

/// A seed that is drawn once in a process is the same in its threads, and is copied to its children.
#[test]
fn planted_mistake_one_seed_of_a_process_is_found() {
    assert!(repeats(&of_threads(seeded_once)));
    for how in [How::Fork, How::RawClone] {
        assert!(repeats(&of_children(how, seeded_once)), "{how:?}");
        assert!(repeats(&of_pool(how, seeded_once)), "{how:?}");
    }
    println!("planted mistake found: one seed of a process");
}

/// A child that compares its number with one that was asked for before the fork takes itself for its parent.
#[test]
fn planted_mistake_a_number_of_a_process_that_is_kept_is_found() {
    for how in [How::Fork, How::RawClone] {
        assert!(repeats(&of_children(how, checked_by_kept_number)), "{how:?}");
    }
    println!("planted mistake found: a number of a process that is kept");
}

#[test]
fn planted_mistake_batches_from_copies_of_a_state_are_found() {
    let copied = || {
        let mut reports = vec![0; LARGE];
        reports.chunks_mut(LARGE / 8).for_each(seeded_once);
        reports
    };
    assert!(repeats(&of_batches(copied)));
    assert!(repeats(&[sampled(&copied(), 1 << 14)]));
    println!("planted mistake found: batches from copies of a state");
}

/// What a process, its children and itself after them draw.
fn of_children(how: How, draw: Draw) -> Vec<Vec<u64>> {
    let before = drawn(draw);
    let mut streams = in_children(how, MANY, WORDS, draw).unwrap();
    streams.extend([before, drawn(draw)]);
    streams
}

/// Several generations of workers, between which the process draws.
fn of_pool(how: How, draw: Draw) -> Vec<Vec<u64>> {
    let mut streams = vec![drawn(draw)];
    for _ in 0..8 {
        streams.extend(in_children(how, MANY / 8, WORDS, draw).unwrap());
        streams.push(drawn(draw));
    }
    streams
}

/// A batch before, batches in children, one by one in other children, and a batch after.
fn of_batches(batch: fn() -> Vec<u64>) -> Vec<Vec<u64>> {
    let some = |batch: Vec<u64>| sampled(&batch, 2 * WORDS);
    let before = some(batch());
    let of_child = |words: &mut [u64]| words.copy_from_slice(&some(batch()));
    let mut streams = in_children(How::Fork, 16, 2 * WORDS, of_child).unwrap();
    streams.extend(in_children(How::Fork, 16, 2 * WORDS, at_once).unwrap());
    streams.extend([before, some(batch())]);
    streams
}

fn of_threads(draw: Draw) -> Vec<Vec<u64>> {
    let mut streams = on_threads(draw);
    streams.push(drawn(draw));
    streams
}

/// What threads draw that begin at the same time.
fn on_threads(draw: impl Fn(&mut [u64]) + Sync) -> Vec<Vec<u64>> {
    let (barrier, streams) = (Barrier::new(MANY), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..MANY {
            scope.spawn(|| {
                let mut words = vec![0; WORDS];
                barrier.wait();
                draw(&mut words);
                streams.lock().unwrap().push(words);
            });
        }
    });
    streams.into_inner().unwrap()
}

fn drawn(draw: Draw) -> Vec<u64> {
    let mut words = vec![0; WORDS];
    draw(&mut words);
    words
}

fn one_by_one(words: &mut [u64]) {
    words.iter_mut().for_each(|word| *word = OsEntropy::new().word().unwrap());
}

fn at_once(words: &mut [u64]) {
    OsEntropy::new().fill(words).unwrap();
}

/// One piece of work after the other, by turns one by one and at once.
fn in_a_loop(words: &mut [u64]) {
    for (turn, part) in words.chunks_mut(7).enumerate() {
        if turn % 2 == 0 { one_by_one(part) } else { at_once(part) }
    }
}

/// Reports that are fair bits, whatever was answered.
fn batch() -> Vec<u64> {
    let mut reports = vec![0; LARGE];
    let coin = make_randomized_response_bool(0.5, false).unwrap();
    coin.invoke_packed(&mut reports, 64 * LARGE).unwrap();
    reports
}

/// So many words of a batch, from all its parts.
fn sampled(words: &[u64], count: usize) -> Vec<u64> {
    words.iter().step_by(words.len() / count).take(count).copied().collect()
}

/// A generator that is good enough but for where its state comes from.
struct Weyl(u64);

impl Weyl {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    }
}

/// Planted: words from the right source, kept in ordinary memory until they are wanted.
fn buffered(words: &mut [u64]) {
    thread_local!(static BUFFER: RefCell<(usize, [u64; 8 * WORDS])> = const { RefCell::new((0, [0; 8 * WORDS])) });
    BUFFER.with_borrow_mut(|(unread, buffer)| {
        for word in words {
            if *unread == 0 {
                OsEntropy::new().fill(buffer).unwrap();
                *unread = buffer.len();
            }
            *unread -= 1;
            *word = buffer[*unread];
        }
    });
}

/// Planted: a seed of the process, which each thread and each child begins with.
fn seeded_once(words: &mut [u64]) {
    static SEED: OnceLock<u64> = OnceLock::new();
    let seed = *SEED.get_or_init(|| OsEntropy::new().word().unwrap());
    let mut generator = Weyl(seed);
    words.fill_with(|| generator.next());
}

/// Planted: a buffer that is not used in another process, by a number that was asked for once.
fn checked_by_kept_number(words: &mut [u64]) {
    static NUMBER: OnceLock<u32> = OnceLock::new();
    static OWNER: OnceLock<u32> = OnceLock::new();
    let number = *NUMBER.get_or_init(std::process::id);
    let is_owner = *OWNER.get_or_init(|| number) == number;
    if is_owner { buffered(words) } else { at_once(words) }
}
