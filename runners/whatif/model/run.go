package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/places"
)

// Drain is how long the simulation goes on after the end of a window, so that the window's requests
// can end. A request that is still open then is at least this old. If the fleet was without rest
// before the window for longer than Drain, the simulation goes on for that longer time.
const Drain = 60 * time.Second

func gammaLaw(cv float64) law.Law {
	if cv == 1 {
		return law.Exponential(1)
	}
	return law.Shaped(1, cv)
}

// Run simulates one window of one replication.
func (s *Spec) Run(window, replication int) (*Sample, error) {
	return s.RunUnless(nil, window, replication)
}

// ErrHalted says that a run was stopped before the end of its window, because its halt function
// wanted that.
var ErrHalted = errors.New("halted before the end of the window")

// RunUnless simulates as [Spec.Run] does, but stops with ErrHalted as soon as halt returns true. It
// calls halt before the start, and after every tenth of a second of virtual time. The calls do not
// change the sample. halt may be nil.
func (s *Spec) RunUnless(halt func() bool, window, replication int) (*Sample, error) {
	if halt != nil && halt() {
		return nil, ErrHalted
	}
	w := s.world(window, replication)
	defer w.clock.Close()
	w.halt = halt
	if w.sample.Refused != "" {
		w.sample.Conserved = true
		w.sample.packed()
		return w.sample, nil
	}
	if err := s.run(w); err != nil {
		return nil, err
	}
	return w.sample, nil
}

// run simulates a world to the end of its window, and then until the window's requests have ended.
// In that time new requests keep arriving, because they delay the window's requests: they share
// cores, fill batches and wait in the same queues.
func (s *Spec) run(w *world) error {
	w.schedule()
	w.beginArrivals(w.base)
	for _, end := range []int64{w.end, w.last} {
		limits := vtime.Limits{Until: time.Duration(end)}
		if end > w.end {
			limits.Done = func() bool { return w.counted == 0 }
		}
		if err := w.play(limits); err != nil {
			return err
		}
		w.now = int64(w.clock.Now())
		if end == w.end {
			w.recordLittle()
		}
	}
	w.close()
	return nil
}

// play runs the clock up to a limit. If there is a halt function, play stops every tenth of a
// second of virtual time to call it.
func (w *world) play(limits vtime.Limits) error {
	const part = 100 * time.Millisecond
	end := limits.Until
	for at := w.clock.Now(); ; {
		limits.Until = time.Duration(w.nextLook(int64(end)))
		if w.halt != nil {
			if w.halt() {
				return ErrHalted
			}
			if err := w.grown(); err != nil {
				return err
			}
			limits.Until = min(limits.Until, at+part)
		}
		at = limits.Until
		reason, err := w.clock.Run(limits)
		w.look(int64(at))
		if err != nil || limits.Until == end || reason == vtime.Satisfied {
			return err
		}
	}
}

// world creates the world in which a window of a replication is simulated, in its state before the
// first event.
func (s *Spec) world(window, replication int) *world {
	win := s.Windows[window]
	w := newWorld(s, tasks.Mix(tasks.Mix(s.Seed, uint64(replication)+1), uint64(win.Start)), int64(win.Start), 0, int64(win.End-win.Start))
	w.sample.Window, w.sample.Replication = window, replication
	w.control(replication)
	w.begins(win)
	event := int64(-1) // none
	if p := s.Control.Plan; win.Incident > 0 {
		event = int64(p.Events[win.Incident-1].At) - int64(win.Start)
	}
	w.sample.beginSeries(win.Step, event, len(s.Limits))
	return w
}

// shift makes the simulation begin before nanoseconds earlier than the window. start is the instant
// of the horizon at which the window begins.
func (w *world) shift(start, before int64) {
	length := w.end - w.begin
	w.base, w.begin, w.end = start-before, before, before+length
	w.last, w.starts = w.end+int64(Drain), startsOf(w.begin, w.end)
	w.sample.begin, w.sample.end, w.sample.starts, w.sample.Before = w.begin, w.end, w.starts, before
	for _, t := range []*tally{&w.system, &w.stages[Entry], &w.stages[PS], &w.stages[Dense]} {
		t.begin, t.end = w.begin, w.end
	}
}

