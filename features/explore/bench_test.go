package explore

import (
	"testing"

	"github.com/monosim/monosim/features/steps"
)

// BenchmarkStories runs random stories in each world on one core, with all invariants checked.
func BenchmarkStories(b *testing.B) {
	for _, name := range []string{"v3 1x3", "v3 2x2 with filters", "v1 1x3", "v1 2x2", "training by ZooKeeper", "training by Consul"} {
		b.Run(name, func(b *testing.B) {
			w := world(b, name)
			for i := range b.N {
				w.Draw(uint64(i), "").tell(steps.Telling{})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "stories/s")
		})
	}
}
