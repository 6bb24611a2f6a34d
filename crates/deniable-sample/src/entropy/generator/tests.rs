//! The generator under a scripted seeder.

use std::cell::Cell;

use super::*;
use crate::entropy::cipher::tests::refill;
use crate::{Error, ErrorKind};

#[test]
fn output_is_that_of_the_plain_construction() {
    let mut words = vec![0; 3 * PER_SEED + 5];
    generator(&Script::default()).fill(&mut words).unwrap();
    assert_eq!(words, expected_words(words.len()));
}

/// Words one by one and words in bulk are the same stream, wherever the cuts fall.
#[test]
fn fill_equals_repeated_word() {
    let script = Script::default();
    let mut one_by_one = generator(&script);
    let words: Vec<_> = (0..2 * PER_SEED).map(|_| one_by_one.word().unwrap()).collect();
    assert_eq!(words, expected_words(words.len()));
    for cut in [1, 2, 3, OUTPUT - 1, OUTPUT, OUTPUT + 1, 2 * OUTPUT + 7, PER_SEED] {
        let script = Script::default();
        let mut in_bulk = generator(&script);
        let mut filled = vec![0; words.len()];
        for (n, chunk) in filled.chunks_mut(cut).enumerate() {
            match chunk {
                [single] if n % 2 == 0 => *single = in_bulk.word().unwrap(),
                _ => in_bulk.fill(chunk).unwrap(),
            }
        }
        assert_eq!(filled, words, "cut {cut}");
    }
}

#[test]
fn what_was_handed_out_is_not_kept() {
    let script = Script::default();
    let mut generator = generator(&script);
    let first = generator.word().unwrap();
    let key = generator.state.keystream[..KEY].to_vec();
    let mut more = [0; 10];
    generator.fill(&mut more).unwrap();
    assert!(generator.state.keystream[KEY..][..11].iter().all(|&word| word == 0));
    assert!(generator.state.keystream[KEY + 11..].iter().all(|&word| word != 0));
    generator.fill(&mut [0; OUTPUT]).unwrap();
    assert_ne!(generator.state.keystream[..KEY], key);
    let kept = &generator.state.keystream;
    assert!(!kept.contains(&first) && more.iter().all(|word| !kept.contains(word)));
    assert!(key.iter().all(|word| !kept.contains(word)));
}

#[test]
fn a_seed_serves_for_its_interval_and_no_longer() {
    let script = Script::default();
    let mut generator = generator(&script);
    assert_eq!(script.asked.get(), 0);
    generator.fill(&mut []).unwrap();
    assert_eq!(script.asked.get(), 0);
    for n in 0..5 * PER_SEED {
        generator.word().unwrap();
        assert_eq!(script.asked.get(), n / PER_SEED + 1, "word {n}");
    }
}

/// A failure at each of the first reseeds, met one word at a time and in bulk: always the error, never a
/// word, nothing kept; and a new seed when the source works again.
#[test]
fn failure_at_every_seed_is_an_error_and_leaves_nothing() {
    for fails_from in 0..4 {
        for bulk in [0, 1, 2, OUTPUT, PER_SEED + 1] {
            let script = Script::default();
            let mut generator = generator(&script);
            generator.fill(&mut vec![0; fails_from * PER_SEED]).unwrap();
            assert_eq!(script.asked.get(), fails_from);
            script.fails.set(true);
            for _ in 0..3 {
                if bulk == 0 {
                    let error = generator.word().unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
                } else {
                    let mut words = vec![u64::MAX; bulk];
                    assert_eq!(generator.fill(&mut words), Err(Error::entropy_unavailable()));
                    assert!(words.iter().all(|&word| word == 0));
                }
                assert_nothing_kept(&generator);
            }
            assert_eq!(script.asked.get(), fails_from + 3);
            script.fails.set(false);
            generator.word().unwrap();
            assert_eq!(script.asked.get(), fails_from + 4);
        }
    }
}

