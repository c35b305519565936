package sim

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Load holds the load of a run for capacity planning: what ZooKeeper held and was asked,
// and the memory of model servers. Rates count requests of pods a second, over the whole
// run, without pings.
type Load struct {
	Watches     Extent `json:"watches"`
	Connections Extent `json:"connections"`
	Sessions    Extent `json:"sessions"`
	Znodes      Extent `json:"znodes"`
	ZnodeBytes  Extent `json:"znode_bytes"`

	Requests float64 `json:"requests_per_s"`
	// Peak is the largest number of requests in one second of the clock, which began at
	// PeakAt.
	Peak     uint64             `json:"peak_requests_in_1s"`
	PeakAt   float64            `json:"peak_at_s"`
	ByOp     map[string]float64 `json:"requests_per_s_by_operation"`
	ByPath   map[string]float64 `json:"requests_per_s_by_path"`
	ByPod    map[string]float64 `json:"requests_per_s_by_pod"`
	Events   float64            `json:"notifications_per_s"`
	BytesIn  float64            `json:"bytes_in_per_s"`
	BytesOut float64            `json:"bytes_out_per_s"`
	// Operator counts what was done from outside of the pods.
	Operator runners.Flow `json:"operator"`

	Memory []ServerMemory `json:"memory"`
}

// Extent holds an amount at the end, and the largest at a sample.
type Extent struct {
	End  int64 `json:"end"`
	Most int64 `json:"most"`
}

func (e *Extent) seen(n int64) { e.End, e.Most = n, max(e.Most, n) }

// ServerMemory is the resident memory of a model server.
type ServerMemory struct {
	Pod  string `json:"pod"`
	Kind string `json:"kind,omitempty"`
	// PeakBytes is the peak of any of its processes. Steps lists the changes; 0 means that
	// no process runs.
	PeakBytes int64        `json:"peak_bytes"`
	Steps     []MemoryStep `json:"steps"`
}

// MemoryStep is the memory from an instant on.
type MemoryStep struct {
	AtSeconds float64 `json:"at_s"`
	Bytes     int64   `json:"bytes"`
}

// end returns the memory at the end.
func (m *ServerMemory) end() int64 {
	if len(m.Steps) == 0 {
		return 0
	}
	return m.Steps[len(m.Steps)-1].Bytes
}

// memories records the memory of model servers.
type memories struct {
	pods map[string][]*ServerMemory
}

// look records the present memory of a pod's model servers.
func (m *memories) look(at time.Duration, pod string, load []runners.ModelServerLoad) {
	for _, s := range m.pods[pod] {
		if !slices.ContainsFunc(load, func(l runners.ModelServerLoad) bool { return l.Kind == s.Kind }) {
			s.step(at, 0)
		}
	}
	for _, l := range load {
		i := slices.IndexFunc(m.pods[pod], func(s *ServerMemory) bool { return s.Kind == l.Kind })
		if i < 0 {
			i = len(m.pods[pod])
			m.pods[pod] = append(m.pods[pod], &ServerMemory{Pod: pod, Kind: l.Kind})
		}
		s := m.pods[pod][i]
		s.PeakBytes = max(s.PeakBytes, l.PeakBytes)
		s.step(at, l.ResidentBytes)
	}
}

func (m *ServerMemory) step(at time.Duration, bytes int64) {
	if bytes == m.end() {
		return
	}
	m.Steps = append(m.Steps, MemoryStep{AtSeconds: at.Seconds(), Bytes: bytes})
}

// list returns the memories by pod, in the cluster's order, and kind.
func (m *memories) list(pods []runners.Pod) []ServerMemory {
	list := []ServerMemory{}
	for _, p := range pods {
		byKind := func(a, b *ServerMemory) int { return strings.Compare(a.Kind, b.Kind) }
		for _, s := range slices.SortedFunc(slices.Values(m.pods[p.Name]), byKind) {
			list = append(list, *s)
		}
	}
	return list
}

// load sums up.
func (s *samples) load(now time.Duration, z runners.ZooKeeperLoad) Load {
	seconds := max(now.Seconds(), 1e-9)
	rates := func(flows map[string]runners.Flow) map[string]float64 {
		list := make(map[string]float64, len(flows))
		for _, name := range slices.Sorted(maps.Keys(flows)) {
			list[name] = float64(flows[name].Requests) / seconds
		}
		return list
	}
	l := s.extents
	l.Requests, l.Events = float64(z.Asked.Requests)/seconds, float64(z.Asked.Events)/seconds
	l.BytesIn, l.BytesOut = float64(z.Asked.BytesIn)/seconds, float64(z.Asked.BytesOut)/seconds
	l.Peak, l.PeakAt = z.PeakRequests, z.PeakAt.Seconds()
	l.ByOp, l.ByPath, l.ByPod = rates(z.ByOp), rates(z.ByPath), rates(z.ByPod)
	l.Operator = z.Operator
	return l
}

// byRate lists names, the highest rate first.
func byRate(rates map[string]float64) []string {
	names := slices.Sorted(maps.Keys(rates))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rates[b], rates[a]) })
	return names
}
