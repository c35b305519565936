package sim

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Load holds the numbers that a planner needs: what ZooKeeper held, the requests that it received,
// and the memory of model servers. Rates are means per second over the whole run and count requests
// of pods only. Pings are not counted.
type Load struct {
	Watches     Extent `json:"watches"`
	Connections Extent `json:"connections"`
	Sessions    Extent `json:"sessions"`
	Znodes      Extent `json:"znodes"`
	ZnodeBytes  Extent `json:"znode_bytes"`

	Requests float64 `json:"requests_per_s"`
	// Peak is the highest number of requests in any whole second of cluster time. PeakAt is the
	// time at which that second begins.
	Peak     uint64             `json:"peak_requests_in_1s"`
	PeakAt   float64            `json:"peak_at_s"`
	ByOp     map[string]float64 `json:"requests_per_s_by_operation"`
	ByPath   map[string]float64 `json:"requests_per_s_by_path"`
	ByPod    map[string]float64 `json:"requests_per_s_by_pod"`
	Events   float64            `json:"notifications_per_s"`
	BytesIn  float64            `json:"bytes_in_per_s"`
	BytesOut float64            `json:"bytes_out_per_s"`
	// Operator counts the requests from outside the pods, over the whole run.
	Operator runners.Flow `json:"operator"`

	Memory []ServerMemory `json:"memory"`
}

// Extent holds a quantity's value at the end of the run and its highest value in any sample.
type Extent struct {
	End  int64 `json:"end"`
	Most int64 `json:"most"`
}

func (e *Extent) seen(n int64) { e.End, e.Most = n, max(e.Most, n) }

// ServerMemory is the resident memory of a model server.
type ServerMemory struct {
	Pod  string `json:"pod"`
	Kind string `json:"kind,omitempty"`
	// PeakBytes is the highest memory of any single process of this server. Steps lists the
	// changes of memory over time, with 0 while no process runs.
	PeakBytes int64        `json:"peak_bytes"`
	Steps     []MemoryStep `json:"steps"`
}

// MemoryStep says how much memory the server has from AtSeconds until the next step.
type MemoryStep struct {
	AtSeconds float64 `json:"at_s"`
	Bytes     int64   `json:"bytes"`
}

// end returns the server's memory in bytes at the end of the run.
func (m *ServerMemory) end() int64 {
	if len(m.Steps) == 0 {
		return 0
	}
	return m.Steps[len(m.Steps)-1].Bytes
}

// memories tracks the memory of model servers.
type memories struct {
	pods map[string][]*ServerMemory
}

// look records the present memory of each model server of a pod. A server that is missing
// from load has 0 bytes.
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

// list returns the model servers, in the cluster's order of pods and by kind within a pod.
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

// load sums up ZooKeeper's load from the start of the run until now.
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

// byRate returns the names of the map, sorted by falling rate.
func byRate(rates map[string]float64) []string {
	names := slices.Sorted(maps.Keys(rates))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rates[b], rates[a]) })
	return names
}
