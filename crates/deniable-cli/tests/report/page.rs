//! What people look at: the page and the terminal.

use super::Folder;

const HOSTILE: &str = r#"
version = 1
title = "<script>title</script>"
public = ["<i>by</i>"]

[[question]]
name = "<b>name</b>"
text = "</title><script>text</script>"
kind = "choice"
choices = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\u001b[31mred"]
epsilon = 8.0
"#;

fn hostile() -> Folder {
    let folder = Folder::new();
    folder.write("survey.toml", HOSTILE);
    let row = "<script>group</script>,<script>alert(1)</script>\n";
    folder.write("answers.csv", &("<i>by</i>,<b>name</b>\n".to_owned() + &row.repeat(200)));
    folder.randomize("reports.csv");
    folder
}

#[test]
fn hostile_names_are_escaped() {
    let folder = hostile();
    let words = ["estimate", "survey.toml", "reports.csv", "--by", "<i>by</i>", "--html", "a.html"];
    let table = folder.prints(&words);
    assert!(!table.contains('\u{1b}'), "a value steers the terminal");
    let page = folder.read("a.html");
    for tag in ["<script", "<img", "<b>", "<i>"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(page.contains("&lt;script&gt;group"));
    assert_eq!(page.matches("</title>").count(), 1);
}

#[test]
fn a_page_is_whole_and_alone() {
    let folder = Folder::new();
    folder.randomize("reports.parquet");
    let words = ["estimate", "survey.toml", "reports.parquet", "--html"];
    folder.prints(&[&words[..], &["a.html"]].concat());
    let page = folder.read("a.html");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for link in ["http:", "https:", "src=", "url(", "@import", "<link"] {
        assert!(!page.contains(link), "{link}");
    }
    // A table for each question, and a label for each chart in it.
    assert_eq!(page.matches("<table").count(), 5);
    assert_eq!(page.matches("<svg role=\"img\" aria-label=").count(), 1 + 4 + 3 + 2 + 1);
    // Not written over, and not beside other things on the standard output.
    let why = folder.refuses(&[&words[..], &["a.html"]].concat());
    assert!(why.contains("not written over"), "{why}");
    folder.refuses(&[&words[..], &["-", "--json"]].concat());
    assert!(folder.prints(&[&words[..], &["-"]].concat()).ends_with("</html>\n"));
}

#[test]
fn a_pipe_gets_eighty_columns_and_no_colours() {
    let folder = Folder::new();
    folder.randomize("reports.parquet");
    let table = folder.prints(&["estimate", "survey.toml", "reports.parquet"]);
    assert!(!table.contains('\u{1b}'));
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(table.contains('█') && table.contains("transport"));
}