func newWorld(s *Spec, key uint64, base, begin, end int64) *world {
	w := &world{spec: s, key: key, begin: begin, end: end, starts: startsOf(begin, end), freeReq: none, freeCall: none, freeB: none, served: s.Served(), stride: 1}
	for k := range w.served {
		w.stride = max(w.stride, len(w.served[k].Calls))
	}
	w.clock = vtime.New(vtime.Config{Seed: s.Seed})
	w.node = w.clock.Node("fleet")
	w.rand = rand.New(&w.pcg)
	for h, do := range map[*handler]func(*world, uint64){ //lint:order each is set alone
		&w.onArrival: (*world).arrival, &w.onEntry: (*world).entryDone, &w.onArrive: (*world).deliver, &w.onComplete: (*world).completed,
		&w.onJoin: (*world).joined, &w.onReply: (*world).reply, &w.onFan: (*world).fanNow, &w.onShared: (*world).shared,
		&w.onBatchTimer: (*world).batchDue, &w.onBatch: (*world).batchDone, &w.onPiece: (*world).pieceDone, &w.onChange: (*world).changed,
		&w.onTimeout: func(w *world, _ uint64) { w.timeouts.fired(w, w.expired) },
		&w.onHedge:   func(w *world, _ uint64) { w.hedgings.fired(w, w.hedge) },
		&w.onHedgeOf: func(w *world, arg uint64) { w.hedge(arg, false) },
		&w.onBackoff: (*world).backedOff, &w.onAgenda: func(w *world, _ uint64) { w.history.due(w.base + w.now) },
		&w.onLook: (*world).decide, &w.onScrape: (*world).scrape,
		&w.onThink: func(w *world, n uint64) { w.arrive(n, w.now) },
	} {
		h.w, h.do = w, do
	}
	w.timeouts.fire, w.hedgings.fire = &w.onTimeout, &w.onHedge
	w.sample = newSample(s, w)
	w.shift(base+begin, begin)
	w.build()
	return w
}

// build creates the containers. All of them run, and callers see them.
func (w *world) build() {
	s := w.spec
	for tier := range s.Tiers {
		t := &s.Tiers[tier]
		w.first[tier] = len(w.servers)
		for shard, n := range t.Replicas {
			for k := range max(n, t.Most) {
				loc := Location{}
				if len(t.Placement) > 0 {
					loc = t.Placement[k%len(t.Placement)]
				}
				one := server{tier: uint8(tier), shard: int16(shard), loc: loc, head: none, tail: none, slow: 1, tokens: s.Budget.Burst, up: k < n, visible: k < n}
				if t.ByPriority {
					one.tails = noTails()
				}
				if t.Shared {
					one.share = &sharing{cores: t.Cores, overhead: t.Overhead, device: t.Device != nil}
				}
				if t.Device != nil {
					one.device = &device{}
				}
				if t.Batch != nil {
					one.feeds = make([]feeder, t.Batch.Processes)
					one.batch = make([]batcher, t.Batch.Processes*len(w.served))
					for p := range one.batch {
						one.batch[p] = batcher{head: none, tail: none}
					}
				}
				w.servers = append(w.servers, one)
			}
		}
		w.shards = max(w.shards, len(t.Replicas))
	}
	for i := range w.servers {
		w.servers[i].host = int32(i)
		if s.Mixed && w.servers[i].tier != PS {
			w.joins(&w.servers[i], i-w.first[w.servers[i].tier])
		}
		if w.servers[i].up {
			w.servers[w.servers[i].host].living++
		}
	}
	w.places, w.clusters = s.places()
	w.turn = make([]uint32, len(w.servers)*tiers*max(w.shards, 1))
	for class := range w.constant {
		l := s.Latency[class]
		w.varies[class] = !l.IsConstant()
		w.constant[class] = int64(l.Mean) + s.PerRPC/2
	}
	for k := range w.served {
		calls := map[int]int{}
		for _, c := range w.served[k].Calls {
			calls[c.Shard]++
			w.perPair = max(w.perPair, calls[c.Shard])
		}
	}
	if s.Balance == "least_loaded" || s.Balance == "p2c" || s.Breaker.Failures > 0 {
		w.beginPairs()
	}
	w.beginTrackers()
	w.refreshViews()
}

// places returns how many locations (clusters of idcs) callers are distinguished by, and how many
// of them each idc has. Both are 1 if all callers see the same replicas.
func (s *Spec) places() (number, clusters int) {
	if s.Reach == places.Anywhere {
		return 1, 1
	}
	return s.layout()
}

func (w *world) place(l Location) int { return l.IDC*w.clusters + l.Cluster }

