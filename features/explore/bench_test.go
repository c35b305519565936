package explore

import (
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// BenchmarkStories runs random stories in each world on one core, with all invariants checked. Garbage
// is collected as the program does (cmd/monosim/command).
func BenchmarkStories(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
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

// BenchmarkShrinking cuts failures of all worlds down, and reports the median, nine tenths and the most
// of the scenarios' lines, acts and choices, of the runs that they took, and of their time; and how many
// of 100 failures cannot be made a scenario, or need their seed: -bench Shrinking -benchtime 200x.
func BenchmarkShrinking(b *testing.B) {
	all, err := repairable()
	if err != nil {
		b.Fatal(err)
	}
	h := &Hunt{Runner: &simrun.Runner{Warm: &simrun.Warm{}, KeepLog: 1}, all: all}
	worlds := opened(b, h.Runner.Faults())
	found := map[string][]float64{}
	lost, seeds, cut := 0, 0, 0
	for i := 0; cut < b.N; i++ {
		f := h.story(worlds[i%len(worlds)].Draw(uint64(i), ""), 1)
		if f == nil {
			continue
		}
		cut++
		began := time.Now()
		small := h.cutDown(f)
		if small == nil {
			lost++
			continue
		}
		s := small.Story
		if !s.Plain {
			seeds++
		}
		for unit, n := range map[string]int{
			"lines": len(s.withQuirks()), "acts": len(s.Acts), "choices": len(s.Choices), "runs": small.Told, "ms": int(time.Since(began).Milliseconds()),
		} {
			found[unit] = append(found[unit], float64(n))
		}
	}
	for unit, list := range found {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], unit+"-p50")
		b.ReportMetric(list[len(list)*9/10], unit+"-p90")
		b.ReportMetric(list[len(list)-1], unit+"-max")
	}
	b.ReportMetric(100*float64(lost)/float64(cut), "%lost")
	b.ReportMetric(100*float64(seeds)/float64(cut), "%seeds")
}
