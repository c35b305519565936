package gotestee

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// sequence runs the steps of a case; each gives an attempt with the writes that
// it caused, and what after adds to it. after may be nil. Runs of writes of the
// sorted names are sorted by path.
func (c *call) sequence(zk *fakeZK, do func(s step) (any, error), after func(s step, out *pysem.Dict), sorted ...string) []any {
	out := []any{}
	for _, s := range c.in.steps("steps") {
		zk.calls = nil
		var answer *pysem.Dict
		if method, ok := strings.CutPrefix(s.name, "zk."); ok {
			answer = attempt(zk.doQuietly(step{name: method, arguments: s.arguments}))
		} else {
			answer = attempt(do(s))
		}
		if writes := zk.take(sorted...); len(writes) > 0 {
			answer.Set("writes", writes)
		}
		if after != nil {
			after(s, answer)
		}
		out = append(out, answer)
	}
	return out
}
