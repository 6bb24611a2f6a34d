//! The functions under test, and how to call them.

use deniable_num::Directed;

use crate::number::Number;

/// A function of `deniable_num::Directed`; each stands for its two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Function {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Ln,
    Ln1p,
    Exp,
    ExpM1,
    Powi,
}

use Function::{Add, Div, Exp, ExpM1, Ln, Ln1p, Mul, Powi, Sqrt, Sub};

impl Function {
    /// All of them.
    pub const ALL: [Self; 10] = [Add, Sub, Mul, Div, Sqrt, Ln, Ln1p, Exp, ExpM1, Powi];
    /// Those of two numbers.
    pub const BINARY: [Self; 4] = [Add, Sub, Mul, Div];
    /// Those of one number.
    pub const UNARY: [Self; 5] = [Sqrt, Ln, Ln1p, Exp, ExpM1];

    /// The name in `deniable_num`, without the direction.
    pub fn name(self) -> &'static str {
        match self {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            Div => "div",
            Sqrt => "sqrt",
            Ln => "ln",
            Ln1p => "ln_1p",
            Exp => "exp",
            ExpM1 => "exp_m1",
            Powi => "powi",
        }
    }

    /// The function with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// Whether it is a logarithm or an exponential.
    pub fn is_transcendental(self) -> bool {
        matches!(self, Ln | Ln1p | Exp | ExpM1)
    }

    /// Whether it takes a second number.
    pub fn is_binary(self) -> bool {
        Self::BINARY.contains(&self)
    }
}

/// Arguments of a function; those it does not take are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Args<F> {
    /// The first number.
    pub x: F,
    /// The second number of a binary function.
    pub y: F,
    /// The exponent of `powi`.
    pub n: i32,
}

impl<F: Number> Args<F> {
    /// Arguments of a unary function.
    pub fn unary(x: F) -> Self {
        Self { x, y: F::ZERO, n: 0 }
    }
    /// Arguments of a binary function.
    pub fn binary(x: F, y: F) -> Self {
        Self { x, y, n: 0 }
    }
    /// Arguments of `powi`.
    pub fn powi(x: F, n: i32) -> Self {
        Self { x, y: F::ZERO, n }
    }

    /// The arguments that `function` takes, numbers as bits in hexadecimal, separated by tabs.
    pub fn show(&self, function: Function) -> String {
        let x = hex(self.x);
        match function {
            Powi => format!("{x}\t{}", self.n),
            _ if function.is_binary() => format!("{x}\t{}", hex(self.y)),
            _ => x,
        }
    }
}

/// A pair of bounds; `None` stands for an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer<T> {
    /// What `neg_inf_…` returns.
    pub down: Option<T>,
    /// What `inf_…` returns.
    pub up: Option<T>,
}

impl<T> Answer<T> {
    /// Both directions refuse.
    pub const ERROR: Self = Self { down: None, up: None };

    /// Both directions answer.
    pub fn new(down: T, up: T) -> Self {
        Self { down: Some(down), up: Some(up) }
    }
}

/// Asks the crate under test.
pub fn ask<F: Number>(function: Function, args: &Args<F>) -> Answer<F> {
    F::ask(function, args)
}

/// The crate under test, behind a trait of our own: its traits' constants and methods then cannot
/// be confused with those of [`Number`].
pub trait UnderTest: Sized {
    /// Both directions of `function`.
    fn ask(function: Function, args: &Args<Self>) -> Answer<Self>;
}

impl<F: Directed> UnderTest for F {
    fn ask(function: Function, args: &Args<Self>) -> Answer<Self> {
        let Args { x, y, n } = *args;
        macro_rules! both {
            ($down:ident, $up:ident $(, $argument:expr)*) => {
                Answer { down: x.$down($($argument),*).ok(), up: x.$up($($argument),*).ok() }
            };
        }
        match function {
            Add => both!(neg_inf_add, inf_add, y),
            Sub => both!(neg_inf_sub, inf_sub, y),
            Mul => both!(neg_inf_mul, inf_mul, y),
            Div => both!(neg_inf_div, inf_div, y),
            Sqrt => both!(neg_inf_sqrt, inf_sqrt),
            Ln => both!(neg_inf_ln, inf_ln),
            Ln1p => both!(neg_inf_ln_1p, inf_ln_1p),
            Exp => both!(neg_inf_exp, inf_exp),
            ExpM1 => both!(neg_inf_exp_m1, inf_exp_m1),
            Powi => both!(neg_inf_powi, inf_powi, n),
        }
    }
}

/// The bits in hexadecimal.
pub fn hex<F: Number>(x: F) -> String {
    format!("{:0width$x}", x.bits(), width = F::WIDTH as usize / 4)
}

/// The bits in hexadecimal, or the word `error`.
pub fn show<F: Number>(answer: Option<F>) -> String {
    answer.map_or_else(|| "error".to_owned(), hex)
}
