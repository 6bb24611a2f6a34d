//! How cost grows: with more threads, with more items, and memory with more reports.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use deniable::estimate::BitCounts;
use deniable::prelude::*;

/// A job for so many items.
type Job = fn(usize) -> Box<dyn FnMut() + Send>;

const JOBS: [(&str, Job); 5] = [
    ("RR bool, p = .75", |n| {
        let mechanism = make_randomized_response_bool(0.75, false).expect("a probability");
        let mut answers = vec![true; n];
        Box::new(move || mechanism.invoke_in_place(black_box(&mut answers)).expect("entropy"))
    }),
    ("RR categorical, 1000 integers, indices", |n| {
        let mechanism = make_randomized_response(0..1000, 0.75).expect("a probability");
        let mut answers = vec![7u32; n];
        Box::new(move || mechanism.invoke_indices(black_box(&mut answers)).expect("entropy"))
    }),
    ("RR bit vector, constant_time, f = .1, bits", |n| {
        let domain = BitVectorDomain::new(64).with_max_weight(64);
        let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, 0.1, true);
        let (mechanism, mut rows) = (mechanism.expect("an f"), vec![0; n.div_ceil(64)]);
        Box::new(move || mechanism.invoke_rows(black_box(&mut rows)).expect("entropy"))
    }),
    ("Laplace f64, scale 1", |n| {
        let numbers = VectorDomain::finite::<f64>();
        let mechanism = make_vector_float_laplace_cks20(numbers, L1Distance::new(), 1.0, None);
        let (mechanism, mut numbers) = (mechanism.expect("a scale"), vec![0.25; n]);
        Box::new(move || {
            numbers.fill(0.25);
            mechanism.invoke_in_place(black_box(&mut numbers)).expect("entropy");
        })
    }),
    ("Laplace i64, scale 1", |n| {
        let numbers = VectorDomain::finite::<i64>();
        let mechanism = make_vector_integer_laplace_cks20(numbers, L1Distance::new(), 1.0);
        let (mechanism, mut numbers) = (mechanism.expect("a scale"), vec![25; n]);
        Box::new(move || {
            numbers.fill(25);
            mechanism.invoke_in_place(black_box(&mut numbers)).expect("entropy");
        })
    }),
];

/// Runs something with so many threads.
pub fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(run)
}

/// One thread against two, in turns, for 10^7 items.
pub fn print_threads() {
    const ITEMS: usize = 10_000_000;
    println!("\n| job, 10^7 items | one thread, ns an item | one / two threads |\n|---|---|---|");
    for (name, job) in JOBS {
        let mut job = job(ITEMS);
        let (mut ones, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..9 {
            let one = with_threads(1, || seconds(&mut job));
            let two = with_threads(2, || seconds(&mut job));
            ones.push(one * 1e9 / ITEMS as f64);
            ratios.push(one / two);
        }
        println!("| {name} | {:.3} | {:.2} |", median(ones), median(ratios));
    }
}

/// Nanoseconds an item, from 10^3 to 10^8 of them.
pub fn print_linear() {
    println!("\n| job | 10^3 | 10^4 | 10^5 | 10^6 | 10^7 | 10^8 items, ns an item |");
    println!("|---|---|---|---|---|---|---|");
    for (name, job) in JOBS {
        print!("| {name} |");
        for power in 3..=8 {
            let items = 10usize.pow(power);
            let mut job = job(items);
            let runs = (10_000_000 / items).clamp(3, 1000);
            let typical = median((0..runs).map(|_| seconds(&mut job)).collect());
            print!(" {:.2} |", typical * 1e9 / items as f64);
        }
        println!();
    }
}

/// The most memory that counting takes, of reports that come and go.
pub fn print_memory() {
    println!(
        "\n| reports of 1024 bits, counted as they come | most memory of the process, MB |\n|---|---|"
    );
    let program = std::env::current_exe().expect("this program");
    for power in 3..=7 {
        let reports = 10usize.pow(power);
        let output = Command::new(&program).args([COUNT, &reports.to_string()]).output();
        let output = output.expect("this program runs");
        println!("| 10^{power} | {} |", String::from_utf8_lossy(&output.stdout).trim());
    }
}

/// The argument that makes this program count, and say how much memory it took.
pub const COUNT: &str = "--count";

/// Counts so many reports, a hundred at a time.
pub fn count(reports: &str) {
    let reports: usize = reports.parse().expect("a number of reports");
    let mut counts = BitCounts::new(1024);
    let rows = vec![0x5555_3333; 100 * 16];
    (0..reports.div_ceil(100)).for_each(|_| counts.add_rows(black_box(&rows)).expect("rows"));
    black_box(counts.ones());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<f64>().ok());
    println!("{}", kilobytes.map_or("unknown".to_owned(), |peak| format!("{:.1}", peak / 1000.0)));
}

fn seconds(job: &mut Box<dyn FnMut() + Send>) -> f64 {
    let start = Instant::now();
    job();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
