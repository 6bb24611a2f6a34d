use serde_json::json;

use crate::Folder;

#[test]
fn losses_are_those_of_the_library() {
    let folder = Folder::new();
    let ln3 = "1.0986122886681098";
    for (line, epsilon) in [
        ("randomized-response-bool --prob 0.75", ln3),
        ("randomized-response-bool --prob 1", "∞"),
        ("randomized-response --categories 3 --prob 0.6", ln3),
        ("unary-encoding --one 0.5 --zero 0.25", ln3),
        ("subset-selection --categories 4 --size 2 --prob 0.75", ln3),
        ("local-hashing --buckets 2 --prob 0.75", ln3),
        ("bitvec --length 1 --max-weight 1 --f 0.5", ln3),
        ("laplace --sensitivity 1 --scale 2", "0.5"),
        ("laplace --sensitivity 1 --scale 2 --size 3 -k 0", "1.5"),
        ("laplace --sensitivity 1 --scale 2 --size 3 -k -3", "0.625"),
        ("laplace --sensitivity 1 --scale 10", "0.10000000000000001"),
        ("laplace-integer --sensitivity 3 --scale 2", "1.5"),
    ] {
        let said = folder.run(&format!("map {line}"));
        let last = said.out.lines().last().unwrap_or("");
        assert_eq!(last.split_whitespace().last(), Some(epsilon), "{line}: {}", said.err);
        let (name, _) = line.split_once(' ').unwrap();
        let found = folder.json(&format!("map {line}"));
        assert_eq!(found["mechanism"], name);
        assert_eq!(found["epsilon"].as_f64(), epsilon.parse().ok().filter(|x: &f64| x.is_finite()));
    }
}

#[test]
fn rappor_has_two_losses() {
    let found = Folder::new().json("map rappor --bits 128 --hashes 2 -p 0.25 -q 0.75 -f 0.5");
    let losses = ["epsilon_of_a_report", "epsilon_of_all_reports"];
    let [one, all] = losses.map(|name| found[name].as_f64().unwrap());
    assert!((one - 2.0434).abs() < 1e-4 && (all - 4.3945).abs() < 1e-4);
    assert_eq!((&found["cohorts"], &found["f"]), (&json!(64), &json!(0.5)));
}

/// What is found stays within ε, and the next float, with less noise, does not.
#[test]
fn calibrated_parameters_are_the_best_ones() {
    let folder = Folder::new();
    for (line, parameter, more_is_less_noise) in [
        ("randomized-response-bool", "prob", true),
        ("randomized-response --categories 5", "prob", true),
        ("unary-encoding", "zero", false),
        ("subset-selection --categories 128", "prob", true),
        ("local-hashing", "prob", true),
        ("bitvec --length 64 --max-weight 2", "f", false),
        ("laplace --sensitivity 3", "scale", false),
        ("laplace --sensitivity 3 --size 7 -k -2", "scale", false),
        ("laplace-integer --sensitivity 3", "scale", false),
        ("rappor", "f", false),
    ] {
        let found = folder.json(&format!("calibrate {line} --epsilon 1.1"));
        let of = |found: &serde_json::Value| {
            let all = found.get("epsilon_of_all_reports");
            all.unwrap_or(&found["epsilon"]).as_f64().unwrap()
        };
        assert!(of(&found) <= 1.1, "{line}");
        let mut parameters = String::new();
        for (name, value) in found.as_object().unwrap() {
            if name == "mechanism" || name.starts_with("epsilon") {
                continue;
            }
            let mut value = value.as_f64().unwrap();
            if name == parameter {
                value = if more_is_less_noise { value.next_up() } else { value.next_down() };
            }
            parameters += &format!(" --{} {value}", name.replace('_', "-"));
        }
        let (parameters, name) = (parameters.replace("--k", "-k"), line.split(' ').next().unwrap());
        let next = folder.json(&format!("map {name} {parameters}"));
        assert!(of(&next) > 1.1, "{line}: {parameters}");
    }
}

#[test]
fn best_shapes_are_found_and_others_can_be_asked_for() {
    let folder = Folder::new();
    let size = |options: &str| {
        folder.json(&format!("calibrate subset-selection --categories 128 --epsilon 1 {options}"))
    };
    assert_eq!((&size("")["size"], &size("--size 3")["size"]), (&json!(34), &json!(3)));
    let buckets =
        |options: &str| folder.json(&format!("calibrate local-hashing --epsilon 4 {options}"));
    assert_eq!(
        (&buckets("")["buckets"], &buckets("--buckets 9")["buckets"]),
        (&json!(56), &json!(9))
    );
    let symmetric = folder.json("calibrate unary-encoding --epsilon 2 --symmetric");
    let [one, zero] = ["one", "zero"].map(|name| symmetric[name].as_f64().unwrap());
    assert_eq!(one, 1.0 - zero);
}

#[test]
fn what_is_no_parameter_is_refused() {
    let folder = Folder::new();
    for (line, code, words) in [
        ("map", 2, "Usage"),
        ("map nothing --prob 1", 2, "unrecognized"),
        ("map randomized-response-bool", 2, "--prob"),
        ("map randomized-response-bool --prob 0.3", 3, "accepted is a number from 0.5 to 1"),
        ("map randomized-response --categories 1 --prob 0.3", 2, "categories"),
        ("map laplace --sensitivity 1 --scale 2 -k 0", 3, "with_size"),
        ("map laplace-integer --sensitivity 1.5 --scale 2", 2, "sensitivity"),
        ("map rappor -f 1", 3, "invalid f"),
        ("map laplace --sensitivity 1 --scale -2", 3, "invalid scale"),
        ("calibrate laplace --sensitivity 1 --epsilon 0", 3, "--epsilon: "),
        ("calibrate laplace --sensitivity 1 --epsilon inf", 3, "a finite number above 0"),
        ("calibrate laplace --sensitivity NaN --epsilon 1", 3, "d_in"),
        ("calibrate subset-selection --categories 5 --size 5 --epsilon 1", 3, "size"),
    ] {
        folder.refused(line, code, words);
    }
}
