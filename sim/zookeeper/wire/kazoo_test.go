package wire

import (
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
)

// Goal: kazoo works with this server. The reference uses that Python client for ZooKeeper. PYTHON
// names the interpreter.
func TestKazooSession(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "kazoo.client") {
		t.Skipf("%s has no kazoo: PYTHON names an interpreter that does", python)
	}
	for _, c := range []struct {
		name string
		opt  Options
	}{{"in memory", Options{}}, {"with a data directory", Options{DataDir: t.TempDir()}}} {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Speed = 1
			l := serve(t, c.opt)
			out, err := pythontest.Command(t, python, "testdata/session.py", l.addr).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			expect(t, string(out), "kazoo is content\n")
		})
	}
}
