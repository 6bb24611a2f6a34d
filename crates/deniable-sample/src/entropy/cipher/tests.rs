//! The ciphers as this crate uses them, against plain ones that share nothing with the crates in use.

use super::*;

/// What one refill makes of a key, by the plain form of the cipher this processor uses: the next key, and the output.
pub(in crate::entropy) fn refill(key: &[u8; 32]) -> ([u8; 32], Vec<u64>) {
    if has_aes() { cut(plain_aes::stream(key)) } else { cut(plain_chacha::stream(key)) }
}

/// What the kernel says of the processor, not what the library asks it.
#[cfg(all(target_os = "linux", any(target_arch = "x86", target_arch = "x86_64")))]
#[test]
fn aes_is_used_where_there_are_instructions_for_it() {
    let text = std::fs::read_to_string("/proc/cpuinfo").expect("procfs");
    let flags = text.lines().find(|line| line.starts_with("flags")).expect("x86");
    assert_eq!(has_aes(), flags.split_whitespace().any(|flag| flag == "aes"));
}

fn cut(mut stream: Vec<u8>) -> ([u8; 32], Vec<u64>) {
    stream.truncate(State::KEYSTREAM * 8);
    let words = stream[32..].chunks(8).map(|w| u64::from_le_bytes(w.try_into().unwrap()));
    (stream[..32].try_into().unwrap(), words.collect())
}

/// ChaCha20 as RFC 8439, section 2.3, describes it.
mod plain_chacha {
    use super::State;

    fn quarter(s: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
        for (x, y, z, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            s[x] = s[x].wrapping_add(s[y]);
            s[z] = (s[z] ^ s[x]).rotate_left(turn);
        }
    }

    pub(super) fn block(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u8; 64] {
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let mut start = [0; 16];
        for (to, from) in start.iter_mut().zip(b"expand 32-byte k".chunks(4)) {
            *to = word(from);
        }
        for (to, from) in start[4..].iter_mut().zip(key.chunks(4)) {
            *to = word(from);
        }
        start[12] = counter;
        for (to, from) in start[13..].iter_mut().zip(nonce.chunks(4)) {
            *to = word(from);
        }
        let mut s = start;
        for _ in 0..10 {
            for column in 0..4 {
                quarter(&mut s, [column, 4 + column, 8 + column, 12 + column]);
            }
            for shift in 0..4 {
                let at = |row: usize| 4 * row + (shift + row) % 4;
                quarter(&mut s, [at(0), at(1), at(2), at(3)]);
            }
        }
        let mut bytes = [0; 64];
        for ((to, end), begin) in bytes.chunks_mut(4).zip(s).zip(start) {
            to.copy_from_slice(&end.wrapping_add(begin).to_le_bytes());
        }
        bytes
    }

    pub(super) fn stream(key: &[u8; 32]) -> Vec<u8> {
        let blocks = State::KEYSTREAM.div_ceil(8) as u32;
        (0..blocks).flat_map(|n| block(key, n, &[0; 12])).collect()
    }
}

/// AES-256 as FIPS 197 describes it, the S-box computed from its definition.
mod plain_aes {
    use super::State;

    /// The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
    fn times(mut a: u8, mut b: u8) -> u8 {
        let mut product = 0;
        while b != 0 {
            if b & 1 == 1 {
                product ^= a;
            }
            a = (a << 1) ^ if a & 0x80 == 0 { 0 } else { 0x1b };
            b >>= 1;
        }
        product
    }

    fn s_box(x: u8) -> u8 {
        let inverse = (0..=255).find(|&y| times(x, y) == 1).unwrap_or(0u8);
        let turned = (1..5).fold(inverse, |sum, turn| sum ^ inverse.rotate_left(turn));
        turned ^ 0x63
    }

    fn s_boxes() -> [u8; 256] {
        core::array::from_fn(|x| s_box(x as u8))
    }

