package rest

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: request targets are accepted and parsed as by libevent (testdata/README.md).
func TestTargets(t *testing.T) {
	file, err := os.Open("testdata/targets.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count := 0
	for lines := bufio.NewScanner(file); lines.Scan(); count++ {
		var c struct {
			Target        string
			Loose, Strict []string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		checkTarget(t, c.Target, false, c.Loose)
		checkTarget(t, c.Target, true, c.Strict)
	}
	if count < 150 {
		t.Errorf("%d targets, want at least 150", count)
	}
}

func checkTarget(t *testing.T, text string, strict bool, want []string) {
	t.Helper()
	var got []string
	if parsed, ok := parseTarget(text, strict); ok {
		got = []string{parsed.path, parsed.full}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q, strict %v (-libevent +ours):\n%s", text, strict, diff)
	}
}
