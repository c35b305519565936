package judge

import (
	"fmt"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// keepRecords creates the records of all replications. It runs once it is known how much
// warm-up is cut.
func (e *Evaluation) keepRecords() {
	for _, s := range e.samples {
		w := e.Windows[s.Window]
		if w.Refused != "" {
			continue
		}
		e.record(w, s.After(w.segments))
	}
	e.samples = nil
}

func (e *Evaluation) record(w *Pool, s *model.Sample) {
	one := result.Record{Condition: e.Condition.Text, Window: w.Window.Name, Replication: s.Replication, WarmupCut: w.Cut,
		Counters: counters(e.Spec, s), Histograms: map[string]result.Histogram{"request": bars(s.Latency)}}
	for t, name := range plan.TierNames {
		if e.Spec.Has(t) {
			one.Histograms[name] = bars(s.Tiers[t].Latency)
		}
	}
	for k := range s.Models {
		one.Histograms["request of "+e.Plan.Workload.Mix[k].Model] = bars(s.Models[k].Latency)
	}
	e.records = append(e.records, one)
}

// Records returns the outcomes of every replication, if the goal asked for them. point holds the
// replaced values by path, nil for the unchanged plan. world is the number of the draw of uncertain
// inputs, counted from 1; 0 stands for their middle values.
func (e *Evaluation) Records(point map[string]string, world int) []result.Record {
	if point == nil {
		point = map[string]string{}
	}
	for i := range e.records {
		e.records[i].Point, e.records[i].World = point, world
	}
	return e.records
}

// PointOf returns the replaced values as texts by path, the form used in records and cells.
func PointOf(values []plan.Value) map[string]string {
	return lists.ToMap(values, func(v plan.Value) (string, string) { return plan.RootPath(v.Path), v.Text })
}

// Forget frees the memory of the evaluation's records, if the result does not need them.
func (e *Evaluation) Forget() { e.records = nil }

func counters(spec *model.Spec, s *model.Sample) result.Counters {
	c := result.Counters{
		Arrived: s.Arrived, Completed: s.Completed, Partial: s.Partial, Failed: map[string]int64{}, Open: s.Open, LatencyNs: s.SumNs,
		Calls: result.CallCounters(s.Calls), Tiers: map[string]result.TierCounters{}, OOM: s.Life.OOM, Simulated: s.Requests, Trace: fmt.Sprintf("%016x", s.Hash),
	}
	for k, n := range s.Failed {
		c.Failed[plan.Causes[k]] = n
	}
	for t, name := range plan.TierNames {
		if one := &s.Tiers[t]; spec.Has(t) {
			c.Tiers[name] = result.TierCounters{Attempts: one.Attempts, LatencyNs: one.SumNs, BusyNs: one.BusyNs, CoreNs: one.CoreNs}
		}
	}
	return c
}

// bars returns the non-empty bars of a histogram.
func bars(h model.Hist) result.Histogram {
	list, before := result.Histogram{}, int64(0)
	h.CDF(func(ns, count int64) {
		list = append(list, result.Bar{To: ns, Count: count - before})
		before = count
	})
	return list
}
