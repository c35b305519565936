package training_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a directory that is copied into itself ends with the error that ends it in the reference, on
// TensorFlow 2.4.4: with short names at the depth of Python's recursion, 990 directories in each
// other, and with long ones at the length of a path.
func TestADirectoryIsCopiedIntoItself(t *testing.T) {
	for _, c := range []struct {
		name, class string
	}{
		{"b", "RecursionError"}, {strings.Repeat("n", 200), "InvalidArgumentError"},
	} {
		t.Run(fmt.Sprint(len(c.name)), func(t *testing.T) {
			worldtest.Run(t, nil, func(w *worldtest.Case) {
				w.Must(w.Env.Files.MkdirAll("/a"))
				w.Must(w.Env.Files.WriteFile("/a/x", nil))
				err := training.CopyRecursively(w.Env, "/a", "/a/"+c.name, training.DefaultCopyOptions())
				depth, at := 0, "/a/"+c.name
				for ; env.Exists(w.Env.Files, at); depth++ {
					at += "/" + c.name
				}
				want := 990
				if c.class == "InvalidArgumentError" {
					want = (4095 - len("/a")) / (1 + len(c.name))
				}
				if pysem.TypeOf(err) != c.class || depth != want {
					t.Errorf("got %.80v and %d directories, want the class %s and %d", err, depth, c.class, want)
				}
			})
		})
	}
}
