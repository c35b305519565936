package training_test

import (
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a copy into the directory that is copied ends as Python's recursion does. Each directory
// that is made is found again when its parent is listed.
func TestACopyIntoItselfIsARecursionError(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		c.Must(c.Env.Files.MkdirAll("src"))
		err := training.CopyRecursively(c.Env, "src", "src/dst", training.DefaultCopyOptions())
		if pysem.TypeOf(err) != "RecursionError" {
			t.Errorf("got error %v, want a RecursionError", err)
		}
	})
}
