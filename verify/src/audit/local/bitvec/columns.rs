//! Words by their columns of bits.
//!
//! There are too many words of 64 bits to try them all, and no intervals of them: what is drawn is used bit by bit. But
//! each bit of the vector has a number below 1 of its own, and these numbers have no bit of the words in common. The first
//! digits of all of them are drawn side by side: bit j of a word is the next digit of the number of bit j of a group of up
//! to 64 bits. In constant time all digits are drawn so, else as many as leave few bits undecided, and each of these then
//! reads words of its own, of which all bits are digits of its number. Of uniform words the numbers are uniform and
//! independent of each other. If a bit is flipped exactly if its own number is below f/2, whatever the others are, then
//! each bit is flipped with probability f/2, independently of the others. So the law is known, and exact.
//!
//! Whether a number is below f/2 is decided by the first digit in which they differ. So numbers are of as many kinds as
//! there are counts of digits that agree, none and all included. Scripts are built in which each bit of the vector has
//! each kind of number. What must not matter is zeros, ones, the digits of f/2, or has no pattern: the digits behind the
//! one that decides, and the columns behind the last bit of the vector.

use std::collections::BTreeMap;
use std::sync::Mutex;

use dashu_base::BitTest;
use dashu_ratio::RBig;
use deniable::{BitVector, Measurement, RandomizedResponseBitvec};
use deniable_sample::FLIPS;

use super::{Parameters, shipping};
use crate::audit::exact::value;
use crate::audit::local::Local;
use crate::audit::local::laws::Words;
use crate::words::{Script, spread};

/// Scripts of which it is known what they do.
#[derive(Clone, Debug)]
pub(in crate::audit::local) struct Columns {
    /// The bits of a word.
    width: usize,
    k: usize,
    constant_time: bool,
    /// The binary digits of f/2, up to the last one.
    digits: Vec<bool>,
    /// Words without a pattern.
    random: Vec<u64>,
}

impl Columns {
    pub(in crate::audit::local) fn new(
        Parameters { k, f, constant_time, .. }: Parameters,
        width: usize,
    ) -> Self {
        let flip = value(f) / RBig::from(2);
        // The denominator is a power of two.
        let places = flip.denominator().bit_len() - 1;
        let digits = (0..places).rev().map(|place| flip.numerator().bit(place)).collect();
        Columns { width, k, constant_time, digits, random: spread(places + 40 * k) }
    }

    /// Those of k bits of which each is a one with this probability: where a vector of zeros would be flipped, with half of f.
    pub(in crate::audit::local) fn of_ones(k: usize, prob: f64, width: usize) -> Self {
        Columns::new(Parameters { k, m: k, f: 2.0 * prob, constant_time: false }, width)
    }

    /// The most words that are read.
    pub(in crate::audit::local) fn most_words(&self) -> usize {
        let of_block = |count| {
            let together = self.together(count);
            let alone = (self.places() - together).div_ceil(self.width);
            count.div_ceil(self.width) * together + count * alone
        };
        self.blocks().map(of_block).sum()
    }

    /// How many scripts there are that decide all bits.
    pub(in crate::audit::local) fn scripts(&self) -> usize {
        let power = |n: usize, exponent: usize| n.saturating_pow(exponent as u32);
        let of_block = |count: usize| {
            let (together, width) = (self.together(count), self.width);
            let words = (self.places() - together).div_ceil(width);
            // A number of its own ends by any word of its own that is another than that of f/2, or by the last.
            let alone = words.saturating_mul(power(2, width) - 1).saturating_add(1);
            let of_bit = (power(2, together) - 1).saturating_add(alone);
            let unused = count.div_ceil(width) * width - count;
            power(of_bit, count).saturating_mul(power(2, unused * together))
        };
        self.blocks().map(of_block).fold(1, usize::saturating_mul)
    }

