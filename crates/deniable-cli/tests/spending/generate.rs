use crate::Folder;

const COMMANDS: [&str; 5] = ["release", "map", "calibrate", "ledger", "sql"];

#[test]
fn completions_know_every_command_and_option() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("generate completions {shell}"));
        assert_eq!((script.code, script.err.as_str()), (0, ""));
        for word in COMMANDS.iter().chain(&["rows-per-person", "sensitivity"]) {
            assert!(script.out.contains(word), "{shell} {word}");
        }
    }
    folder.refused("generate completions nothing", 2, "invalid value");
}

#[test]
fn pages_and_completions_are_written_to_a_folder() {
    let folder = Folder::new();
    let page = folder.run("generate man");
    assert!(page.out.starts_with(".ie") && page.out.contains("deniable\\-release"));
    for line in ["generate man -o .", "generate completions bash -o ."] {
        assert_eq!(folder.run(line).code, 0);
    }
    let names = folder.names();
    assert!(
        names.contains(&"deniable.bash".to_owned()) && names.contains(&"deniable.1".to_owned())
    );
    for command in COMMANDS {
        assert!(names.contains(&format!("deniable-{command}.1")), "{command}");
    }
    folder.refused("generate man -o none/such", 1, "none/such/deniable");
}

#[test]
fn the_help_of_each_has_examples() {
    let folder = Folder::new();
    for command in COMMANDS.iter().chain(&["generate"]) {
        // The help of `sql --help` is that of another program.
        let help = folder.run(&format!("help {command}"));
        let example = format!("Examples:\n  deniable {command} ");
        assert!(help.code == 0 && help.out.contains(&example), "{command}");
    }
    let help = folder.run("release --help").out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for rule in ["The number of rows is public", "missing or cannot be read is 0", "2c"] {
        assert!(help.contains(rule), "{rule}");
    }
}
