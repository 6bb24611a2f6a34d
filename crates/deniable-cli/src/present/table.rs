//! Tables with bars on a terminal.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width,
    presets,
};
use deniable_arrow::QuestionEstimate;

use super::Findings;
use super::numbers::{confidence, epsilon, people};
use super::rows::{Places, Row, Shown};

/// The columns of a terminal that does not say how many it has.
const WIDTH: u16 = 80;
/// Longer lines are hard to read.
const WIDEST: u16 = 120;
/// The letters of bars, at least and at most.
const BARS: (u16, u16) = (16, 48);
/// The letters of a value before it is wrapped.
const LONGEST: u16 = 28;
/// So many values of a question are shown.
const MOST_VALUES: usize = 50;
/// Between columns.
const GAP: u16 = 2;

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    width: u16,
    is_coloured: bool,
}

impl Look {
    pub(crate) fn of_terminal() -> Self {
        let width = Table::new().width().unwrap_or(WIDTH).min(WIDEST);
        let no_color = std::env::var_os("NO_COLOR");
        let is_coloured = is_coloured(io::stdout().is_terminal(), no_color.as_deref());
        Look { width, is_coloured }
    }

    /// A heading.
    pub(crate) fn bold(self, text: &str) -> String {
        if self.is_coloured { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn table(self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(self.width);
        if self.is_coloured {
            table.enforce_styling()
        } else {
            table.force_no_tty()
        };
        table
    }
}

/// As <https://no-color.org> has it.
fn is_coloured(is_terminal: bool, no_color: Option<&OsStr>) -> bool {
    is_terminal && no_color.is_none_or(OsStr::is_empty)
}

/// Without what would steer the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// Words in columns under a heading, the first to the left and the others to the right.
pub(crate) fn aligned(look: Look, heading: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = look.table();
    table.set_header(heading.iter().map(|name| Cell::new(name).add_attribute(Attribute::Dim)));
    for row in rows {
        table.add_row(row.iter().map(|text| Cell::new(plain(text))));
    }
    finish(table, 0)
}

/// All of it, one table a question.
pub(super) fn tables(findings: &Findings, look: Look) -> String {
    let all = &findings.all;
    let reports = all.questions.iter().map(|question| question.reports).max().unwrap_or(0);
    let mut text = format!(
        "{}\n{} reports · ε = {} for all questions · intervals of {} for the {}\n",
        look.bold(&plain(all.title.as_deref().unwrap_or("Survey"))),
        people(reports as f64),
        epsilon(all.epsilon),
        confidence(all.confidence),
        if all.target == "sample" { "respondents" } else { "population" },
    );
    for (i, question) in all.questions.iter().enumerate() {
        text += &one(question, findings.truth_of(i), look);
    }
    for group in &findings.groups {
        text += &format!("\n{}\n", look.bold(&plain(&findings.heading(group))));
        for question in &group.questions {
            text += &one(question, None, look);
        }
    }
    text
}

fn one(question: &QuestionEstimate, truth: Option<&[f64]>, look: Look) -> String {
    let shown = Shown::new(question, truth, MOST_VALUES);
    let mut text = format!(
        "\n{}  ε = {}, {} reports\n",
        look.bold(&plain(&shown.text)),
        shown.epsilon,
        shown.reports,
    );
    if !shown.rows.is_empty() {
        text += &chart(&shown, look);
    }
    for note in &shown.notes {
        text += &format!("  {}\n", plain(note));
    }
    text
}

fn chart(shown: &Shown, look: Look) -> String {
    let heading = match (shown.is_mean, shown.has_truth) {
        (_, true) => ["", "truth", "estimate", "interval", "holds"].as_slice(),
        (false, false) => &["", "share", "interval", "people", "seen"],
        (true, false) => &["", "mean", "interval"],
    };
    let rows: Vec<Vec<String>> = shown.rows.iter().map(words).collect();
    let mut table = look.table();
    table.set_header(heading.to_vec());
    rows.iter().for_each(|row| {
        table.add_row(row);
    });
    let mut widths = table.column_max_content_widths();
    widths[0] = widths[0].min(LONGEST);
    let taken = widths.iter().sum::<u16>() + GAP * (widths.len() as u16 + 2);
    let width = look.width.saturating_sub(taken).clamp(BARS.0, BARS.1);
    let mut table = look.table();
    let dim = |text: &str| Cell::new(text).add_attribute(Attribute::Dim);
    let axis = axis(&shown.ticks, usize::from(width));
    table.set_header(heading.iter().map(|name| dim(name)).chain([dim(&axis)]));
    for (words, row) in rows.iter().zip(&shown.rows) {
        let bar = if shown.is_mean { whisker } else { bar };
        let bar = Cell::new(bar(row.at, usize::from(width)));
        let is_faint = row.is_detected == Some(false);
        let bar = bar.fg(if is_faint { Color::DarkGrey } else { Color::Cyan });
        let words = words.iter().map(|word| match word.as_str() {
            "✗" => Cell::new(word).fg(Color::Red),
            _ => Cell::new(word),
        });
        table.add_row(words.chain([bar]));
    }
    // Only values are wrapped.
    let value = ColumnConstraint::UpperBoundary(Width::Fixed(LONGEST + 2 * GAP));
    let others = std::iter::repeat_n(ColumnConstraint::ContentWidth, heading.len());
    table.set_constraints(std::iter::once(value).chain(others));
    finish(table, 1)
}

/// Numbers to the right, but for so many last columns.
fn finish(mut table: Table, left: usize) -> String {
    let last = table.column_count() - left;
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { GAP } else { 0 }, GAP));
        if 0 < i && i < last {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// What is in front of the bar.
fn words(row: &Row) -> Vec<String> {
    // The unit once is enough.
    let low = row.low.trim_end_matches('%').trim_end();
    let interval = format!("{low} – {}", row.high).replace(' ', "\u{a0}");
    let mark = |truth: bool, no: &str| if truth { "✓" } else { no }.to_owned();
    let mut words = vec![plain(&row.value)];
    words.extend(row.truth.clone());
    words.extend([row.estimate.clone(), interval]);
    match row.is_held {
        Some(is_held) => words.push(mark(is_held, "✗")),
        None => {
            words.extend(row.count.clone());
            words.extend(row.is_detected.map(|is_detected| mark(is_detected, "–")));
        }
    }
    words
}

/// The ends of the axis, and its middle.
fn axis([from, middle, to]: &[String; 3], width: usize) -> String {
    let length = |text: &str| text.chars().count();
    let before = (width / 2).saturating_sub(length(from) + length(middle) / 2).max(1);
    let half = length(from) + before + length(middle);
    let after = width.saturating_sub(half + length(to)).max(1);
    let space = |n: usize| "\u{a0}".repeat(n);
    format!("{from}{}{middle}{}{to}", space(before), space(after))
}

/// A bar that fades over the interval: dark up to its lower end, light from the estimate to its upper end. The truth is a line, if it is known.
fn bar(at: Places, width: usize) -> String {
    letters(at, width, |from, to| {
        let middle = (from + to) / 2.0;
        match () {
            () if middle < at.low => '█',
            () if middle < at.estimate => '▓',
            () if middle < at.high || (from <= at.estimate && at.estimate < to) => '░',
            () => ' ',
        }
    })
}

/// The interval of a mean on the line of what it can be.
fn whisker(at: Places, width: usize) -> String {
    letters(at, width, |from, to| {
        let is_last = to >= 1.0;
        match () {
            () if from <= at.estimate && (at.estimate < to || is_last) => '●',
            () if at.low < to && from < at.high => '━',
            () => '·',
        }
    })
}

fn letters(at: Places, width: usize, letter: impl Fn(f64, f64) -> char) -> String {
    let place = |i: usize| i as f64 / width as f64;
    let mut letters: Vec<char> = (0..width).map(|i| letter(place(i), place(i + 1))).collect();
    if let Some(truth) = at.truth {
        letters[((truth * width as f64) as usize).min(width - 1)] = '┃';
    }
    let text: String = letters.into_iter().collect();
    // Spaces that the table leaves as they are.
    text.trim_end().replace(' ', "\u{a0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(low: f64, estimate: f64, high: f64, truth: Option<f64>) -> Places {
        Places { estimate, low, high, truth }
    }

    #[test]
    fn bars_show_the_interval() {
        assert_eq!(bar(places(0.3, 0.5, 0.8, None), 10), "███▓▓░░░");
        assert_eq!(bar(places(0.3, 0.5, 0.8, Some(0.65)), 10), "███▓▓░┃░");
        assert_eq!(bar(places(0.0, 0.0, 0.2, None), 10), "░░");
        assert_eq!(bar(places(1.0, 1.0, 1.0, Some(1.0)), 4), "███┃");
        assert_eq!(whisker(places(0.2, 0.4, 0.7, None), 10), "··━━●━━···");
        assert_eq!(whisker(places(1.0, 1.0, 1.0, None), 4), "···●");
    }

    #[test]
    fn colours_are_for_terminals_without_an_objection() {
        assert!(is_coloured(true, None));
        assert!(is_coloured(true, Some(OsStr::new(""))));
        assert!(!is_coloured(true, Some(OsStr::new("1"))));
        assert!(!is_coloured(false, None));
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(plain("a\x1b[31mb\n"), "a\u{fffd}[31mb\u{fffd}");
    }

    #[test]
    fn an_axis_is_as_wide_as_its_bars() {
        let ticks = ["0\u{a0}%", "30\u{a0}%", "60\u{a0}%"].map(str::to_owned);
        for width in [16, 17, 40, 48] {
            assert_eq!(axis(&ticks, width).chars().count(), width);
        }
    }
}
