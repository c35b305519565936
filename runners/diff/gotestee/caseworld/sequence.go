package caseworld

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// Sequence runs the steps of a case; each gives an attempt with the writes that
// it caused, and what after adds to it. after may be nil. Runs of writes of the
// sorted names are sorted by path.
func (c *Call) Sequence(zk *ZooKeeper, do func(s Step) (any, error), after func(s Step, out *pysem.Dict), sorted ...string) []any {
	out := []any{}
	for _, s := range c.In.Steps("steps") {
		zk.calls = nil
		var answer *pysem.Dict
		if method, ok := strings.CutPrefix(s.Name, "zk."); ok {
			answer = Attempt(zk.DoQuietly(Step{Name: method, Arguments: s.Arguments}))
		} else {
			answer = Attempt(do(s))
		}
		if writes := zk.Take(sorted...); len(writes) > 0 {
			answer.Set("writes", writes)
		}
		if after != nil {
			after(s, answer)
		}
		out = append(out, answer)
	}
	return out
}
