//! What a function is called, what it takes and what it is for: that is all of which the documentation is made.

/// The kind of question that is bits without names.
pub(crate) const BITS: &str = "bits";

/// A function of SQL.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Its arguments: the name, and what it is.
    pub arguments: &'static [(&'static str, &'static str)],
    /// What it returns.
    pub returns: &'static str,
    /// A query that runs, on the tables of the documentation.
    pub example: &'static str,
    /// The kind of question, in the survey file's words; nothing for other functions.
    pub kind: &'static str,
}

/// What a function is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // The names say it.
pub enum Group {
    Randomize,
    Estimate,
    Central,
    Loss,
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Definition {}

impl std::hash::Hash for Definition {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Definition {
    /// The call with its arguments' names.
    pub fn call(&self) -> String {
        let names: Vec<&str> = self.arguments.iter().map(|(name, _)| *name).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}