    fn schedule(key: &[u8; 32], s_boxes: &[u8; 256]) -> Vec<[u8; 4]> {
        let mut words: Vec<[u8; 4]> = key.chunks(4).map(|w| w.try_into().unwrap()).collect();
        let mut constant = 1;
        for i in 8..60 {
            let mut word = words[i - 1];
            if i % 8 == 0 {
                word.rotate_left(1);
            }
            if i % 4 == 0 {
                word = word.map(|x| s_boxes[usize::from(x)]);
            }
            if i % 8 == 0 {
                word[0] ^= constant;
                constant = times(constant, 2);
            }
            words.push(core::array::from_fn(|j| word[j] ^ words[i - 8][j]));
        }
        words
    }

    fn encrypt(block: [u8; 16], schedule: &[[u8; 4]], s_boxes: &[u8; 256]) -> [u8; 16] {
        let add = |state: [u8; 16], round: usize| -> [u8; 16] {
            core::array::from_fn(|i| state[i] ^ schedule[4 * round + i / 4][i % 4])
        };
        let mut state = add(block, 0);
        for round in 1..=14 {
            // Byte i is row i mod 4 of column i / 4; row r turns by r columns.
            let shifted: [u8; 16] =
                core::array::from_fn(|i| s_boxes[usize::from(state[(i + 4 * (i % 4)) % 16])]);
            let mixed = core::array::from_fn(|i| {
                let at = |row: usize| shifted[i / 4 * 4 + (i + row) % 4];
                times(at(0), 2) ^ times(at(1), 3) ^ at(2) ^ at(3)
            });
            state = add(if round == 14 { shifted } else { mixed }, round);
        }
        state
    }

    pub(super) fn block(key: &[u8; 32], block: [u8; 16]) -> [u8; 16] {
        let s_boxes = s_boxes();
        encrypt(block, &schedule(key, &s_boxes), &s_boxes)
    }

    pub(super) fn stream(key: &[u8; 32]) -> Vec<u8> {
        let s_boxes = s_boxes();
        let schedule = schedule(key, &s_boxes);
        let blocks = State::KEYSTREAM.div_ceil(2) as u128;
        (0..blocks).flat_map(|n| encrypt(n.to_le_bytes(), &schedule, &s_boxes)).collect()
    }
}

/// RFC 8439, section 2.3.2: the plain implementation is the published function.
#[test]
fn plain_chacha_has_the_published_block() {
    let key = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let expected = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                    d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e";
    assert_eq!(hex(&plain_chacha::block(&key, 1, &nonce)), expected);
}

/// FIPS 197, appendix C.3.
#[test]
fn plain_aes_has_the_published_block() {
    let key = core::array::from_fn(|i| i as u8);
    let block = core::array::from_fn(|i| 0x11 * i as u8);
    assert_eq!(hex(&plain_aes::block(&key, block)), "8ea2b7ca516745bfeafc49904b496089");
}

/// RFC 8439, appendix A.1, test vectors 1 and 2: key and nonce zero, our own way of using the crate.
#[test]
fn chacha_expansion_has_the_published_keystream() {
    let mut keystream = [0; State::KEYSTREAM];
    chacha_20(&mut keystream);
    let expected = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                    da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586\
                    9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                    29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f";
    assert_eq!(hex(&bytes_of(&mut keystream)[..128]), expected);
}

#[test]
fn expansions_equal_the_plain_implementations() {
    type Expand = fn(&mut Keystream);
    type Plain = fn(&[u8; 32]) -> Vec<u8>;
    let pairs: [(Expand, Plain); 2] =
        [(aes_256, plain_aes::stream), (chacha_20, plain_chacha::stream)];
    for (expand, plain) in pairs {
        for salt in 0..10u8 {
            let mut key: [u8; 32] = core::array::from_fn(|i| (i as u8).wrapping_mul(salt) ^ salt);
            let mut keystream = [u64::MAX; State::KEYSTREAM];
            bytes_of(&mut keystream[..KEY]).copy_from_slice(&key);
            for _ in 0..3 {
                expand(&mut keystream);
                let (next, output) = cut(plain(&key));
                assert_eq!(bytes_of(&mut keystream[..KEY]), next);
                let words: Vec<u64> = keystream[KEY..].iter().map(|w| u64::from_le(*w)).collect();
                assert_eq!(words, output);
                key = next;
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
