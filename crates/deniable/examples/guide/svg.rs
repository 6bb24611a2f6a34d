//! Small charts as SVG that reads well on light and on dark pages.

use std::fmt::Write;

/// The size of a chart, and of its margins: left, right, top, bottom.
const SIZE: (f64, f64) = (720.0, 360.0);
const MARGINS: (f64, f64, f64, f64) = (64.0, 24.0, 28.0, 48.0);

/// Colours that are told apart by everybody, in the middle between black and white.
pub(crate) const COLOURS: [&str; 4] = ["#2a7fba", "#d9822b", "#4f9d4f", "#a05195"];

/// From numbers to places along an axis.
pub(crate) struct Axis {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) is_logarithmic: bool,
    /// Where there is a number at the axis, and what it is.
    pub(crate) ticks: Vec<(f64, String)>,
    pub(crate) title: &'static str,
}

impl Axis {
    fn share(&self, x: f64) -> f64 {
        let place = |x: f64| if self.is_logarithmic { x.ln() } else { x };
        (place(x) - place(self.from)) / (place(self.to) - place(self.from))
    }
}

/// A chart that things are drawn on.
pub(crate) struct Chart {
    x: Axis,
    y: Axis,
    svg: String,
}

impl Chart {
    /// With both axes and nothing else. `label` is read out to those who do not see it.
    pub(crate) fn new(label: &str, x: Axis, y: Axis) -> Self {
        let (width, height) = SIZE;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{label}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"currentColor\">\n"
        );
        let mut chart = Chart { x, y, svg };
        chart.draw_axes();
        chart
    }

    fn draw_axes(&mut self) {
        let (left, right, top, bottom) =
            (MARGINS.0, SIZE.0 - MARGINS.1, MARGINS.2, SIZE.1 - MARGINS.3);
        let mut drawn = String::new();
        for (i, (x, name)) in self.x.ticks.iter().enumerate() {
            // Long names in two rows.
            let row = if self.x.title.is_empty() { i % 2 } else { 0 };
            let at = self.at(*x, self.y.from).0;
            let _ = writeln!(
                drawn,
                "<path d=\"M{at:.1} {bottom} V{top}\" stroke=\"currentColor\" stroke-opacity=\".12\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                bottom + 18.0 + 18.0 * row as f64,
            );
        }
        for (y, name) in &self.y.ticks {
            let at = self.at(self.x.from, *y).1;
            let _ = writeln!(
                drawn,
                "<path d=\"M{left} {at:.1} H{right}\" stroke=\"currentColor\" stroke-opacity=\".12\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                left - 8.0,
                at + 4.5,
            );
        }
        let _ = writeln!(
            drawn,
            "<path d=\"M{left} {top} V{bottom} H{right}\" fill=\"none\" stroke=\"currentColor\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (left + right) / 2.0,
            SIZE.1 - 10.0,
            self.x.title,
            left - 48.0,
            top - 12.0,
            self.y.title,
        );
        self.svg += &drawn;
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let (left, right, top, bottom) = MARGINS;
        let (across, up) = (self.x.share(x), self.y.share(y).clamp(0.0, 1.0));
        (left + across * (SIZE.0 - left - right), SIZE.1 - bottom - up * (SIZE.1 - top - bottom))
    }

    /// A line through points, with its name at its end or, if `is_dashed`, a thin one.
    pub(crate) fn line(&mut self, points: &[(f64, f64)], colour: &str, is_dashed: bool) {
        let mut path = String::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            let (x, y) = self.at(x, y);
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
        }
        let dashes = if is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let _ = writeln!(
            self.svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"
        );
    }

    /// A text to the right of a point.
    pub(crate) fn text(&mut self, at: (f64, f64), text: &str, colour: &str) {
        self.text_beside(at, 6.0, "", text, colour);
    }

    /// A text to the left of a point.
    pub(crate) fn text_before(&mut self, at: (f64, f64), text: &str, colour: &str) {
        self.text_beside(at, -8.0, " text-anchor=\"end\"", text, colour);
    }

    fn text_beside(
        &mut self,
        (x, y): (f64, f64),
        space: f64,
        anchor: &str,
        text: &str,
        colour: &str,
    ) {
        let (x, y) = self.at(x, y);
        let _ = writeln!(
            self.svg,
            "<text x=\"{:.1}\" y=\"{:.1}\"{anchor} fill=\"{colour}\">{text}</text>",
            x + space,
            y + 4.5
        );
    }

    /// An upright bar with a dot on it.
    pub(crate) fn interval(&mut self, x: f64, (low, middle, high): (f64, f64, f64), colour: &str) {
        let ((at, from), (_, to), (_, dot)) =
            (self.at(x, low), self.at(x, high), self.at(x, middle));
        let _ = writeln!(
            self.svg,
            "<path d=\"M{at:.1} {from:.1} V{to:.1} M{:.1} {from:.1} h10 M{:.1} {to:.1} h10\" \
             stroke=\"{colour}\" stroke-width=\"2\"/>\
             <circle cx=\"{at:.1}\" cy=\"{dot:.1}\" r=\"4\" fill=\"{colour}\"/>",
            at - 5.0,
            at - 5.0,
        );
    }

    /// A dot alone.
    pub(crate) fn dot(&mut self, (x, y): (f64, f64), colour: &str) {
        let (x, y) = self.at(x, y);
        let _ =
            writeln!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
    }

    /// A short level line.
    pub(crate) fn mark(&mut self, x: f64, y: f64, colour: &str) {
        let (x, y) = self.at(x, y);
        let _ = writeln!(
            self.svg,
            "<path d=\"M{:.1} {y:.1} h20\" stroke=\"{colour}\" stroke-width=\"3\"/>",
            x - 10.0
        );
    }

    /// The whole, as a block of a page: no line of it is empty.
    pub(crate) fn finish(self, caption: &str) -> String {
        format!("<figure>\n{}</svg>\n<figcaption>{caption}</figcaption>\n</figure>\n", self.svg)
    }
}
