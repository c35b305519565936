#!/bin/sh
# Guess:     a feature file that an editor saved as UTF-8 with a byte order mark is read, as
#            Cucumber's parser for JavaScript (42.0.1) reads it.
# Version:   github.com/cucumber/gherkin/go/v42 v42.0.0
# Behaviour: the mark is text before the first keyword, which is a parser error; so is an
#            indentation of ideographic spaces.
# Seen:      "(1:1): expected: #EOF, #Language, #TagLine, ..." for both, none without
# Shaped:    features/featurefile, which passes lines to this parser without them.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > go.mod <<'END'
module finding
go 1.24
require github.com/cucumber/gherkin/go/v42 v42.0.0
END
cat > main.go <<'END'
package main

import (
	"fmt"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v42"
)

func main() {
	for _, before := range []string{"", "\ufeff", "\u3000"} {
		text := before + "Feature: f\n"
		_, err := gherkin.ParseGherkinDocument(strings.NewReader(text), func() string { return "1" })
		line, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprint(err), "Parser errors:\n"), ", got")
		fmt.Printf("%+q %s\n", before, line)
	}
}
END
cat > seen <<'END'
"" <nil>
"\ufeff" (1:1): expected: #EOF, #Language, #TagLine, #FeatureLine, #Comment, #Empty
"\u3000" (1:1): expected: #EOF, #Language, #TagLine, #FeatureLine, #Comment, #Empty
END
GOFLAGS=-mod=mod GOWORK=off go run . > got
cat got
diff seen got
