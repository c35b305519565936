#!/bin/sh
# Guess:     the doc string of a step is the text between its delimiters, and what stands behind the first one
#            is its media type, as Gherkin's reference says.
# Version:   the crate gherkin 0.16.0, which reads the features of cucumber for Rust
# Behaviour: the text begins with the rest of the first line, so with a line break or with the media type, and
#            ends with a line break; behind a media type, lines keep their indentation; an escaped quote keeps
#            its backslash.
# Seen:      "\nplain\n"
#            "json\n    {}\n"
#            "\nsay \\\"\\\"\\\"\n"
# Shaped:    no step of our features has a doc string, so that both read them alike.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat > Cargo.toml <<'END'
[package]
name = "finding"
version = "0.1.0"
edition = "2021"

[dependencies]
gherkin = "=0.16.0"
END
cat > src/main.rs <<'END'
use gherkin::{Feature, GherkinEnv};

fn main() {
    for (first, line) in [("", "plain"), ("json", "{}"), ("", r#"say \"\"\""#)] {
        let text = format!("Feature: f\n  Scenario: s\n    Given x\n    \"\"\"{first}\n    {line}\n    \"\"\"\n");
        let feature = Feature::parse(&text, GherkinEnv::default()).expect("a feature");
        println!("{:?}", feature.scenarios[0].steps[0].docstring.as_deref().unwrap_or("none"));
    }
}
END
cat > seen <<'END'
"\nplain\n"
"json\n    {}\n"
"\nsay \\\"\\\"\\\"\n"
END
cargo run --quiet > got
cat got
diff seen got
