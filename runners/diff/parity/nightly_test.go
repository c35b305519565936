package parity

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// Goal: the page says when each part of make nightly last passed. Method: a record of two parts.
func TestThePageSaysWhenEachNightlyPartPassedLast(t *testing.T) {
	p := smallParity(t)
	var err error
	p.nightly, err = readNightly(fstest.MapFS{nightlyFile: file("# a remark\nrace | 2026-11-27 | 0123456789ab | It is long.\nsoak | not yet | not yet | So is it.\n")})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	p.writeNightly(&b)
	want := "|---|---|---|---|\n| race | 2026-11-27 | 0123456789ab | It is long. |\n| soak | not yet | not yet | So is it. |\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got\n%s\nwant at its end\n%s", b.String(), want)
	}
	if _, err := readNightly(fstest.MapFS{nightlyFile: file("race | not yet\n")}); err == nil || !strings.Contains(err.Error(), nightlyFile+":1: found 2 fields") {
		t.Errorf("a line without a reason: got %v, want an error that names it", err)
	}
}

// Goal: each part in the record is a target of the Makefile.
func TestEveryNightlyPartIsATarget(t *testing.T) {
	const root = "../../.."
	parts, err := readNightly(os.DirFS(root))
	if err != nil || len(parts) == 0 {
		t.Fatal(parts, err)
	}
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		if !strings.Contains(string(makefile), " nightly-"+part.name) {
			t.Errorf("part %q: the Makefile has no target nightly-%s", part.name, part.name)
		}
	}
}
