package sim

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/monosim/monosim/engine/lists"
)

// column is a column of the table of samples.
type column struct {
	name  string
	value func(*Sample) float64
}

// seriesColumns lists the columns of every series. Columns of operations follow them.
var seriesColumns = []column{
	{"at_s", func(s *Sample) float64 { return s.AtSeconds }},
	{"zookeeper_up", func(s *Sample) float64 {
		if s.ZooKeeperUp {
			return 1
		}
		return 0
	}},
	{"connections", func(s *Sample) float64 { return float64(s.Connections) }},
	{"sessions", func(s *Sample) float64 { return float64(s.Sessions) }},
	{"znodes", func(s *Sample) float64 { return float64(s.Znodes) }},
	{"znode_bytes", func(s *Sample) float64 { return float64(s.ZnodeBytes) }},
	{"data_watches", func(s *Sample) float64 { return float64(s.DataWatches) }},
	{"child_watches", func(s *Sample) float64 { return float64(s.ChildWatches) }},
	{"requests_per_s", func(s *Sample) float64 { return s.Requests }},
	{"notifications_per_s", func(s *Sample) float64 { return s.Events }},
	{"bytes_in_per_s", func(s *Sample) float64 { return s.BytesIn }},
	{"bytes_out_per_s", func(s *Sample) float64 { return s.BytesOut }},
	{"operator_requests_per_s", func(s *Sample) float64 { return s.Operator }},
	{"pods", func(s *Sample) float64 { return float64(s.Pods) }},
	{"available", func(s *Sample) float64 { return float64(s.Available) }},
	{"memory_bytes", func(s *Sample) float64 { return float64(s.MemoryBytes) }},
	{"largest_memory_bytes", func(s *Sample) float64 { return float64(s.LargestBytes) }},
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
		columns = append(columns, column{op + "_per_s", func(s *Sample) float64 { return s.ByOp[op] }})
	}
	w := csv.NewWriter(out)
	row := lists.Map(columns, func(c column) string { return c.name })
	_ = w.Write(row) // w.Error returns the error
	for i := range r.Samples {
		for j, c := range columns {
			row[j] = decimal(c.value(&r.Samples[i]))
		}
		_ = w.Write(row)
	}
	w.Flush()
	return w.Error()
}

// decimal formats a number with at most three decimals.
func decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// SweepColumns lists the columns of a sweep, after those of the swept options.
var SweepColumns = []string{
	"pods", "watches", "requests_per_s", "peak_requests_in_1s", "notifications_per_s", "bytes_in_per_s", "bytes_out_per_s",
	"connections", "znodes", "znode_bytes", "all_serving_s", "rollout_s", "memory_bytes", "unavailable", "unlisted", "failed", "events",
}

// SweepRow returns the row of a run in a sweep. all_serving_s is when the last pod had its
// first version of every model, and rollout_s how long the slowest roll-out took.
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
	return lists.Map(numbers, decimal)
}
