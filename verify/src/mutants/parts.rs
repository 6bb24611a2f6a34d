//! What is changed, and the tests that are to find it, the quick ones first.

/// A part of the code that is changed.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) files: &'static [&'static str],
    /// Each on what those before it did not find: the quick ones first.
    pub(super) stages: &'static [Stage],
}

/// Tests, for `cargo test`.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    pub(super) packages: &'static [&'static str],
    pub(super) features: &'static [&'static str],
    /// Programs of the packages.
    pub(super) targets: &'static [&'static str],
    /// Tests of the programs.
    pub(super) filters: &'static [&'static str],
    /// Seconds. What takes longer is found.
    pub(super) longest: u32,
}

/// The most seconds that a quick stage may take. Then the code is not optimized, since that takes longer than the tests.
pub(super) const QUICK: u32 = 16;

/// Those unit tests of the samplers with these words in their names that take less than a second.
macro_rules! sampler_units {
    ($($name:literal),*) => {
        Stage {
            packages: &["deniable-sample"],
            features: &[],
            targets: &["--lib"],
            filters: &[
                "--skip=magnitudes_are_enclosed",
                "--skip=planted",
                "--skip=every_word_on_a_short",
                "--skip=floats_of_",
                "--skip=bounds_at_every_precision",
                "--skip=the_whole_slack",
                $($name),*
            ],
            longest: QUICK,
        }
    };
}

/// All unit tests of the samplers.
const SAMPLER_UNITS: Stage = Stage {
    packages: &["deniable-sample"],
    features: &[],
    targets: &["--lib"],
    filters: &["--skip=planted"],
    longest: 120,
};

/// Some laws, without those tests that take longest, without the planted mistakes, which try the tests, and without others.
macro_rules! laws {
    ($longest:expr, [$($target:literal),*], [$($skipped:literal),*]) => {
        Stage {
            packages: &["deniable-laws"],
            features: &[],
            targets: &[$(concat!("--test=", $target)),*],
            filters: &[
                "--skip=planted",
                "--skip=joint_laws_of_",
                "--skip=each_bit_has_its_probability",
                "--skip=one_number_over_all",
                "--skip=saturated_over_every",
                "--skip=the_same_words_make",
                "--skip=bits_make_the_law",
                "--skip=every_script_on_eight",
                $(concat!("--skip=", $skipped)),*
            ],
            longest: $longest,
        }
    };
}

/// Laws by the tests that take less than a second or two.
macro_rules! quick_laws {
    ($($target:literal),*) => {
        laws!(
            QUICK,
            [$($target),*],
            [
                "at_both_ends_of_everything",
                "bounds_of_several_words",
                "every_bound_of_one_word",
                "every_script_ends_as",
                "every_shift_over_every",
                "every_sum_is_that_of",
                "exp_over_",
                "floats_are_their_exact",
                "geometric_over_",
                "laplace_over_",
                "many_over_every",
                "saturated_over_all_64",
                "scripts_next_to_a_rounding",
                "textbook_on_eight"
            ]
        )
    };
}

/// Laws by all but the longest tests.
macro_rules! laws_of {
    ($($target:literal),*) => {
        laws!(90, [$($target),*], [])
    };
}

const LAWS: Stage = laws_of!(
    "bernoulli",
    "either_below",
    "faults",
    "flips",
    "laplace",
    "laplace_all",
    "laplace_digits",
    "laplace_saturating",
    "laplace_z2k",
    "laplace_z2k_inversion",
    "many_below",
    "textbook",
    "uniform",
    "words"
);

/// What was left out above, and the bulk forms by their mechanisms.
const ALL: Stage = Stage {
    packages: &["deniable-sample", "deniable-verify"],
    features: &[],
    targets: &[
        "--lib",
        "--test=batch",
        "--test=bernoulli",
        "--test=bulk",
        "--test=fork",
        "--test=hashing",
        "--test=laplace",
        "--test=laplace_all",
        "--test=laplace_digits",
        "--test=laplace_saturating",
        "--test=laplace_z2k",
        "--test=settings",
    ],
    // The first count instructions of code that is optimized, the others look at the repository.
    filters: &["--skip=within_a_draw::", "--skip=claims::", "--skip=mutants::"],
    longest: 900,
};

