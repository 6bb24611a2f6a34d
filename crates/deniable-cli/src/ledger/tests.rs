use super::*;

fn entry(number: u64, data: &str, epsilon: f64) -> Entry {
    let (time, what) = ("2030-01-02T03:04:05Z".to_owned(), "a test".to_owned());
    Entry { number, time, data: data.to_owned(), epsilon, what }
}

fn budgets() -> Vec<Budget> {
    let budget = |data: &str, epsilon| Budget { data: data.to_owned(), epsilon };
    vec![budget("people", 1.0), budget("visits\n", 0.3)]
}

/// Lines of a ledger, the first of which has the budgets.
fn lines(entries: &[Entry]) -> Vec<String> {
    let (line, mut hash) = write_line("", &Header { deniable_ledger: VERSION, budgets: budgets() });
    let mut lines = vec![line];
    for entry in entries {
        let (line, next) = write_line(&hash, entry);
        lines.push(line);
        hash = next;
    }
    lines
}

fn three() -> Vec<Entry> {
    vec![entry(1, "people", 0.1), entry(2, "visits\n", 0.3), entry(3, "people", 0.2)]
}

#[test]
fn what_is_written_is_read() {
    let ledger = Ledger::parse(lines(&three()).concat().as_bytes()).unwrap();
    assert_eq!((ledger.budgets(), ledger.entries()), (&budgets()[..], &three()[..]));
    // The sum is rounded up: that of the floats is above the float next to 0.3.
    assert_eq!(ledger.balance("people").unwrap().spent.get(), 0.1 + 0.2);
    assert_eq!(ledger.balance("people").unwrap().budget.get(), 1.0);
    assert_eq!(ledger.balance("nobody"), None);
    assert_eq!(ledger.end, End::Whole);
}

#[test]
fn wherever_an_append_is_cut_off_the_entries_before_it_count() {
    let lines = lines(&three());
    let before = lines[..3].concat();
    for cut in 0..=lines[3].len() {
        let mut bytes = [before.as_bytes(), &lines[3].as_bytes()[..cut]].concat();
        let (entries, end) = match lines[3].len() - cut {
            0 => (3, End::Whole),
            1 => (3, End::NoNewline),
            _ if cut == 0 => (2, End::Whole),
            _ => (2, End::Unfinished),
        };
        let ledger = Ledger::parse(&bytes).unwrap();
        assert_eq!((ledger.entries().len(), ledger.end), (entries, end), "{cut}");
        let whole = if entries == 3 { bytes.len() } else { before.len() };
        assert_eq!(ledger.length, whole);
        // Zeros for what did not arrive.
        bytes.extend([0; 100]);
        let end = if end == End::NoNewline { end } else { End::Unfinished };
        let ledger = Ledger::parse(&bytes).unwrap();
        assert_eq!((ledger.entries().len(), ledger.end, ledger.length), (entries, end, whole));
    }
}

#[test]
fn every_change_is_noticed() {
    let bytes = lines(&three()).concat().into_bytes();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << bit;
            // The very last byte is the end of a line that counts; without it the line is damaged, not unfinished.
            assert!(Ledger::parse(&changed).is_err(), "{place} {bit}");
        }
    }
}

#[test]
fn lines_that_are_missing_doubled_or_in_another_order_are_noticed() {
    let lines = lines(&three());
    let parsed = |order: &[usize]| {
        let text: String = order.iter().map(|&place| lines[place].as_str()).collect();
        Ledger::parse(text.as_bytes()).map(|ledger| ledger.entries().len())
    };
    assert_eq!(parsed(&[0, 1, 2, 3]), Ok(3));
    for (order, line) in [
        (&[][..], 1),
        (&[1, 2, 3], 1),
        (&[0, 2, 3], 2),
        (&[0, 1, 3], 3),
        (&[0, 1, 1, 2], 3),
        (&[0, 2, 1, 3], 2),
        (&[0, 0], 2),
    ] {
        assert_eq!(parsed(order), Err(line));
    }
}

#[test]
fn numbers_and_names_must_be_right_also_where_the_hashes_are() {
    for wrong in [entry(2, "people", 0.1), entry(1, "nobody", 0.1), entry(1, "people", -0.1)] {
        assert_eq!(Ledger::parse(lines(&[wrong]).concat().as_bytes()).err(), Some(2));
    }
    let (line, _) = write_line("", &Header { deniable_ledger: 2, budgets: budgets() });
    assert_eq!(Ledger::parse(line.as_bytes()).err(), Some(1));
}

#[test]
fn a_debit_mends_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let lines = lines(&three());
    for cut in 0..=lines[3].len() {
        let path = folder.path().join(format!("{cut}"));
        let bytes = [lines[..3].concat().as_bytes(), &lines[3].as_bytes()[..cut]].concat();
        std::fs::write(&path, bytes).unwrap();
        let balance = debit(&path, "people", Epsilon::new(0.5).unwrap(), "more").unwrap();
        let counts = cut + 1 >= lines[3].len();
        assert_eq!(balance.spent.get() > 0.7, counts, "{cut}");
        let ledger = Ledger::read(&path).unwrap();
        assert_eq!((ledger.entries().len(), ledger.end), (3 + usize::from(counts), End::Whole));
        assert_eq!(ledger.balance("people"), Some(balance));
    }
}
