//! Whether anything grew.
//!
//! Samples are taken after each round. The first eighth is warming up. The largest value of the second eighth is held against the largest of the last half: what grows by so much a round
//! differs by at least half of all rounds.

/// What a process has at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Bytes allocated and not freed.
    pub(super) allocated: u64,
    /// Bytes of memory that the process has.
    pub(super) resident: u64,
    /// The most memory that a command took in this round.
    pub(super) command: u64,
    pub(super) descriptors: u64,
    pub(super) threads: u64,
    /// Files that were left.
    pub(super) files: u64,
    /// How long the library's part took.
    pub(super) seconds: f64,
}

/// The name of a measure, how to read it, and by how much it may differ.
pub(super) type Measure = (&'static str, fn(&Sample) -> u64, u64);

pub(super) const MEASURES: [Measure; 6] = [
    ("bytes allocated", |sample| sample.allocated, 64 << 10),
    ("bytes resident", |sample| sample.resident, 8 << 20),
    ("bytes of a command", |sample| sample.command, 8 << 20),
    ("open descriptors", |sample| sample.descriptors, 0),
    ("threads", |sample| sample.threads, 0),
    ("files left", |sample| sample.files, 0),
];

/// Fewer rounds say nothing.
pub(super) const FEWEST: usize = 16;

/// What grew, in words.
pub(super) fn grown(samples: &[Sample]) -> Vec<String> {
    if samples.len() < FEWEST {
        return vec![format!("{} rounds; at least {FEWEST} can be judged", samples.len())];
    }
    let found = MEASURES.iter().filter_map(|(name, read, most)| {
        let (early, late) = ends(samples, *read);
        (late > early + most)
            .then(|| format!("{name} grew from {early} to {late}, by more than {most}"))
    });
    found.collect()
}

/// The largest of the second eighth, and of the last half.
pub(super) fn ends(samples: &[Sample], read: fn(&Sample) -> u64) -> (u64, u64) {
    let eighth = samples.len() / 8;
    let most = |samples: &[Sample]| samples.iter().map(read).max().unwrap_or(0);
    (most(&samples[eighth..2 * eighth]), most(&samples[samples.len() / 2..]))
}

/// The typical time of a round in the last quarter, over that in the second.
pub(super) fn drift(samples: &[Sample]) -> f64 {
    let quarter = samples.len() / 4;
    let median = |samples: &[Sample]| {
        let mut seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    };
    median(&samples[samples.len() - quarter..]) / median(&samples[quarter..2 * quarter])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(rounds: usize, sample: impl Fn(u64) -> Sample) -> Vec<Sample> {
        (0..rounds as u64).map(sample).collect()
    }

    /// Up and down, and a start that takes more than the rest.
    fn steady(round: u64) -> Sample {
        let extra = if round < 5 { 100 << 20 } else { round % 7 * 1000 };
        Sample { allocated: (1 << 20) + extra, resident: (20 << 20) + extra, ..Sample::default() }
    }

    #[test]
    fn what_is_steady_does_not_grow() {
        for rounds in [FEWEST, 64, 1000] {
            let steady =
                samples(rounds, |round| if round < 2 { steady(round) } else { steady(round + 5) });
            assert_eq!(grown(&steady), Vec::<String>::new(), "{rounds}");
        }
        assert_eq!(grown(&samples(FEWEST - 1, steady)).len(), 1);
    }

    #[test]
    fn each_measure_that_grows_is_found() {
        let leak = |change: fn(&mut Sample, u64)| {
            let grows = samples(64, |round| {
                let mut sample = steady(round + 5);
                change(&mut sample, round);
                sample
            });
            grown(&grows).len()
        };
        assert_eq!(leak(|_, _| ()), 0);
        assert_eq!(leak(|sample, round| sample.allocated += 4096 * round), 1);
        assert_eq!(leak(|sample, round| sample.resident += (1 << 20) * round), 1);
        assert_eq!(leak(|sample, round| sample.command += (1 << 20) * round), 1);
        assert_eq!(leak(|sample, round| sample.descriptors += round / 40), 1);
        assert_eq!(leak(|sample, round| sample.threads += round / 40), 1);
        assert_eq!(leak(|sample, round| sample.files += round / 40), 1);
    }
}
