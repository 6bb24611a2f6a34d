//! The secrets of clients, made of one key that is kept.

use std::path::Path;

use deniable::rappor::{Params, Secret};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::Result;
use crate::key;

/// So that the codes of one purpose are no other's. Both have the same length.
const CLIENT: &[u8; 30] = b"deniable.cli.rappor.client.1  ";
const REFERENCE: &[u8; 30] = b"deniable.cli.rappor.reference.";

/// Where the secrets of clients come from.
pub(super) enum Secrets {
    /// A new one for each row, kept by nobody.
    Fresh,
    /// One for each client: the code of its name by a key.
    Kept(Secret),
}

impl Secrets {
    /// Those of a key file, which is made if it is not there.
    pub(super) fn of_file(path: &Path) -> Result<Self> {
        key::read_or_make(path).map(Secrets::Kept)
    }

    /// Whether a client has the same secret in every row.
    pub(super) fn are_kept(&self) -> bool {
        matches!(self, Secrets::Kept(_))
    }

    /// The secret of a client.
    pub(super) fn of_client(&self, client: &str) -> Result<Secret> {
        match self {
            Secrets::Fresh => Ok(Secret::random()?),
            Secrets::Kept(key) => Ok(code(key, &[CLIENT, client.as_bytes()])),
        }
    }
}

/// What the reference's encoder has for a secret. Its noise depends on nothing but secret and filter, so that all else is in the secret: noise that is used
/// again for another f would tell bits.
pub(super) fn of_reference(
    secret: &Secret,
    params: &Params,
    cohort: usize,
    metric: &str,
) -> [u8; 32] {
    let number = |n: usize| (n as u64).to_be_bytes();
    let parts: [&[u8]; 6] = [
        REFERENCE,
        &number(params.k()),
        &number(params.h()),
        &params.f().to_bits().to_be_bytes(),
        &number(cohort),
        metric.as_bytes(),
    ];
    *code(secret, &parts).as_bytes()
}

/// HMAC-SHA-256 of these parts, one after the other.
fn code(key: &Secret, parts: &[&[u8]]) -> Secret {
    let mut mac: Hmac<Sha256> = Hmac::new_from_slice(key.as_bytes()).expect("a key of any length");
    parts.iter().for_each(|part| mac.update(part));
    Secret::new(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers: another secret for a client that was asked before would be a second release. From Python's hmac and hashlib.
    #[test]
    fn secrets_stay_what_they_are() {
        let secrets = Secrets::Kept(Secret::new([7; 32]));
        let secret = secrets.of_client("ann").unwrap();
        assert_eq!(hex(secret.as_bytes()), CLIENT_CODE);
        let params = Params::new(16, 2, 64, 0.25, 0.75, 0.5).unwrap();
        assert_eq!(hex(&of_reference(&secret, &params, 3, "value")), REFERENCE_CODE);
    }

    const CLIENT_CODE: &str = "0e741ebc7d9ca371342c219d8adef2d412b7159ad3eea7077a1c0e1b03158ea6";
    const REFERENCE_CODE: &str = "ff5a66610f0fd5c263c910a30235002a8aa1d935c2ac6038b12b52d5761126cd";

    #[test]
    fn clients_and_purposes_have_secrets_of_their_own() {
        let secrets = Secrets::Kept(Secret::new([7; 32]));
        let [ann, bob] = ["ann", "bob"].map(|name| secrets.of_client(name).unwrap());
        assert_ne!(ann.as_bytes(), bob.as_bytes());
        assert_eq!(ann.as_bytes(), secrets.of_client("ann").unwrap().as_bytes());
        let with = |f| Params::new(16, 2, 64, 0.25, 0.75, f).unwrap();
        let codes = [
            of_reference(&ann, &with(0.5), 3, "value"),
            of_reference(&ann, &with(0.25), 3, "value"),
            of_reference(&ann, &with(0.5), 4, "value"),
            of_reference(&ann, &with(0.5), 3, "other"),
            of_reference(&bob, &with(0.5), 3, "value"),
        ];
        let distinct: std::collections::HashSet<_> = codes.into_iter().collect();
        assert_eq!(distinct.len(), 5);
        let fresh = Secrets::Fresh;
        let [one, two] = [(); 2].map(|()| fresh.of_client("ann").unwrap());
        assert_ne!(one.as_bytes(), two.as_bytes());
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
