package confined_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/confined"
)

// Goal: an accepted name stays in its folder on every system, and the error for a refused name says
// what is wanted. Method: tables of names, and a fuzz test of properties that all names must have.

func TestNames(t *testing.T) {
	for _, name := range []string{"ctr", "ps_0", "a b", "ctr:entry", "größe", "a..b", "a.", strings.Repeat("x", 255)} {
		if err := confined.Name(name); err != nil {
			t.Errorf("%q: %v, want it taken", name, err)
		}
	}
	for name, want := range map[string]string{
		"": "found no name", ".": "does not begin with a dot", "..": "does not begin with a dot", ".store": "with a dot",
		"a/b": "without separators", `a\b`: "without separators", "/a": "without separators", "a\x00b": "without control characters",
		"a\nb": "without control characters", "a\xff": "without control characters", strings.Repeat("x", 256): "found a name of 256 bytes, want at most 255",
	} {
		if err := confined.Name(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, p := range []string{"/m", "/models/ctr", "/models/ctr/"} {
		if err := confined.Path(p); err != nil {
			t.Errorf("%q: %v, want it taken", p, err)
		}
	}
	for _, p := range []string{"", "/", "//", "m", "/m//n", "/m/./n", "/m/../n", "/..", `/m\n`, "/m/\x00", "hdfs://a/b", "/m/" + strings.Repeat("x", 300)} {
		if err := confined.Path(p); err == nil || !strings.Contains(err.Error(), "want a path from the root") {
			t.Errorf("%.20q: got %v, want a refusal", p, err)
		}
	}
}

func FuzzPathsStayBelow(f *testing.F) {
	for _, p := range []string{"/models/ctr", "a/../b", "..", "/a/../..", ".", "", "a\x00b", `..\a`, "a//b/", "/./a"} {
		f.Add(p)
	}
	root := filepath.FromSlash("/folder/of/it")
	f.Fuzz(func(t *testing.T, p string) {
		if name, err := confined.Below(p); err == nil && !strings.HasPrefix(filepath.Join(root, name), root+string(filepath.Separator)) {
			t.Errorf("%q: got %q, which leads out", p, name)
		}
		if at := filepath.Join(root, confined.Clamp(p)) + string(filepath.Separator); !strings.HasPrefix(at, root+string(filepath.Separator)) {
			t.Errorf("%q: clamped to %q, which leads out", p, at)
		}
		if confined.Path(p) == nil {
			if _, err := confined.Below(p); err != nil {
				t.Errorf("%q is a path and not below: %v", p, err)
			}
		}
	})
}
