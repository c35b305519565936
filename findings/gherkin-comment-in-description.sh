#!/bin/sh
# Guess:     a comment may stand on any line of its own of a feature file, so also within the
#            free text of a description, as Cucumber's reference of Gherkin has it.
# Version:   github.com/cucumber/gherkin/go/v26 v26.2.0, that of godog 0.15
# Behaviour: a comment ends the description; text after it is a parser error.
# Seen:      without a comment "  before\n  after", with one "(4:3): expected: #EOF, ... got '  after'"
# Shaped:    what we hold readers of scenarios to in features with comments in descriptions.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > go.mod <<'END'
module finding
go 1.24
require github.com/cucumber/gherkin/go/v26 v26.2.0
END
cat > main.go <<'END'
package main

import (
	"fmt"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v26"
)

func main() {
	for _, comment := range []string{"", "  # a comment\n"} {
		text := "Feature: f\n  before\n" + comment + "  after\n\n  Scenario: s\n    Given x\n"
		doc, err := gherkin.ParseGherkinDocument(strings.NewReader(text), func() string { return "1" })
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%q\n", doc.Feature.Description)
	}
}
END
cat > seen <<'END'
"  before\n  after"
Parser errors:
(4:3): expected: #EOF, #Comment, #BackgroundLine, #TagLine, #ScenarioLine, #RuleLine, #Empty, got '  after'
END
GOFLAGS=-mod=mod GOWORK=off go run . > got
cat got
diff seen got