    /// The words that the mechanism must read, all of them and no more, if the number of each bit agrees with f/2 in so
    /// many digits and differs in the next. `turn` decides what the bits are that must not matter.
    pub(in crate::audit::local) fn script(&self, agreeing: &[usize], turn: usize) -> Vec<u64> {
        let mut script = Vec::new();
        for block in agreeing.chunks(FLIPS * self.width) {
            let together = self.together(block.len());
            let groups = block.chunks(self.width).map(|group| Group::new(group, self.places()));
            let mut groups: Vec<Group> = groups.collect();
            for &digit in &self.digits[..together] {
                for group in &mut groups {
                    let filler = self.filler(turn, script.len(), digit);
                    script.push(group.next(digit, filler));
                }
            }
            let rest = self.digits_in_words(together);
            for agreeing in block.iter().filter(|&&agreeing| agreeing >= together) {
                self.push_own_words(&rest, *agreeing, together, turn, &mut script);
            }
        }
        script
    }

    /// The bits that must be flipped if the columns agree with f/2 in so many digits: the first digit that differs is
    /// a zero in place of a one.
    pub(in crate::audit::local) fn noise(&self, agreeing: &[usize]) -> BitVector {
        agreeing.iter().map(|&digits| self.digits.get(digits) == Some(&true)).collect()
    }

    /// In how many digits columns may agree with f/2 that flip these bits and no others. `turn` decides which of all
    /// the numbers there are.
    pub(in crate::audit::local) fn agreeing(&self, noise: &BitVector, turn: usize) -> Vec<usize> {
        let of_flips = |flips: bool| -> Vec<usize> {
            (0..=self.places()).filter(|&n| (self.digits.get(n) == Some(&true)) == flips).collect()
        };
        let (flips, keeps) = (of_flips(true), of_flips(false));
        let choose = |(j, flipped): (usize, bool)| {
            let all = if flipped { &flips } else { &keeps };
            all[self.any(turn + j, all.len())]
        };
        noise.iter().enumerate().map(choose).collect()
    }

    /// No bit is flipped, each alone, all but each, and many. Of very many bits some.
    pub(in crate::audit::local) fn every_noise(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let k = self.k;
        let alone = self.some_bits().flat_map(move |i| [true, false].map(|flips| (i, flips)));
        let alone = alone.map(move |(i, flips)| (0..k).map(|j| (j == i) == flips).collect());
        let many = (0..16).map(move |i| (0..k).map(|j| self.any(i + j, 2) == 1).collect());
        let all = core::iter::once(BitVector::zeros(k)).chain(alone).chain(many);
        all.enumerate().map(|(turn, noise)| self.agreeing(&noise, turn))
    }

    /// Every bit has every number of digits that agree, while the others have any. More than once where there are few.
    pub(in crate::audit::local) fn every_place(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let (k, numbers) = (self.k, self.places() + 1);
        let rounds = 1 + 64 / numbers;
        let all = (0..rounds).flat_map(move |round| (0..numbers).map(move |n| (round, n)));
        all.map(move |(round, n)| {
            (0..k).map(|j| (n + self.any(round * k + j, numbers)) % numbers).collect()
        })
    }

    /// One bit is undecided for longer than all others: for every number of digits, and by the last digit for every bit.
    pub(in crate::audit::local) fn one_is_last(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let (k, places) = (self.k, self.places());
        let by_the_last = self.some_bits().flat_map(move |i| [(i, places - 1), (i, places)]);
        let all = (0..=places).map(move |n| (n % k, n)).chain(by_the_last);
        all.map(move |(i, n)| {
            (0..k).map(|j| if j == i { n } else { self.any(n + j, n.max(1)) }).collect()
        })
    }

    /// All of these.
    pub(in crate::audit::local) fn every_kind(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        self.every_noise().chain(self.every_place()).chain(self.one_is_last())
    }

    /// Runs the mechanism that users call with each input on the script of each list of numbers of digits that agree. It
    /// must flip the bits that their own columns flip, and read the words that take part in that.
    pub(in crate::audit::local) fn check<M: Local<Input = BitVector, Output = BitVector>>(
        &self,
        mechanism: &M,
        inputs: &[BitVector],
        all: impl Iterator<Item = Vec<usize>>,
    ) -> Result<(), String> {
        self.check_runs(inputs, all, |input, script| {
            let mut words = Words::new(script);
            (mechanism.invoke_from(input, &mut words), words.asked)
        })
    }

