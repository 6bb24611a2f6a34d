//! The operating system's entropy, buffered a thread where that is safe and straight where it is not.

use core::cell::Cell;
use core::sync::atomic::{Ordering, compiler_fence};

use zeroize::Zeroize;

use super::generator::{Generator, Seeder};
use crate::backend::bytes_of;
use crate::{Error, Result};

/// One word from this thread's generator, or from the operating system itself.
#[inline]
pub(super) fn word() -> Result<u64> {
    match buffered(Generator::word_at_hand).flatten() {
        Some(word) => Ok(word),
        None => word_not_at_hand(),
    }
}

/// Fills `words` from this thread's generator, or from the operating system itself.
pub(super) fn fill(words: &mut [u64]) -> Result<()> {
    match buffered(|generator| generator.fill(words)) {
        Some(outcome) => outcome,
        None => straight(&mut Os, words),
    }
}

#[cold]
#[inline(never)]
fn word_not_at_hand() -> Result<u64> {
    let mut word = [0];
    fill(&mut word)?;
    Ok(word[0])
}

/// The operating system as a seeder.
struct Os;

impl Seeder for Os {
    fn seed(&mut self, bytes: &mut [u8]) -> Result<()> {
        // Whatever the cause, the caller can do one thing only: not release. And the cause may tell
        // how much was drawn before.
        getrandom::fill(bytes).map_err(|_| Error::entropy_unavailable())
    }
}

/// This thread's generator.
///
/// It is *taken* for each draw and put back behind it. So a draw that comes in between, from a signal
/// handler, finds none and goes to the operating system; and a generator whose draw panicked is not
/// put back but wiped.
struct Slot {
    generator: Cell<Option<Generator<Os>>>,
    tried: Cell<bool>,
}

std::thread_local! {
    static SLOT: Slot = const { Slot { generator: Cell::new(None), tried: Cell::new(false) } };
}

impl Slot {
    #[inline]
    fn take(&self) -> Option<Generator<Os>> {
        let generator = self.generator.take().or_else(|| self.first());
        // A signal handler must see that it was taken: keep the compiler from merging take and put.
        compiler_fence(Ordering::SeqCst);
        generator
    }

    #[inline]
    fn put(&self, generator: Generator<Os>) {
        compiler_fence(Ordering::SeqCst);
        if let Some(other) = self.generator.replace(Some(generator)) {
            drop_rarely(other);
        }
    }

    /// The thread's first draw makes its generator, if one can be made. Later the slot is empty only
    /// because none could, or because it is taken.
    #[cold]
    #[inline(never)]
    fn first(&self) -> Option<Generator<Os>> {
        if self.tried.replace(true) { None } else { Generator::new(Os) }
    }
}

/// Two exist only if a signal handler made one while `first` was about to; this keeps the wiping out of
/// the path of every draw.
#[cold]
#[inline(never)]
fn drop_rarely(_: Generator<Os>) {}

/// Lets `draw` use this thread's generator. `None` if there is none: memory that is wiped on fork could
/// not be had, the generator is in use below us on the stack, or the thread is at its end and has
/// destroyed it.
#[inline]
fn buffered<R>(draw: impl FnOnce(&mut Generator<Os>) -> R) -> Option<R> {
    let drawn = SLOT.try_with(|slot| {
        let mut generator = slot.take()?;
        let drawn = draw(&mut generator);
        slot.put(generator);
        Some(drawn)
    });
    drawn.ok().flatten()
}

/// Fills `words` without a buffer, or fails and fills them with zeros.
#[cold]
#[inline(never)]
fn straight(seeder: &mut impl Seeder, words: &mut [u64]) -> Result<()> {
    let outcome = seeder.seed(bytes_of(words));
    if outcome.is_err() {
        words.zeroize();
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::{Cell, Generator, Os, SLOT, Seeder, buffered, fill, straight, word};
    use crate::{Error, Result};

    /// Writes what it can and then fails, as a read that is cut short.
    struct CutShort;

    impl Seeder for CutShort {
        fn seed(&mut self, bytes: &mut [u8]) -> Result<()> {
            let half = bytes.len() / 2;
            bytes[..half].fill(0xa5);
            Err(Error::entropy_unavailable())
        }
    }

    /// Every word differs from every other: by accident not so with a chance below 2⁻⁴⁰.
    fn assert_distinct(mut words: Vec<u64>) {
        assert!(words.len() < 1 << 12);
        let length = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), length);
    }

    #[test]
    fn words_and_fills_do_not_repeat() {
        let mut words = vec![0; 1500];
        fill(&mut words).unwrap();
        words.extend((0..1500).map(|_| word().unwrap()));
        assert_distinct(words);
    }

    #[test]
    fn two_threads_differ() {
        let draw = || (0..1000).map(|_| word().unwrap()).collect::<Vec<_>>();
        let threads = [std::thread::spawn(draw), std::thread::spawn(draw)];
        assert_distinct(threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect());
    }

    /// Words of a thread come from one generator, not each from the operating system.
    #[test]
    fn a_generator_is_used_again() {
        std::thread::spawn(|| {
            for _ in 0..3 {
                assert_eq!(buffered(|_| ()).is_some(), Generator::new(Os).is_some());
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn without_a_generator_words_come_straight_from_the_operating_system() {
        std::thread::spawn(|| {
            SLOT.with(|slot| slot.tried.set(true));
            assert!(buffered(|_| ()).is_none());
            let mut words = vec![0; 1000];
            fill(&mut words).unwrap();
            words.extend((0..1000).map(|_| word().unwrap()));
            assert_distinct(words);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_draw_within_a_draw_goes_to_the_operating_system() {
        let within = buffered(|generator| {
            assert!(buffered(|_| ()).is_none());
            let mut before = [0; 2];
            generator.fill(&mut before).unwrap();
            let within = word().unwrap();
            vec![before[0], before[1], within, generator.word_at_hand().unwrap()]
        });
        if let Some(mut words) = within {
            words.push(word().unwrap());
            assert_distinct(words);
        }
    }

    #[test]
    fn a_panic_within_a_draw_leaves_no_generator() {
        std::thread::spawn(|| {
            let panicked = std::panic::catch_unwind(|| buffered(|_| panic!("planted")));
            assert_eq!(panicked.is_err(), Generator::new(Os).is_some());
            assert!(buffered(|_| ()).is_none());
            assert_distinct(vec![word().unwrap(), word().unwrap()]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn words_can_be_drawn_while_a_thread_ends() {
        struct AtEnd(std::sync::mpsc::Sender<u64>);
        impl Drop for AtEnd {
            fn drop(&mut self) {
                for _ in 0..3 {
                    self.0.send(word().unwrap()).unwrap();
                }
            }
        }
        thread_local! {
            static AT_END: Cell<Option<AtEnd>> = const { Cell::new(None) };
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            // Registered before the generator, whose destructor may therefore run first or last.
            AT_END.set(Some(AtEnd(sender.clone())));
            sender.send(word().unwrap()).unwrap();
        });
        let words: Vec<_> = receiver.iter().collect();
        assert_eq!(words.len(), 4);
        assert_distinct(words);
    }

    #[test]
    fn straight_failure_is_an_error_and_leaves_zeros() {
        for length in [1, 2, 7, 1000] {
            let mut words = vec![1; length];
            assert_eq!(straight(&mut CutShort, &mut words), Err(Error::entropy_unavailable()));
            assert!(words.iter().all(|&word| word == 0));
        }
    }
}
