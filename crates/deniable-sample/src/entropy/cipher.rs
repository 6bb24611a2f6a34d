//! The cipher that makes words of a key.

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use chacha20::cipher::array::Array;
use chacha20::cipher::{KeyIvInit, StreamCipherCore};
use chacha20::variants::Ietf;
use chacha20::{ChaChaCore, Key, Nonce, R20};

use crate::backend::{State, bytes_of};

/// The words of a key.
pub(super) const KEY: usize = 4;

type Keystream = [u64; State::KEYSTREAM];

/// Replaces the whole array by the keystream of the key at its front. So the key is gone, another is in its place,
/// and what came out under the old one cannot be computed again.
pub(super) fn expand(keystream: &mut Keystream) {
    if has_aes() { aes_256(keystream) } else { chacha_20(keystream) }
}

/// Whether the processor has instructions for AES. Without them it would be slower than ChaCha.
fn has_aes() -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return std::arch::is_x86_feature_detected!("aes");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}

/// AES-256 of the blocks that hold 0, 1, 2, … as 16 bytes, the lowest first.
fn aes_256(keystream: &mut Keystream) {
    let cipher = {
        let (key, _) = Array::slice_as_chunks(bytes_of(&mut keystream[..KEY]));
        Aes256::new(&key[0])
    };
    let (counters, _) = Array::slice_as_chunks(COUNTERS.as_flattened());
    let (blocks, _) = Array::slice_as_chunks_mut(bytes_of(keystream));
    if cipher.encrypt_blocks_b2b(counters, blocks).is_err() {
        unreachable!("as many counters as blocks");
    }
}

/// The blocks that are encrypted. Reading them takes less time than writing them anew.
static COUNTERS: [[u8; 16]; State::KEYSTREAM / 2] = {
    let mut blocks = [[0; 16]; State::KEYSTREAM / 2];
    let mut n = 0;
    while n < blocks.len() {
        blocks[n] = (n as u128).to_le_bytes();
        n += 1;
    }
    blocks
};

/// ChaCha20, nonce and counter zero.
fn chacha_20(keystream: &mut Keystream) {
    let bytes = bytes_of(keystream);
    let mut cipher = {
        let (key, _) = Key::slice_as_chunks(&bytes[..KEY * 8]);
        ChaChaCore::<R20, Ietf>::new(&key[0], &Nonce::default())
    };
    let (blocks, _) = Array::slice_as_chunks_mut(bytes);
    cipher.write_keystream_blocks(blocks);
}

#[cfg(test)]
pub(super) mod tests;
