//! The cipher as this crate uses it.

use super::{KEY, expand};
use crate::backend::{State, bytes_of};

/// ChaCha20 as RFC 8439, section 2.3, describes it, sharing nothing with the crate in use.
pub(super) mod plain {
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

    /// What one refill makes of a key: the next key, and the output.
    pub(in super::super) fn refill(key: &[u8; 32]) -> ([u8; 32], Vec<u64>) {
        let stream: Vec<u8> = (0..60).flat_map(|n| block(key, n, &[0; 12])).collect();
        let words = stream[32..].chunks(8).map(|w| u64::from_le_bytes(w.try_into().unwrap()));
        (stream[..32].try_into().unwrap(), words.collect())
    }
}

/// RFC 8439, section 2.3.2: the plain implementation is the published function.
#[test]
fn plain_implementation_has_the_published_block() {
    let key = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let expected = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                    d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e";
    assert_eq!(hex(&plain::block(&key, 1, &nonce)), expected);
}

/// RFC 8439, appendix A.1, test vectors 1 and 2: key and nonce zero, our own way of using the crate.
#[test]
fn expansion_has_the_published_keystream() {
    let mut keystream = [0; State::KEYSTREAM];
    expand(&mut keystream);
    let expected = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                    da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586\
                    9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                    29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f";
    assert_eq!(hex(&bytes_of(&mut keystream)[..128]), expected);
}

#[test]
fn expansion_equals_the_plain_implementation() {
    for salt in 0..20u8 {
        let mut key: [u8; 32] = core::array::from_fn(|i| (i as u8).wrapping_mul(salt) ^ salt);
        let mut keystream = [u64::MAX; State::KEYSTREAM];
        bytes_of(&mut keystream[..KEY]).copy_from_slice(&key);
        for _ in 0..3 {
            expand(&mut keystream);
            let (next, output) = plain::refill(&key);
            assert_eq!(bytes_of(&mut keystream[..KEY]), next);
            assert_eq!(
                keystream[KEY..].iter().map(|w| u64::from_le(*w)).collect::<Vec<_>>(),
                output
            );
            key = next;
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
