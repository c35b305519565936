package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/runners"
)

// Sample is the state of the cluster at an instant. Rates are means per second since the
// previous sample and count only requests of pods.
type Sample struct {
	AtSeconds float64 `json:"at_s"`
	// ZooKeeperUp says whether ZooKeeper serves. While it does not, the counts of its contents
	// are 0.
	ZooKeeperUp  bool  `json:"zookeeper_up"`
	Connections  int   `json:"connections"`
	Sessions     int   `json:"sessions"`
	Znodes       int   `json:"znodes"`
	ZnodeBytes   int64 `json:"znode_bytes"`
	DataWatches  int   `json:"data_watches"`
	ChildWatches int   `json:"child_watches"`

	Requests float64            `json:"requests_per_s"`
	ByOp     map[string]float64 `json:"by_operation"`
	Events   float64            `json:"notifications_per_s"`
	BytesIn  float64            `json:"bytes_in_per_s"`
	BytesOut float64            `json:"bytes_out_per_s"`
	Operator float64            `json:"operator_requests_per_s"`

	// Pods counts the running pods. Available sums, over all pods, the models that have a
	// version AVAILABLE.
	Pods      int `json:"pods"`
	Available int `json:"available"`
	// MemoryBytes is the memory of all model servers together. LargestBytes is the memory of the
	// largest model server.
	MemoryBytes  int64 `json:"memory_bytes"`
	LargestBytes int64 `json:"largest_memory_bytes"`
}

// samples takes samples and keeps them. The field every is the virtual time between two samples.
type samples struct {
	every, next time.Duration
	kept        []Sample
	before      runners.ZooKeeperLoad
	extents     Load
	// pods caches the state of each pod, by its number. Only the entries in fresh are up to
	// date, and the others are read again for the next sample.
	pods  []podNow
	fresh podSet
}

// podNow is the state of a pod at the time it was last read.
type podNow struct {
	running        bool
	available      int
	bytes, largest int64
}

func newSamples(every time.Duration) *samples {
	return &samples{every: every, next: every}
}

// take takes a sample if one is due.
func (s *samples) take(r *run) {
	if now := r.Now(); now >= s.next {
		s.look(r, now)
		s.next += s.every
	}
}

// look takes a sample at the time now, unless the latest sample was taken at that time.
func (s *samples) look(r *run, now time.Duration) {
	since := time.Duration(0)
	if n := len(s.kept); n > 0 {
		since = time.Duration(s.kept[n-1].AtSeconds * float64(time.Second))
	}
	passed := (now - since).Seconds()
	if passed <= 0 {
		return
	}
	z := r.Load().ZooKeeper
	rate := func(n, before uint64) float64 { return float64(n-before) / passed }
	one := Sample{
		AtSeconds: now.Seconds(), ZooKeeperUp: z.Up, Connections: z.Connections, Sessions: z.Sessions,
		Znodes: z.Znodes, ZnodeBytes: z.ZnodeBytes, DataWatches: z.DataWatches, ChildWatches: z.ChildWatches,
		Requests: rate(z.Asked.Requests, s.before.Asked.Requests), Events: rate(z.Asked.Events, s.before.Asked.Events),
		BytesIn: rate(z.Asked.BytesIn, s.before.Asked.BytesIn), BytesOut: rate(z.Asked.BytesOut, s.before.Asked.BytesOut),
		Operator: rate(z.Operator.Requests, s.before.Operator.Requests), ByOp: map[string]float64{},
	}
	for _, op := range slices.Sorted(maps.Keys(z.ByOp)) {
		one.ByOp[op] = rate(z.ByOp[op].Requests, s.before.ByOp[op].Requests)
	}
	s.lookAtPods(r, &one)
	s.before = runners.ZooKeeperLoad{Asked: z.Asked, Operator: z.Operator, ByOp: z.ByOp}
	s.extend(&one)
	s.kept = append(s.kept, one)
}

// lookAtPods reads again the state of each pod that had an event since the previous sample,
// and sums the states of all pods.
func (s *samples) lookAtPods(r *run, one *Sample) {
	for _, p := range r.Pods() {
		number := r.story.numbers.of(p.Name)
		if s.fresh.add(number) {
			for len(s.pods) <= number {
				s.pods = append(s.pods, podNow{})
			}
			s.pods[number] = r.podNow(p.Name)
		}
		now := s.pods[number]
		if now.running {
			one.Pods++
		}
		one.Available += now.available
		one.MemoryBytes += now.bytes
		one.LargestBytes = max(one.LargestBytes, now.largest)
	}
}

func (r *run) podNow(pod string) podNow {
	state, err := r.PodState(pod)
	now := podNow{running: err == nil && state.Running}
	load := r.PodLoad(pod)
	for _, l := range load {
		now.bytes += l.ResidentBytes
		now.largest = max(now.largest, l.ResidentBytes)
	}
	r.story.memory.look(r.Now(), pod, load)
	served := servedBy(r.Cluster, pod)
	number := r.story.numbers.of(pod)
	for _, key := range slices.Sorted(maps.Keys(r.story.hosts)) {
		if r.story.hosts[key].has(number) && served(key) {
			now.available++
		}
	}
	return now
}

// extend updates the final and highest values (Extent) with a sample. It ignores samples taken
// while ZooKeeper is down, because their counts are 0.
func (s *samples) extend(one *Sample) {
	if !one.ZooKeeperUp {
		return
	}
	s.extents.Watches.seen(int64(one.DataWatches + one.ChildWatches))
	s.extents.Connections.seen(int64(one.Connections))
	s.extents.Sessions.seen(int64(one.Sessions))
	s.extents.Znodes.seen(int64(one.Znodes))
	s.extents.ZnodeBytes.seen(one.ZnodeBytes)
}