/// The tests of the arithmetic that are outside of it, without the longest.
const ARITHMETIC: Stage = Stage {
    packages: &["deniable-num"],
    features: &[],
    targets: &["--test=vectors", "--test=special", "--test=ratios", "--test=certified"],
    filters: &[
        "--skip=planted",
        "--skip=bounds_at_every_precision",
        "--skip=plain_at_low_precision",
        "--skip=exponentials",
        "--skip=logarithms_of_",
    ],
    longest: QUICK,
};

/// The unit tests of the arithmetic with these words in their names, without the longest.
macro_rules! arithmetic_units {
    ($($name:literal),*) => {
        Stage {
            packages: &["deniable-num"],
            features: &[],
            targets: &["--lib"],
            filters: &[
                "--skip=planted",
                "--skip=sums_of_",
                "--skip=every_sum_of_a_tiny_format",
                "--skip=fast_encloses_plain",
                "--skip=bounds_enclose_the_logarithm",
                "--skip=bounds_hold_in_every_mode",
                "--skip=every_short_number_added",
                "--skip=floats_stray_less",
                "--skip=formats_wider_than",
                $($name),*
            ],
            longest: QUICK,
        }
    };
}

/// All tests of the arithmetic.
const ARITHMETIC_ALONE: Stage = Stage {
    packages: &["deniable-num"],
    features: &[],
    targets: &["--lib", "--tests"],
    filters: &["--skip=planted"],
    longest: 240,
};

/// And what the samplers and the mechanisms see of it.
const ALL_ARITHMETIC: Stage = Stage {
    packages: &["deniable-num", "deniable-sample", "deniable"],
    features: &["deniable/rappor"],
    targets: &["--lib", "--tests"],
    filters: &[],
    longest: 900,
};

/// What tests outside of the mechanisms say of them. By name: some tests look at the source itself, and would find everything.
const ALL_MECHANISMS: Stage = Stage {
    packages: &["deniable", "deniable-verify"],
    features: &["deniable/rappor"],
    targets: &[
        "--lib",
        "--test=audit_laplace",
        "--test=audit_local",
        "--test=batch",
        "--test=bit_reports",
        "--test=bulk",
        "--test=channels",
        "--test=domain",
        "--test=extremes",
        "--test=float_laplace",
        "--test=framework",
        "--test=hashing",
        "--test=in_place",
        "--test=parameters",
        "--test=rappor",
        "--test=rappor_files",
        "--test=surface",
    ],
    filters: &["--skip=claims::", "--skip=mutants::"],
    longest: 900,
};

/// What tests that call the mechanisms as a user does say of each form, on several threads.
const FORMS: Stage = Stage {
    packages: &["deniable"],
    features: &["deniable/rappor", "deniable/rayon"],
    targets: &["--test=domain", "--test=framework", "--test=in_place", "--test=surface"],
    filters: &[],
    longest: 60,
};

/// All tests beside the mechanisms, without the longest, on several threads.
const MECHANISMS: Stage = Stage {
    packages: &["deniable"],
    features: &["deniable/rappor", "deniable/rayon"],
    targets: &[
        "--lib",
        "--test=domain",
        "--test=float_laplace",
        "--test=framework",
        "--test=in_place",
        "--test=surface",
    ],
    filters: &["--skip=rappor::tests::plan::", "--skip=local_hashing::tests::all_answers_draw"],
    longest: 240,
};

/// The laws of bulk forms, by their mechanisms.
const BULK: Stage = Stage {
    packages: &["deniable-laws"],
    features: &["deniable-laws/mechanisms"],
    targets: &["--test=batch", "--test=bulk"],
    filters: &["--skip=planted", "--skip=reports_of_places_are_independent"],
    longest: 120,
};

/// The unit tests of mechanisms with these words in their names, without the longest, and without others.
macro_rules! units_of {
    ($($name:literal),*) => {
        Stage {
            packages: &["deniable"],
            features: &["deniable/rappor"],
            targets: &["--lib"],
            filters: &[
                "--skip=local_hashing::tests::all_answers_draw",
                "--skip=all_vectors_draw_and_fail",
                "--skip=rappor::tests::plan::",
                "--skip=client::all_answers_draw",
                "--skip=counts_are_those_of_the_definition",
                "--skip=one_in_t_is_accepted_for_every_t",
                "--skip=the_loss_is_the_neighbour_above",
                $($name),*
            ],
            longest: QUICK,
        }
    };
}

