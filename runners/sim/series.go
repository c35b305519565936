package sim

import (
	"io"
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/show/series"
)

// seriesColumns lists the fixed columns of a time series. A column for each ZooKeeper
// operation follows them.
var seriesColumns = []series.Column[Sample]{
	{Name: "at_s", Value: func(s *Sample) float64 { return s.AtSeconds }},
	{Name: "zookeeper_up", Value: func(s *Sample) float64 {
		if s.ZooKeeperUp {
			return 1
		}
		return 0
	}},
	{Name: "connections", Value: func(s *Sample) float64 { return float64(s.Connections) }},
	{Name: "sessions", Value: func(s *Sample) float64 { return float64(s.Sessions) }},
	{Name: "znodes", Value: func(s *Sample) float64 { return float64(s.Znodes) }},
	{Name: "znode_bytes", Value: func(s *Sample) float64 { return float64(s.ZnodeBytes) }},
	{Name: "data_watches", Value: func(s *Sample) float64 { return float64(s.DataWatches) }},
	{Name: "child_watches", Value: func(s *Sample) float64 { return float64(s.ChildWatches) }},
	{Name: "requests_per_s", Value: func(s *Sample) float64 { return s.Requests }},
	{Name: "notifications_per_s", Value: func(s *Sample) float64 { return s.Events }},
	{Name: "bytes_in_per_s", Value: func(s *Sample) float64 { return s.BytesIn }},
	{Name: "bytes_out_per_s", Value: func(s *Sample) float64 { return s.BytesOut }},
	{Name: "operator_requests_per_s", Value: func(s *Sample) float64 { return s.Operator }},
	{Name: "pods", Value: func(s *Sample) float64 { return float64(s.Pods) }},
	{Name: "available", Value: func(s *Sample) float64 { return float64(s.Available) }},
	{Name: "memory_bytes", Value: func(s *Sample) float64 { return float64(s.MemoryBytes) }},
	{Name: "largest_memory_bytes", Value: func(s *Sample) float64 { return float64(s.LargestBytes) }},
}

// WriteSeries writes the samples as CSV. It adds a column such as "getData_per_s" for each
// operation of ZooKeeper that occurs.
func (r *Report) WriteSeries(out io.Writer) error {
	ops := map[string]bool{}
	for i := range r.Samples {
		for op := range r.Samples[i].ByOp {
			ops[op] = true
		}
	}
	columns := slices.Clone(seriesColumns)
	for _, op := range slices.Sorted(maps.Keys(ops)) {
		columns = append(columns, series.Column[Sample]{Name: op + "_per_s", Value: func(s *Sample) float64 { return s.ByOp[op] }})
	}
	return series.Write(out, columns, r.Samples)
}

// SweepColumns lists the result columns of a sweep. In its table they follow the columns of
// the swept options.
var SweepColumns = []string{
	"pods", "watches", "requests_per_s", "peak_requests_in_1s", "notifications_per_s", "bytes_in_per_s", "bytes_out_per_s",
	"connections", "znodes", "znode_bytes", "all_serving_s", "rollout_s", "memory_bytes", "unavailable", "unlisted", "failed", "events",
}

// SweepRow returns a run's row in the table of a sweep. all_serving_s is when the last pod
// had its first version of every model. rollout_s is how long the slowest roll-out took.
func (r *Report) SweepRow() []string {
	l := &r.Load
	serving, rollout, memory, failed := 0.0, 0.0, int64(0), 0.0
	for _, o := range r.Rollouts {
		serving, rollout = max(serving, o.Last), max(rollout, o.Took)
	}
	for _, m := range l.Memory {
		memory = max(memory, m.PeakBytes)
	}
	for _, a := range r.Acts {
		if a.Error != "" {
			failed++
		}
	}
	numbers := []float64{
		float64(r.Pods), float64(l.Watches.Most), l.Requests, float64(l.Peak), l.Events, l.BytesIn, l.BytesOut,
		float64(l.Connections.Most), float64(l.Znodes.Most), float64(l.ZnodeBytes.Most), serving, rollout, float64(memory),
		float64(len(r.Unavailable)), float64(len(r.Unlisted)), failed, float64(r.Counts.Events),
	}
	return lists.Map(numbers, series.Decimal)
}