    /// The same with words of `BITS` bits.
    pub(in crate::audit::local) fn check_small<
        const BITS: u32,
        M: Local<Input = BitVector, Output = BitVector>,
    >(
        &self,
        mechanism: &M,
        inputs: &[BitVector],
        all: impl Iterator<Item = Vec<usize>>,
    ) -> Result<(), String> {
        self.check_runs(inputs, all, |input, script| {
            let mut words = Script::<BITS>::new(script);
            (mechanism.randomize(input, &mut words), words.asked)
        })
    }

    fn check_runs(
        &self,
        inputs: &[BitVector],
        all: impl Iterator<Item = Vec<usize>>,
        run: impl Fn(&BitVector, &[u64]) -> (deniable::Result<BitVector>, usize),
    ) -> Result<(), String> {
        for (turn, agreeing) in all.enumerate() {
            let (script, noise) = (self.script(&agreeing, turn), self.noise(&agreeing));
            for input in inputs {
                if run(input, &script) != (Ok(super::xor(input, &noise)), script.len()) {
                    return Err("a bit is not decided by its own column alone".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Runs the mechanism with words of `BITS` bits: it must not ask for more than decide.
    pub(in crate::audit::local) fn check_ends<
        const BITS: u32,
        M: Local<Input = BitVector, Output = BitVector>,
    >(
        &self,
        mechanism: &M,
        inputs: &[BitVector],
    ) -> Result<(), String> {
        for (turn, agreeing) in self.every_noise().chain(self.every_place()).enumerate() {
            let script = self.script(&agreeing, turn);
            let ends =
                |input| mechanism.randomize(input, &mut Script::<BITS>::new(&script)).is_ok();
            if !inputs.iter().all(ends) {
                return Err("more words are read than decide".to_owned());
            }
        }
        Ok(())
    }

    /// All bits, or some of very many. The last is always one of them.
    fn some_bits(&self) -> impl Iterator<Item = usize> + use<> {
        let last = self.k - 1;
        (0..last).step_by(1 + self.k / 256).chain([last])
    }

    /// How many bits are decided side by side, in turn.
    fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let most = FLIPS * self.width;
        (0..self.k).step_by(most).map(move |first| most.min(self.k - first))
    }

    /// How many digits so many bits read side by side.
    fn together(&self, count: usize) -> usize {
        let most = if self.constant_time { usize::MAX } else { side_by_side(count, self.width) };
        self.places().min(most)
    }

    /// The digits of f/2 from this place on, as many in a word as it has bits, with zeros behind the last.
    fn digits_in_words(&self, place: usize) -> Vec<u64> {
        let word = |digits: &[bool]| {
            let digits = digits.iter().copied().chain(core::iter::repeat(false)).take(self.width);
            digits.fold(0, |word, digit| word << 1 | u64::from(digit))
        };
        self.digits[place..].chunks(self.width).map(word).collect()
    }

    /// The words that a bit reads alone, where `rest` are those of f/2 from place `together` on.
    fn push_own_words(
        &self,
        rest: &[u64],
        agreeing: usize,
        together: usize,
        turn: usize,
        script: &mut Vec<u64>,
    ) {
        let (same, digits) =
            ((agreeing - together) / self.width, (agreeing - together) % self.width);
        script.extend(&rest[..same]);
        if let Some(word) = rest.get(same) {
            let differs = self.digits.len() > agreeing;
            let free = (1 << (self.width - digits - usize::from(differs))) - 1;
            let filler = self.filler(turn, script.len(), false) & free;
            script.push(((word & !free) ^ (u64::from(differs) * (free + 1))) | filler);
        }
    }

    /// How many binary digits f/2 has.
    fn places(&self) -> usize {
        self.digits.len()
    }

    /// What is in word number `index` where it must not matter: zeros, ones, the digit of f/2, or bits without a pattern.
    fn filler(&self, turn: usize, index: usize, digit: bool) -> u64 {
        let filler = match turn % 5 {
            0 => 0,
            1 => u64::MAX,
            2 => u64::from(digit).wrapping_neg(),
            _ => self.random[(turn + index) % self.random.len()],
        };
        filler >> (64 - self.width)
    }

    /// A number below `end` without a pattern.
    fn any(&self, index: usize, end: usize) -> usize {
        (self.random[index % self.random.len()] >> 32) as usize % end
    }
}

/// How many digits so many bits read side by side with words of `width` bits, where there are many digits and it is not
/// in constant time. That is a matter of speed alone. So it is not said here, but seen.
///
/// # Panics
///
/// If it reads on and on, or not as many words for each group of bits.
pub fn side_by_side(count: usize, width: usize) -> usize {
    static SEEN: Mutex<BTreeMap<(usize, usize), usize>> = Mutex::new(BTreeMap::new());
    let mut seen = SEEN.lock().expect("no panic while it is held");
    *seen.entry((count, width)).or_insert_with(|| {
        let f = 0.5f64.powi(100);
        let mechanism = shipping(Parameters { k: count, m: count, f, constant_time: false });
        // The first digit is a zero: by ones all is decided.
        let ones = vec![u64::MAX >> (64 - width); 100 * count];
        let asked = match width {
            1 => asked::<1>(&mechanism, &ones),
            2 => asked::<2>(&mechanism, &ones),
            4 => asked::<4>(&mechanism, &ones),
            8 => asked::<8>(&mechanism, &ones),
            _ => {
                let mut words = Words::new(&ones);
                Local::invoke_from(&mechanism, &BitVector::zeros(count), &mut words)
                    .map(|_| words.asked)
            }
        };
        let (asked, groups) = (asked.expect("enough words"), count.div_ceil(width));
        assert_eq!(asked % groups, 0, "each group reads as many words");
        asked / groups
    })
}

/// How many words of `BITS` bits the mechanism reads for zeros.
fn asked<const BITS: u32>(
    mechanism: &RandomizedResponseBitvec,
    script: &[u64],
) -> deniable::Result<usize> {
    let mut words = Script::<BITS>::new(script);
    let zeros = BitVector::zeros(mechanism.input_domain().length());
    mechanism.randomize(&zeros, &mut words).map(|_| words.asked)
}

/// Bits whose digits are in the same words.
struct Group {
    /// Those that differ from f/2 in the next digit, those that do in the one after it, and so on.
    differing: std::vec::IntoIter<u64>,
    undecided: u64,
}

impl Group {
    fn new(agreeing: &[usize], places: usize) -> Self {
        let mut differing = vec![0; places + 1];
        agreeing.iter().enumerate().for_each(|(lane, &digits)| differing[digits] |= 1 << lane);
        Group { differing: differing.into_iter(), undecided: u64::MAX >> (64 - agreeing.len()) }
    }

    /// The next word, where the digit of f/2 is `digit`. What must not matter is as in `filler`.
    fn next(&mut self, digit: bool, filler: u64) -> u64 {
        let others = filler & !self.undecided;
        let differing = self.differing.next().unwrap_or(0);
        self.undecided &= !differing;
        others | if digit { self.undecided } else { differing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::local::laws::over_small_words;
    use crate::words::fraction_of_width;

    /// The digits of each bit, as they are in the script, up to where it is decided. All of the script is for some bit.
    fn digits_of(columns: &Columns, script: &[u64]) -> Vec<Vec<bool>> {
        let (mut words, places) = (script.iter(), columns.places());
        let mut all = vec![Vec::new(); columns.k];
        for block in all.chunks_mut(FLIPS * columns.width) {
            let together = columns.together(block.len());
            for _ in 0..together {
                for group in block.chunks_mut(columns.width) {
                    let word = words.next().unwrap();
                    let digits = group.iter_mut().enumerate();
                    digits.for_each(|(lane, digits)| digits.push(word >> lane & 1 == 1));
                }
            }
            for digits in block {
                let undecided = |digits: &[bool]| {
                    digits.len() < places && digits == &columns.digits[..digits.len()]
                };
                while undecided(digits) {
                    let word = words.next().unwrap();
                    digits.extend((0..columns.width).rev().map(|place| word >> place & 1 == 1));
                    digits.truncate(places);
                }
            }
        }
        assert_eq!(words.next(), None);
        all
    }

    /// The columns are below f/2 where bits are to be flipped, and agree with it in as many digits as they should.
    fn does_what_it_should(columns: &Columns, flip: &RBig, agreeing: &[usize], turn: usize) {
        let (script, noise) = (columns.script(agreeing, turn), columns.noise(agreeing));
        assert!(script.len() <= columns.most_words());
        for (bit, digits) in digits_of(columns, &script).iter().enumerate() {
            let words: Vec<u64> = digits.iter().map(|&digit| digit.into()).collect();
            let number = fraction_of_width(1, &words);
            assert_eq!(number < *flip, noise.get(bit).unwrap());
            let same = digits.iter().zip(&columns.digits).take_while(|(a, b)| a == b).count();
            assert_eq!((same, number == *flip), (agreeing[bit], same == columns.places()));
        }
    }

    #[test]
    fn scripts_do_what_they_should() {
        for (f, k) in [(1.0, 3), (0.5, 64), (0.3, 5), (0.3, 300), (1e-30, 65), (5e-324, 3)] {
            for (width, constant_time) in [(64, false), (64, true), (4, false), (8, true)] {
                let columns = Columns::new(Parameters { k, m: k, f, constant_time }, width);
                let flip = value(f) / RBig::from(2);
                let all = columns.every_noise().chain(columns.every_place());
                for (turn, agreeing) in all.chain(columns.one_is_last()).step_by(7).enumerate() {
                    does_what_it_should(&columns, &flip, &agreeing, turn);
                }
            }
        }
    }

    #[test]
    fn there_is_every_number_of_digits_for_every_bit() {
        for (f, k) in [(1.0, 2), (0.75, 200), (0.3, 70), (5e-324, 65)] {
            let columns = Columns::new(Parameters { k, m: k, f, constant_time: false }, 64);
            let mut seen = vec![vec![false; columns.places() + 1]; k];
            for agreeing in columns.every_place() {
                agreeing.iter().enumerate().for_each(|(j, &digits)| seen[j][digits] = true);
            }
            assert!(seen.iter().flatten().all(|&seen| seen));
        }
    }

    #[test]
    fn scripts_are_counted() {
        for (k, f, width, expected) in
            [(1, 0.5, 1, 4), (2, 0.5, 2, 16), (5, 0.5, 4, 1 << 16), (9, 1.0, 8, 1 << 16)]
        {
            let columns = Columns::new(Parameters { k, m: k, f, constant_time: true }, width);
            assert_eq!(columns.scripts(), expected, "{k} {f} {width}");
        }
        let long = Parameters { k: 9, m: 9, f: 5e-324, constant_time: true };
        assert_eq!(Columns::new(long, 8).scripts(), usize::MAX);
        // As many as are run: those that are too short are run too.
        for (k, f, constant_time) in
            [(1, 0.3, false), (2, 0.3, false), (3, 0.25, false), (2, 0.25, true)]
        {
            let parameters = Parameters { k, m: 0, f, constant_time };
            let columns = Columns::new(parameters, 2);
            let (mechanism, zeros) = (shipping(parameters), [BitVector::zeros(k)]);
            let laws = over_small_words::<2, _>(&mechanism, &zeros, columns.most_words()).unwrap();
            let ends = (laws[0].runs as usize * 3 + 1) / 4;
            assert_eq!(columns.scripts(), ends, "{k} {f}");
        }
    }

    /// Whichever two bits: one is flipped and the other is not, either way round.
    #[test]
    fn no_two_bits_are_always_alike() {
        for (f, k) in [(1.0, 9), (0.75, 64), (0.3, 200), (5e-324, 65)] {
            let columns = Columns::new(Parameters { k, m: k, f, constant_time: false }, 64);
            let noises: Vec<_> = columns.every_noise().map(|all| columns.noise(&all)).collect();
            for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                assert!(noises.iter().any(|n| n.get(i) == Some(true) && n.get(j) == Some(false)));
            }
        }
    }
}
