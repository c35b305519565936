package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files of the port and of env are written down, and what is found in them is held to what
// was written into them.
func TestThePortKnowsNoMachinery(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string // what begins each finding
	}{
		{"an import of bulk reads", "engine/agent/x/x.go", "package x\n\nimport _ \"" + module + "/engine/env/zkbulk\"\n", []string{"imports engine/env/zkbulk"}},
		{"unsafe", "engine/training/x/x.go", "package x\n\nimport _ \"unsafe\"\n", []string{"imports unsafe"}},
		{"what processes share", "engine/agent/x/x.go", "package x\n\nvar a = m.e.Shared.Names(\"/\")\nvar b env.Names\n", []string{"names Names", "names Shared", "names Names"}},
		{"names of something else", "engine/agent/x/x.go", "package x\n\nvar a = b.Names\n", nil},
		{"a loop in env", "engine/env/x.go", "package env\n\nfunc Sum() (n int) {\n\tfor range 3 {\n\t}\n\treturn n\n}\n", []string{"implements Sum, which loops"}},
		{"an assignment in env", "engine/env/x.go", "package env\n\nfunc (b *B) Add() { b.n = 1 }\n", []string{"implements B.Add, which assigns"}},
		{"a choice in env", "engine/env/x.go", "package env\n\nfunc Of(f F) F {\n\tif g, ok := f.(G); ok {\n\t\treturn g.F()\n\t}\n\treturn f\n}\n", nil},
		{"a text in env", "engine/env/x.go", "package env\n\nfunc (b B) String() string {\n\ts := \"\"\n\ts += \"x\"\n\treturn s\n}\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := checkPort(map[string]string{c.file: c.text}, nil)
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

func TestAnExceptionOfThePortHasToBeNeeded(t *testing.T) {
	files := map[string]string{"engine/agent/x/x.go": "package x\n\nimport _ \"unsafe\"\n"}
	found, err := checkPort(files, []portException{
		{"engine/agent/...", "imports unsafe", "x is gone"},
		{"engine/agent/y/...", "names Shared", "y is gone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []finding{{File: "engine/agent/y/...", Rule: portRule, Text: "nothing of it names Shared any more: delete the exception in cmd/lint/port_open.go"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