/// A fill that fails in its middle hands out nothing of its beginning.
#[test]
fn failure_in_the_middle_of_a_fill_leaves_no_output() {
    let script = Script::default();
    script.fails_after.set(Some(2));
    let mut generator = generator(&script);
    let mut words = vec![u64::MAX; 2 * PER_SEED + 1];
    assert_eq!(generator.fill(&mut words), Err(Error::entropy_unavailable()));
    assert_eq!(script.asked.get(), 3);
    assert!(words.iter().all(|&word| word == 0));
    assert_nothing_kept(&generator);
}

/// The state a forked child finds.
#[test]
fn a_wiped_generator_asks_for_a_new_seed() {
    for drawn in [1, 17, OUTPUT, PER_SEED - 1, PER_SEED] {
        let script = Script::default();
        let mut generator = generator(&script);
        generator.fill(&mut vec![0; drawn]).unwrap();
        generator.state.wipe();
        let (_, second_seed) = refill(&key_of(1));
        assert_eq!(generator.word().unwrap(), second_seed[0]);
        assert_eq!(script.asked.get(), 2);
    }
}

/// As a fork in the middle of a draw leaves it: what the registers held is written into wiped memory.
#[test]
fn leftovers_in_wiped_memory_are_not_handed_out() {
    let script = Script::default();
    let mut generator = generator(&script);
    generator.word().unwrap();
    generator.state.wipe();
    generator.state.keystream.fill(3);
    generator.state.unread = OUTPUT;
    generator.state.refills = REFILLS_PER_SEED;
    let (_, second_seed) = refill(&key_of(1));
    assert_eq!(generator.word().unwrap(), second_seed[0]);
    assert_eq!(generator.word().unwrap(), second_seed[1]);
}

#[test]
fn a_seeder_that_panics_leaves_no_seed() {
    struct Panics<'a>(&'a Cell<bool>);
    impl Seeder for Panics<'_> {
        fn seed(&mut self, bytes: &mut [u8]) -> Result<()> {
            bytes[..16].fill(7);
            assert!(!self.0.get(), "planted");
            bytes.copy_from_slice(&key_of(0));
            Ok(())
        }
    }
    let panics = Cell::new(true);
    let mut generator = Generator::new(Panics(&panics)).unwrap();
    let draw = std::panic::AssertUnwindSafe(|| generator.word());
    assert!(std::panic::catch_unwind(draw).is_err());
    panics.set(false);
    assert_eq!(generator.word().unwrap(), expected_words(1)[0]);
}

const PER_SEED: usize = REFILLS_PER_SEED * OUTPUT;

/// Counts how often it is asked, and fails when told to, with half of the seed written.
#[derive(Default)]
struct Script {
    asked: Cell<usize>,
    fails: Cell<bool>,
    fails_after: Cell<Option<usize>>,
}

impl Seeder for &Script {
    fn seed(&mut self, bytes: &mut [u8]) -> Result<()> {
        let before = self.asked.replace(self.asked.get() + 1);
        if self.fails.get() || self.fails_after.get().is_some_and(|limit| before >= limit) {
            bytes[..16].fill(0xff);
            return Err(Error::entropy_unavailable());
        }
        bytes.copy_from_slice(&key_of(before));
        Ok(())
    }
}

impl<S: Seeder> Generator<S> {
    fn word(&mut self) -> Result<u64> {
        let mut word = [0];
        self.word_at_hand().map_or_else(|| self.fill(&mut word).map(|()| word[0]), Ok)
    }
}

fn generator(script: &Script) -> Generator<&Script> {
    Generator::new(script).expect("Linux 4.14 or later")
}

fn key_of(seed: usize) -> [u8; 32] {
    core::array::from_fn(|i| (i * i + 31 * seed + 1) as u8)
}

fn expected_words(count: usize) -> Vec<u64> {
    let mut words = Vec::new();
    for seed in 0..count.div_ceil(PER_SEED) {
        let mut key = key_of(seed);
        for _ in 0..REFILLS_PER_SEED {
            let (next, output) = refill(&key);
            words.extend(output);
            key = next;
        }
    }
    words.truncate(count);
    words
}

fn assert_nothing_kept(generator: &Generator<&Script>) {
    let State { keystream, unread, refills } = &*generator.state;
    assert!(keystream.iter().all(|&word| word == 0));
    assert_eq!((*unread, *refills, generator.state.is_marked()), (0, 0, false));
}
