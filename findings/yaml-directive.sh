#!/bin/sh
# Guess:     a YAML library of 2022 reads "%YAML 1.2" and a document, as YAML 1.2 of 2009 has it.
# Version:   gopkg.in/yaml.v3 v3.0.1
# Behaviour: it reads the same document after "%YAML 1.1", and refuses it after "%YAML 1.2".
# Seen:      %YAML 1.1 map[a:1] <nil>
#            %YAML 1.2 map[] yaml: found incompatible YAML document
# Shaped:    descriptions, plans and settings here are read by it, and have no directive.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > go.mod <<'END'
module finding
go 1.24
require gopkg.in/yaml.v3 v3.0.1
END
cat > main.go <<'END'
package main

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

func main() {
	for _, directive := range []string{"%YAML 1.1", "%YAML 1.2"} {
		var v map[string]int
		err := yaml.Unmarshal([]byte(directive+"\n---\na: 1\n"), &v)
		fmt.Println(directive, v, err)
	}
}
END
cat > seen <<'END'
%YAML 1.1 map[a:1] <nil>
%YAML 1.2 map[] yaml: found incompatible YAML document
END
GOFLAGS=-mod=mod GOWORK=off go run . > got
cat got
diff seen got
