//! Frozen responses: the key file and the responses beside it.
#![no_main]

use deniable_arrow::Survey;
use deniable_fuzz::command::{Folder, run};
use deniable_fuzz::planted;
use deniable_fuzz::survey::survey_with_id;
use hmac::{Hmac, KeyInit, Mac};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const ANSWERS: &[u8] = b"person,region,moved,transport,colour,drink,town,pets,browser,hours
p,north,yes,bus,red,tea,Ulm,cat;dog,a,3
q,south,no,car,blue,milk,Bonn,fish,b,5
";

fuzz_target!(|data: &[u8]| {
    // The first byte says what the rest is: a key, a file of responses, or responses of p to the questions in turn, sealed.
    let Some((kind, rest)) = data.split_first() else { return };
    let (folder, key) = (Folder::get(), "0f".repeat(32));
    let (key, responses) = match kind % 3 {
        0 => (rest.to_vec(), b"deniable memo 1\n".to_vec()),
        1 => (key.into_bytes(), rest.to_vec()),
        _ => (key.into_bytes(), sealed(rest)),
    };
    folder.write("key", &key);
    folder.write("key.responses", &responses);
    folder.write("answers.csv", ANSWERS);
    let once = randomize("once.csv");
    if let Some(once) = once {
        assert!(folder.read("key.responses").starts_with(whole(&responses)), "a response is gone");
        let twice = randomize("twice.csv").map(|report| planted::response(report, true));
        assert_eq!(twice, Some(planted::response(once, false)), "another response");
    }
});

fn randomize(output: &str) -> Option<Vec<u8>> {
    Folder::get().remove(output);
    let done = run(&["randomize", "id.toml", "answers.csv", "--memo", "key", "-o", output], b"");
    done.then(|| Folder::get().read(output))
}

/// What of a file must be there afterwards: all of it, but for a torn record at its end, which begins nowhere before the first one.
fn whole(responses: &[u8]) -> &[u8] {
    &responses[..responses.len().min(16)]
}

/// A file of responses whose codes and checks are right.
fn sealed(responses: &[u8]) -> Vec<u8> {
    let survey = Survey::parse(&survey_with_id()).expect("a survey");
    let mut file = b"deniable memo 1\n".to_vec();
    for (question, response) in survey.questions().iter().zip(responses.split(|&byte| byte == b'|'))
    {
        let mut code = <Hmac<Sha256> as KeyInit>::new_from_slice(&[0x0f; 32]).expect("a key");
        for part in [question.name().as_bytes(), b"p"] {
            code.update(&(part.len() as u64).to_be_bytes());
            code.update(part);
        }
        let meaning = question.fingerprint().to_string();
        let length = (meaning.len() + response.len()) as u32;
        let mut record = [length.to_le_bytes(), (!length).to_le_bytes()].concat();
        record.extend(&code.finalize().into_bytes()[..16]);
        record.extend(meaning.as_bytes());
        record.extend(response);
        let check = Sha256::digest(&record);
        record.extend(&check[..4]);
        file.extend(record);
    }
    file
}