// refreshViews computes anew which replicas callers see.
func (w *world) refreshViews() {
	w.live = w.live[:0]
	for tier := range w.spec.Tiers {
		shards := len(w.spec.Tiers[tier].Replicas)
		w.views[tier] = make([][]int32, w.places*shards)
		for place := range w.places {
			for shard := range shards {
				w.views[tier][place*shards+shard] = w.seen(tier, shard, place)
			}
		}
	}
	for i := range w.servers {
		if s := &w.servers[i]; s.tier == Entry && s.up && !s.drained {
			w.live = append(w.live, int32(i))
		}
	}
	w.clients.refresh(w)
}

// refreshViewsOf computes anew the lists of replicas that may contain one container.
func (w *world) refreshViewsOf(s *server) {
	tier, shard := int(s.tier), int(s.shard)
	shards := len(w.spec.Tiers[tier].Replicas)
	for place := range w.places {
		w.views[tier][place*shards+shard] = w.seen(tier, shard, place)
	}
}

// seen returns the replicas of a shard that callers in a location see. If the plan is idc_aware,
// they see those in their own cluster. If there is none, they see those in their idc, and if there
// is none there, all. If the plan is dc_aware, agents report only those in the caller's cluster
// (replica_manager.py:283).
func (w *world) seen(tier, shard, place int) []int32 {
	var near [3][]int32
	for i := w.first[tier]; i < len(w.servers) && int(w.servers[i].tier) == tier; i++ {
		s := &w.servers[i]
		if int(s.shard) != shard || !s.visible {
			continue
		}
		near[2] = append(near[2], int32(i))
		if s.loc.IDC == place/w.clusters {
			near[1] = append(near[1], int32(i))
			if s.loc.Cluster == place%w.clusters {
				near[0] = append(near[0], int32(i))
			}
		}
	}
	switch {
	case w.spec.Reach == places.Own:
		return near[0]
	case w.spec.Reach == places.Anywhere:
		return near[2]
	}
	for _, list := range near {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// recordLittle records by how much the counts differ from Little's law at most, at the end of the
// window.
func (w *world) recordLittle() {
	worst := w.system.residual(w.now)
	for t := range w.stages {
		worst = math.Max(worst, w.stages[t].residual(w.now))
	}
	w.sample.Little = int64(worst * 1e12)
}

// close completes the sample, and checks that every request and call is accounted for.
func (w *world) close() {
	s := w.sample
	for i := range w.requests {
		if r := &w.requests[i]; r.stage != stageFree {
			s.open(w, r)
		}
	}
	for i := range w.calls {
		if c := &w.calls[i]; c.flags&clientDone == 0 {
			s.Calls.Open++
		}
	}
	if w.scalers != nil {
		w.history.played()
	}
	w.work()
	s.packed()
	failed := int64(0)
	for _, n := range s.Failed {
		failed += n
	}
	c := s.Calls
	s.Conserved = s.Arrived == s.Completed+failed+s.Open && c.Sent == c.Answered+c.TimedOut+c.Refused+c.Abandoned+c.Open
	s.Events, s.Hash = w.clock.Events(), w.clock.Hash()
}

// shortLife keeps a container that lived only for an instant from being reported as the busiest. A
// container counts as if it had lived for at least one shortLife-th of the window.
const shortLife = 10

// work adds up for how long containers worked, and for how long they lived, in each segment of the
// window.
func (w *world) work() {
	for i := range w.servers {
		if s := &w.servers[i]; s.living > 0 {
			w.spread(&s.upNs, s.since, w.end, 1)
			s.living = 0
		}
	}
	for i := range w.servers {
		one, host := &w.servers[i], &w.servers[w.servers[i].host]
		if host.upNs == [Segments]int64{} && host.busyNs == [Segments]int64{} {
			continue
		}
		t := &w.spec.Tiers[one.tier]
		cores := t.Cores
		if n := float64(w.working(t)); !t.Shared && n > cores {
			cores = n
		}
		busy, could, all := int64(0), int64(0), int64(0) // sums over segment k and all later ones
		for k := Segments - 1; k >= 0; k-- {
			segment := &w.sample.Segments[k]
			lived := int64(cores * float64(host.upNs[k]))
			if host.left {
				lived = max(lived, host.busyNs[k])
			}
			busy, could, all = busy+host.busyNs[k], could+lived, all+int64(cores*float64(segment.Seconds))
			of := &segment.Tiers[one.tier]
			of.BusyNs += host.busyNs[k]
			of.CoreNs += lived
			of.MaxParts = max(of.MaxParts, int64(float64(busy)/float64(max(could, all/shortLife, 1))*1e6))
		}
	}
}
