package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: the rule finds simulator code in the port and in env. Method: small files as texts, each
// with its expected findings.
func TestThePortKnowsNoMachinery(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string // beginnings of the wanted findings, in order
	}{
		{"an import of bulk reads", "engine/agent/x/x.go", "package x\n\nimport _ \"" + module + "/engine/recipes/bulk\"\n", []string{"imports engine/recipes/bulk"}},
		{"unsafe", "engine/training/x/x.go", "package x\n\nimport _ \"unsafe\"\n", []string{"imports unsafe"}},
		{"a loop in env", "engine/env/x.go", "package env\n\nfunc Sum() (n int) {\n\tfor range 3 {\n\t}\n\treturn n\n}\n", []string{"implements Sum, which loops"}},
		{"an assignment in env", "engine/env/x.go", "package env\n\nfunc (b *B) Add() { b.n = 1 }\n", []string{"implements B.Add, which assigns"}},
		{"a choice in env", "engine/env/x.go", "package env\n\nfunc Of(f F) F {\n\tif g, ok := f.(G); ok {\n\t\treturn g.F()\n\t}\n\treturn f\n}\n", nil},
		{"a text in env", "engine/env/x.go", "package env\n\nfunc (b B) String() string {\n\ts := \"\"\n\ts += \"x\"\n\treturn s\n}\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := checkPort(map[string]string{c.file: c.text})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, f := range found {
				got = append(got, f.Text)
				if i < len(c.want) && strings.HasPrefix(f.Text, c.want[i]) {
					got[i] = c.want[i]
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
