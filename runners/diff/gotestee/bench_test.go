package gotestee

import (
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
)

// BenchmarkPure measures random cases of pure operations. Such an operation is a single call
// without client, agent or server. As in a comparison, each case has a world of its own.
func BenchmarkPure(b *testing.B) { benchmarkCases(b, pure) }

// BenchmarkSequences measures random cases of all operations that are not pure.
func BenchmarkSequences(b *testing.B) {
	benchmarkCases(b, func(op string) bool { return !pure(op) })
}

// stateful lists the modules whose operations use a client or make an agent.
var stateful = []string{"agent", "agent_controller", "agent_service", "agent_v3", "model_manager", "replica_manager", "tfs_monitor", "tfs_wrapper", "zk_mirror"}

func pure(op string) bool {
	module, _, _ := strings.Cut(op, ".")
	return !strings.HasSuffix(op, ".sequence") && !slices.Contains(stateful, module)
}

func benchmarkCases(b *testing.B, takes func(op string) bool) {
	var ops []string
	for _, op := range catalogue.DrawnOps() {
		if takes(op) {
			ops = append(ops, op)
		}
	}
	inputs, err := conformance.Draw(ops, 50, 1)
	if err != nil {
		b.Fatal(err)
	}
	var cases []*testee.Case
	for i := range inputs {
		c, err := conformance.CaseOf(&inputs[i].Question)
		if err != nil {
			b.Fatal(err)
		}
		cases = append(cases, c)
	}
	engine := New("bench")
	answered := 0
	b.ReportAllocs()
	for b.Loop() {
		engine.Answer(cases[answered%len(cases)])
		answered++
	}
	b.ReportMetric(float64(answered)/b.Elapsed().Seconds(), "cases/s")
}
