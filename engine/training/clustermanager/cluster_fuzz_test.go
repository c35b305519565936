package clustermanager

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// FuzzClusterFile checks that any chief's file, complete or truncated, yields the PS listed in it
// or a Python exception if it is not text.
func FuzzClusterFile(f *testing.F) {
	for _, text := range []string{"a:1,b:1", "a:1,", ",", "a", "\xff,b", "\n", "a\x00b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" {
			return // the function would wait, because there is no file yet
		}
		e := envtest.New(map[string]string{"m/ps_cluster_dir/u": text}, nil)
		e.Clock = envtest.Clock{}
		ps, err := psFromFile(e, quirks.Python, "m/ps_cluster_dir/u", 0)
		switch {
		case err != nil && pysem.TypeOf(err) != "UnicodeDecodeError":
			t.Errorf("%q: got %v, want an exception of Python", text, err)
		case err == nil && strings.Join(ps, ",") != text:
			t.Errorf("%q: got the PS %q", text, ps)
		}
	})
}