pub(super) const PARTS: &[Part] = &[
    Part {
        name: "bernoulli",
        package: "deniable-sample",
        files: &["bernoulli_*/*.rs", "expansion.rs", "ratio.rs"],
        stages: &[
            quick_laws!("bernoulli", "flips"),
            sampler_units!("bernoulli_", "expansion::", "ratio::"),
            quick_laws!("faults", "laplace", "laplace_all"),
            laws_of!("bernoulli", "faults", "flips", "laplace_all"),
            SAMPLER_UNITS,
            LAWS,
            ALL,
        ],
    },
    Part {
        name: "uniform",
        package: "deniable-sample",
        files: &["uniform/*.rs", "word.rs"],
        stages: &[
            quick_laws!("uniform", "either_below", "many_below", "words"),
            sampler_units!("uniform::", "word::"),
            laws_of!("uniform", "either_below", "many_below", "words"),
            SAMPLER_UNITS,
            LAWS,
            ALL,
        ],
    },
    Part {
        name: "laplace",
        package: "deniable-sample",
        files: &["geometric/*.rs", "laplace/*.rs"],
        stages: &[
            quick_laws!("laplace", "laplace_saturating"),
            sampler_units!("laplace::"),
            quick_laws!("laplace_all"),
            laws_of!("laplace", "laplace_all", "laplace_saturating"),
            SAMPLER_UNITS,
            LAWS,
            ALL,
        ],
    },
    Part {
        name: "digits",
        package: "deniable-sample",
        files: &["laplace_digits/*.rs"],
        stages: &[quick_laws!("laplace_digits"), laws_of!("laplace_digits"), LAWS, ALL],
    },
    Part {
        name: "grid",
        package: "deniable-sample",
        files: &["laplace_z2k/*.rs", "magnitude.rs"],
        stages: &[
            sampler_units!("magnitude::", "laplace_z2k::"),
            quick_laws!("laplace_z2k", "laplace_z2k_inversion"),
            sampler_units!("laplace::"),
            quick_laws!("laplace"),
            quick_laws!("laplace_all"),
            laws_of!("laplace", "laplace_z2k", "laplace_z2k_inversion"),
            SAMPLER_UNITS,
            LAWS,
            ALL,
        ],
    },
    Part {
        name: "entropy",
        package: "deniable-sample",
        files: &[
            "entropy/*.rs",
            "backend/kernel.rs",
            "backend/mod.rs",
            "backend/pages.rs",
            "backend/w*.rs",
            "error.rs",
        ],
        stages: &[
            sampler_units!("entropy::", "backend::"),
            Stage { targets: &["--test=refusals"], ..sampler_units!() },
            ALL,
        ],
    },
    Part {
        name: "textbook",
        package: "deniable-sample",
        files: &["textbook.rs"],
        stages: &[
            quick_laws!("textbook", "uniform", "faults"),
            Stage { targets: &["--test=refusals"], ..sampler_units!() },
            laws_of!("textbook", "uniform", "faults"),
            SAMPLER_UNITS,
            LAWS,
            ALL,
        ],
    },
    Part {
        name: "rounding",
        package: "deniable-num",
        files: &[
            "bound.rs",
            "cast.rs",
            "directed.rs",
            "enclosure.rs",
            "error.rs",
            "float.rs",
            "power.rs",
            "ratio.rs",
            "round.rs",
        ],
        stages: &[
            ARITHMETIC,
            arithmetic_units!(
                "bound::",
                "cast::",
                "directed::",
                "enclosure::",
                "error::",
                "float::",
                "power::",
                "ratio::",
                "round::"
            ),
            ARITHMETIC_ALONE,
            ALL_ARITHMETIC,
        ],
    },
    Part {
        name: "narrow",
        package: "deniable-num",
        files: &["narrow.rs", "wide.rs"],
        stages: &[arithmetic_units!("narrow::", "wide::"), ARITHMETIC_ALONE, ALL_ARITHMETIC],
    },
    Part {
        name: "elementary",
        package: "deniable-num",
        files: &["certified.rs", "elementary/*.rs"],
        stages: &[
            ARITHMETIC,
            arithmetic_units!("elementary::", "certified::"),
            ARITHMETIC_ALONE,
            ALL_ARITHMETIC,
        ],
    },
    Part {
        name: "responses",
        package: "deniable",
        files: &["mechanism/randomized_response*/*.rs"],
        stages: &[units_of!("randomized_response"), FORMS, BULK, MECHANISMS, ALL_MECHANISMS],
    },
    Part {
        name: "shared",
        package: "deniable",
        files: &["mechanism/*.rs"],
        stages: &[
            units_of!(
                "mechanism::",
                "--skip=local_hashing::",
                "--skip=all_answers_draw",
                "--skip=rows_and_batches",
                "--skip=bits_of_a_batch",
                "--skip=each_bit_flips_alone",
                "--skip=the_share_itself_is_accepted"
            ),
            units_of!("rows_and_batches", "bits_of_a_batch", "each_bit_flips_alone"),
            BULK,
            FORMS,
            MECHANISMS,
            ALL_MECHANISMS,
        ],
    },
    Part {
        name: "hashing",
        package: "deniable",
        files: &["mechanism/local_hashing/*.rs"],
        stages: &[
            units_of!("local_hashing::", "--skip=tests::counting::"),
            units_of!("local_hashing::tests::counting::"),
            FORMS,
            MECHANISMS,
            ALL_MECHANISMS,
        ],
    },
    Part {
        name: "subsets",
        package: "deniable",
        files: &["mechanism/subset_selection/*.rs"],
        stages: &[
            units_of!("subset_selection::", "--skip=bits_of_a_batch", "--skip=rows_and_batches"),
            units_of!("subset_selection::"),
            FORMS,
            MECHANISMS,
            ALL_MECHANISMS,
        ],
    },
    Part {
        name: "unary",
        package: "deniable",
        files: &["mechanism/unary_encoding/*.rs"],
        stages: &[
            units_of!("unary_encoding::", "--skip=rows_and_batches"),
            FORMS,
            MECHANISMS,
            ALL_MECHANISMS,
        ],
    },
    Part {
        name: "noise",
        package: "deniable",
        files: &["mechanism/vector_*_laplace_cks20/*.rs"],
        stages: &[units_of!("laplace_cks20::"), FORMS, MECHANISMS, ALL_MECHANISMS],
    },
    Part {
        name: "framework",
        package: "deniable",
        files: &[
            "bits.rs",
            "bulk.rs",
            "domain.rs",
            "error.rs",
            "measure.rs",
            "measurement.rs",
            "metric.rs",
            "spec.rs",
            "spec/*.rs",
        ],
        stages: &[
            units_of!(
                "bits::",
                "bulk::",
                "domain::",
                "error::",
                "measure::",
                "measurement::",
                "randomized_response_bitvec::",
                "spec::"
            ),
            Stage { targets: &["--test=domain", "--test=framework"], ..units_of!() },
            Stage {
                features: &[
                    "deniable/bitvec",
                    "deniable/fixedbitset",
                    "deniable/rappor",
                    "deniable/rayon",
                ],
                ..units_of!("bits::", "bulk::")
            },
            FORMS,
            MECHANISMS,
            ALL_MECHANISMS,
        ],
    },
    Part {
        name: "rappor",
        package: "deniable",
        files: &[
            "rappor/client.rs",
            "rappor/filter.rs",
            "rappor/keyed.rs",
            "rappor/map.rs",
            "rappor/params.rs",
            "rappor/reference.rs",
            "rappor/response.rs",
        ],
        stages: &[
            units_of!("rappor::"),
            Stage { targets: &["--test=rappor_files"], ..units_of!() },
            FORMS,
            MECHANISMS,
            ALL_MECHANISMS,
        ],
    },
];

/// What is not changed, and why: a package, its files, the reason.
#[cfg(test)]
pub(super) const LEFT_ALONE: &[(&str, &[&str], &str)] = &[
    ("deniable-num", &["lib.rs"], "there is no code in it"),
    ("deniable-sample", &["lib.rs"], "there is no code in it"),
    ("deniable-sample", &["backend/no_pages.rs"], "it is not compiled on Linux, where this runs"),
    ("deniable", &["lib.rs", "prelude.rs", "rappor/mod.rs"], "there is no code in it"),
    (
        "deniable",
        &[
            "estimate/*.rs",
            "plan.rs",
            "rappor/counts.rs",
            "rappor/plan.rs",
            "rappor/decode.rs",
            "rappor/decode/*.rs",
            "rappor/decode/association/*.rs",
        ],
        "statistics of reports: nothing that a respondent answered goes through it",
    ),
    ("deniable", &["rappor/files/*.rs"], "files of another program, with reports in them"),
];
