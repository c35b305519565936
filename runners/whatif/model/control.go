package model

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Control describes what happens to containers: events, failures and scaling. It depends on the
// plan, the seed, the replication and the request rate, but not on single requests. So the
// simulation of requests starts after everything in it has been computed, except for autoscalers
// that measure.
type Control struct {
	ColdStart bool
	// Remove lists the containers that the spec's condition removes.
	Remove []Which
	// Dead lists containers that are down although callers still see them.
	Dead []Which
	Plan *plan.Plan
	Thin int
}

// Which identifies a container by its tier, shard and number.
type Which struct{ Tier, Shard, Number int }

// change is a change in the state of a container or of the link between two idcs.
type change struct {
	at     int64   // nanoseconds from the start of the horizon
	what   uint8   // kind of change, see below
	server int32   // index of the container
	value  float64 // argument of the kind, such as a factor or a loss rate
	a, b   int     // idcs of the link; for the kind happens, a is the index of the event in the plan
	// boot is the value of [pod].boot when the change was scheduled. The change has no effect if
	// the container was started or ended since. It is 0 if no autoscaler measures.
	boot uint32
	// begun says when the decision was taken that this change carries out: to start the container,
	// or to publish the version that it loads. If the container ends after begun, the change has no
	// effect, unless it belongs to a load that was already running.
	begun int64
	void  bool // whether the change had no effect, because the container had ended before
}

// Kinds of changes. Unless a comment says otherwise, each is about the container named by server.
const (
	goesDown = iota
	comesUp
	isSeen
	isUnseen
	slows
	loads
	loaded
	cuts  // the link lets nothing pass; with value 0, it lets all pass again
	loses // the link loses packets at the rate value
	retires
	isLost // its ZooKeeper session has expired although the container is alive
	isBack // it has registered again in ZooKeeper; with value 1, it vanishes and comes back from then on (flaps)
	hides  // callers no longer see the flapping container
	shows
	blinds // its agent loses ZooKeeper, and keeps the list of replicas that it saw last
	sights
	happens // an event of the plan takes place; only if an autoscaler measures
	begins  // its process starts, before it loads a model
	fails   // it fails at random
	drains  // it gets no new requests, and finishes those that it has
	copies  // it copies weights to its device for value nanoseconds
	moves   // the clients of idc a use other idcs from now on; with value 0, they come back
)

func controlOf(p *plan.Plan, c Condition, thin int) Control {
	return Control{ColdStart: p.Workload.ColdStart, Remove: c.Remove, Plan: p, Thin: thin}
}

// history computes what happens to the containers over the horizon, as a list of changes. Its times
// are nanoseconds from the start of the horizon.
type history struct {
	w     *world
	begun []bool // whether each server is up at the start of the horizon
	moved []bool // whether the clients of each idc use other idcs at the start of the horizon
	p     *plan.Plan
	rng   *rand.Rand
	list  []change // what happens; sorted by time once it is complete
	life  *Life
	fate  *Fate   // what the event that is being computed has done so far
	quiet []pause // periods in which ZooKeeper performs no writes
	// pauses maps the index of an event to the period in which ZooKeeper performs no writes because
	// of it.
	pauses map[int]pause
	// held counts, for each container, the publishes that it has loaded since its start. For a mixed
	// container it has the number of the first of these publishes instead.
	held map[int32]int
	// unlisted holds when a container with an agent of version 3 lost its ZooKeeper session, if the
	// container is still alive.
	unlisted map[int32]int64
	// loading says, for each server, until when its only thread for loading models is taken.
	// waiting holds the loads that wait for this thread because the end of the load before them is
	// not known yet.
	loading map[int32]int64
	waiting map[int32][]func()
	inTime  bool    // whether actions wait in the agenda, so that they are computed in order of time
	agenda  []entry // actions that are not computed yet, in order of time
	clock   int64   // time up to which the agenda has been computed
	store   *store  // nil if the plan's model store has enough bandwidth for everyone
	// turns holds, for each container, the changes in list by which it ends or comes up.
	turns map[int32][]change
	// process says when the current process of a container started. Containers that have run since
	// the start of the horizon have no entry.
	process map[int32]int64
	// With a model store, starting says when each start in progress was decided, and ended says
	// when each container last ended.
	starting map[int32]int64
	ended    map[int32]int64
	// overlaid holds the times in which events put a container, a link or clients into a state. The
	// key is a change without its time and value.
	overlaid map[change][]overlay
	flapping []flapping
}

type pause struct{ from, to int64 }

// control computes what happens to the containers in a replication, before any request is
// simulated.
func (w *world) control(replication int) {
	w.remove()
	w.beginClients()
	w.beginScalers()
	c := w.spec.Control
	if c.Plan != nil && (len(c.Plan.Events) > 0 || w.spec.Loss > 0 || c.Plan.Random.Any() || c.Plan.Autoscale.Any() || c.ColdStart) {
		h := &history{w: w, p: c.Plan, life: &w.sample.Life, pauses: map[int]pause{}, held: map[int32]int{}, unlisted: map[int32]int64{}, loading: map[int32]int64{}, waiting: map[int32][]func(){}, starting: map[int32]int64{}, turns: map[int32][]change{}, process: map[int32]int64{}, ended: map[int32]int64{}, overlaid: map[change][]overlay{}, store: storeOf(c.Plan, c.Thin),
			fate: &Fate{}, rng: rand.New(rand.NewPCG(tasks.Mix(w.spec.Seed, streamControl), uint64(replication)))}
		w.history = h
		restarts := slices.ContainsFunc(h.p.Events, func(e plan.Event) bool { return e.Restart != nil })
		h.inTime = h.store != nil || h.p.Random.Any() && len(h.p.Events) > 0 || restarts && len(h.p.Events) > 1
		if h.store != nil {
			h.store.h = h
		}
		h.play()
		w.tape = h.list
	}
	if c.Plan != nil {
		for t, name := range plan.TierNames {
			if w.spec.Has(t) {
				w.sample.Life.MemPeak[t] = max(w.sample.Life.MemPeak[t], int64(c.Plan.Memory(name, 1)))
			}
		}
	}
}

// schedule applies the changes that are due before the simulation begins, and schedules the later
// ones.
func (w *world) schedule() {
	if h := w.history; h != nil && len(h.flapping) > 0 {
		for _, f := range h.flapping {
			h.flap(f)
		}
		slices.SortStableFunc(h.list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
		w.tape = h.list
	}
	for k, one := range w.tape {
		if one.at <= w.base {
			w.apply(one)
			continue
		}
		if one.at-w.base <= w.last {
			w.at(one.at-w.base, &w.onChange, uint64(k))
		}
	}
	w.running = true
	if h := w.history; h != nil {
		for _, e := range h.agenda { // entries are left in the agenda only if an autoscaler measures
			w.at(max(0, e.at-w.base), &w.onAgenda, 0)
		}
	}
	w.startLooking()
	w.refreshViews()
}

// remove takes away the containers that the spec's condition names. Control.Dead names containers
// that callers continue to see.
func (w *world) remove() {
	for k, which := range slices.Concat(w.spec.Control.Remove, w.spec.Control.Dead) {
		at := w.find(which)
		if at == none {
			continue
		}
		for _, one := range w.processes(at) {
			s := &w.servers[one]
			w.turns(s, false)
			s.removed = true
			s.visible = s.visible && k >= len(w.spec.Control.Remove)
		}
	}
}

// find returns the index of a container, or none.
func (w *world) find(which Which) int32 {
	n := -1
	for i := w.first[which.Tier]; i < len(w.servers) && int(w.servers[i].tier) == which.Tier; i++ {
		s := &w.servers[i]
		if int(s.shard) != which.Shard {
			continue
		}
		if n++; n == which.Number {
			return int32(i)
		}
	}
	return none
}

// changed applies the change with index arg in the tape, which is due now.
func (w *world) changed(arg uint64) {
	c := w.tape[arg]
	s := &w.servers[c.server]
	if c.ofContainer() && s.pod != nil && c.boot != s.pod.boot || c.overtaken(s.gone) {
		w.tape[arg].void = true
		return
	}
	w.apply(c)
	w.turned(&c)
	switch c.what {
	case hides, shows:
		w.refreshViewsOf(s)
	case blinds, sights, happens, begins:
	default:
		w.refreshViews()
	}
}

func (w *world) apply(c change) {
	switch c.what {
	case cuts, loses:
		w.link(c)
		return
	case moves:
		w.clients.move(c.a, c.value == 1)
		return
	case happens:
		w.history.happen(c.a)
		return
	}
	s := &w.servers[c.server]
	if s.removed {
		return
	}
	w.lives(s, &c)
	switch c.what {
	case goesDown:
		s.gone = c.at
		if s.up {
			s.refuse, s.oom, s.flaps = c.value == 1, c.value == 2, false
			w.sight(s)
			w.die(c.server)
		}
	case comesUp:
		w.turns(s, true)
		w.knowsNothing(c.server)
		s.drained, s.cold = false, w.spec.Tiers[s.tier].Cold
		if s.host == c.server {
			s.loading = 0
		}
		s.device.up(&w.spec.Tiers[s.tier])
	case drains:
		s.drained, s.visible = s.tier == Entry, s.visible && s.tier == Entry
	case isSeen:
		s.visible = true
	case isUnseen:
		s.visible = false
	case isLost, isBack, hides, shows, blinds, sights:
		w.session(s, c)
	case slows:
		s.slow = c.value
	case loads:
		w.reload(c.server, 1)
	case loaded:
		if w.servers[s.host].loading > 0 {
			w.reload(c.server, -1)
			s.cold = w.spec.Tiers[s.tier].Cold
			s.device.anew(&w.spec.Tiers[s.tier])
		}
	case copies:
		s.device.from, s.device.until = c.at-w.base, c.at-w.base+int64(c.value)
	case retires:
		w.turns(s, false)
		s.visible, s.gone, w.servers[s.host].left = false, c.at, true
	case fails:
		w.history.fate = &Fate{}
		w.history.kill(c.server, c.at, c.at+int64(w.history.rng.ExpFloat64()*float64(w.history.p.Random.Of(plan.TierNames[s.tier]).MTTR)), 0)
	}
}

func (w *world) link(c change) {
	if w.cut == nil {
		n := w.spec.IDCs
		for range n {
			w.cut = append(w.cut, make([]bool, n))
			row := make([]float64, n)
			for k := range row {
				row[k] = w.spec.Loss
			}
			w.losses = append(w.losses, row)
		}
	}
	for _, ends := range [][2]int{{c.a, c.b}, {c.b, c.a}} {
		if c.what == loses {
			w.losses[ends[0]][ends[1]] = c.value
		} else {
			w.cut[ends[0]][ends[1]] = c.value == 1
		}
	}
}

// ofContainer reports whether a change is about a container, rather than about a link, clients or
// the whole fleet.
func (c *change) ofContainer() bool {
	switch c.what {
	case cuts, loses, moves, happens:
		return false
	}
	return true
}

// overtaken reports whether a change belongs to a start that never finished, or begins a load, of a
// container that ended before, at the given instant.
func (c *change) overtaken(ended int64) bool {
	return (c.what == begins || c.what == comesUp || c.what == isSeen || c.what == loads) && c.begun < ended && ended <= c.at
}

// valid drops the changes of the starts that never finished, and of the loads that never began,
// because the container ended.
func (h *history) valid() {
	type load struct {
		server int32
		begun  int64
	}
	ended, dropped := map[int32]int64{}, map[load]bool{}
	h.list = slices.DeleteFunc(h.list, func(c change) bool {
		if c.what == goesDown || c.what == retires {
			ended[c.server] = c.at
		}
		at, has := ended[c.server]
		if has && c.what == loads && c.overtaken(at) {
			dropped[load{c.server, c.begun}] = true
		}
		return has && c.overtaken(at) || (c.what == loaded || c.what == copies) && dropped[load{c.server, c.begun}]
	})
}

func (h *history) add(at int64, what uint8, server int32, value float64) {
	if togetherWith(what) {
		for _, other := range h.w.processes(server)[1:] {
			h.put(change{at: at, what: what, server: other, value: value})
		}
	}
	if what == goesDown || what == retires {
		h.quits(at, server)
	}
	h.put(change{at: at, what: what, server: server, value: value, boot: h.boots(server)})
}

// boots returns the value that a container's new changes have to carry as change.boot.
func (h *history) boots(server int32) uint32 {
	if p := h.w.servers[server].pod; p != nil {
		return p.boot
	}
	return 0
}

// put adds changes to the list. If the simulation of requests is already running, it also schedules
// them.
func (h *history) put(changes ...change) {
	h.list = append(h.list, changes...)
	for _, c := range changes {
		if h.inTime && (c.what == goesDown || c.what == retires || c.what == comesUp) {
			h.turns[c.server] = append(h.turns[c.server], c)
		}
	}
	if !h.w.running {
		return
	}
	h.w.tape = h.list
	for i, c := range changes {
		if at := c.at - h.w.base; at <= h.w.last {
			h.w.at(max(at, h.w.now), &h.w.onChange, uint64(len(h.list)-len(changes)+i))
		}
	}
}

// play computes the effects of the plan's events, in order, and then those of random failures and
// of the autoscalers that know the offered load.
func (h *history) play() {
	for i := range h.w.servers {
		h.begun = append(h.begun, h.w.servers[i].up)
	}
	h.moved = slices.Clone(h.w.clients.moved)
	if h.w.spec.Loss > 0 {
		for a := range h.w.spec.IDCs {
			for b := range a + 1 {
				h.put(change{at: 0, what: loses, value: h.w.spec.Loss, a: a, b: b})
			}
		}
	}
	if h.w.spec.Control.ColdStart {
		h.coldStart()
	}
	for i, e := range h.p.Events {
		z := e.ZooKeeper
		switch {
		case e.LoseIDC != "" && e.LoseIDC == h.p.ZooKeeper.IDC: // ZooKeeper's servers run in this idc (CAP-12.12)
			h.pauses[i] = pause{int64(e.At), until(h.p, e)}
		case z != nil && z.LeaderLoss:
			h.pauses[i] = pause{int64(e.At), int64(e.At) + int64(h.p.ZooKeeper.Election.Sample(h.rng, 0))}
		case z != nil && !z.ExpireAll:
			h.pauses[i] = pause{int64(e.At), until(h.p, e)}
		default:
			continue
		}
		h.quiet = append(h.quiet, h.pauses[i])
	}
	h.life.Fates = make([]Fate, len(h.p.Events))
	slices.SortStableFunc(h.quiet, func(a, b pause) int { return cmp.Compare(a.from, b.from) })
	for _, i := range h.inOrder() {
		if h.w.scalers != nil { // an event hits the containers that exist when it takes place
			h.put(change{at: int64(h.p.Events[i].At), what: happens, a: i})
		} else {
			h.on(int64(h.p.Events[i].At), func() { h.happen(i) })
		}
	}
	h.random()
	h.autoscale()
	if h.w.scalers == nil {
		h.finish()
	}
	slices.SortStableFunc(h.list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	if h.w.scalers == nil {
		h.valid()
		h.life.Until = int64(h.p.Workload.Horizon)
		h.sum()
	}
}

// happen computes the effects of event number i of the plan.
func (h *history) happen(i int) {
	h.fate = &h.life.Fates[i]
	h.event(i)
	if q, ok := h.pauses[i]; ok {
		h.disconnect(q, h.p.Events[i].LoseIDC != "", func(*server) bool { return true })
	}
	if f := h.fate; f.Lost > 0 && f.LastNs > 0 {
		f.Losing, f.LastNs = 1, f.LastNs-int64(h.p.Events[i].At)
		f.BackNs = f.LastNs
	}
	h.fate = &Fate{}
}

// played computes the results for the report after a simulation with autoscalers that measure.
// Until then, the changes are not complete.
func (h *history) played() {
	h.life.Until = h.w.base + h.w.end
	h.list = slices.DeleteFunc(h.list, func(c change) bool { return c.void || c.at > h.life.Until })
	slices.SortStableFunc(h.list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	h.sum()
}

func (h *history) event(i int) {
	e := &h.p.Events[i]
	at := int64(e.At)
	switch {
	case e.Kill != nil:
		refuse := 0.0
		if e.Kill.Refuse {
			refuse = 1
		}
		for _, s := range h.pick(at, e.Kill.Tier, e.Kill.Count, e.Kill.Pick) {
			h.kill(s, at, at+int64(e.RestartAfter), refuse)
		}
	case e.Restart != nil:
		h.restart(at, e)
	case e.Evacuate != nil:
		idc := h.p.Fleet.IDCIndex(e.Evacuate.IDC)
		h.lasts(change{at: at + int64(e.Evacuate.After), what: moves, a: idc, value: 1}, until(h.p, *e), 0)
	case e.LoseIDC != "", e.LoseCluster != "":
		h.lose(at, until(h.p, *e), func(l Location) bool { return h.takes(e, l) })
	case e.Slow != nil:
		for _, s := range h.pick(at, e.Slow.Tier, e.Slow.Count, e.Slow.Pick) {
			h.lasts(change{at: at, what: slows, server: s, value: float64(e.Slow.Factor)}, until(h.p, *e), 1)
		}
	case e.Partition != nil:
		h.partition(at, until(h.p, *e), e.Partition.Between)
	case e.Loss != nil:
		h.loss(at, until(h.p, *e), e.Loss)
	case e.Publish != nil:
		h.publish(at, i, e.Publish)
	case e.ZooKeeper != nil && e.ZooKeeper.ExpireAll:
		h.storm(at)
	case e.Scale != nil:
		for t, n := range []int{e.Scale.Entry, e.Scale.PS, e.Scale.Dense} {
			if n > 0 && !h.w.rescale(t, n) {
				h.scale(t, n/h.w.spec.Control.Thin, at, nil)
			}
		}
	}
}

func (h *history) cluster(text string) Location {
	for i, idc := range h.p.Fleet.IDCs {
		for k, c := range idc.Clusters {
			if idc.Name+":"+c == text {
				return Location{IDC: i, Cluster: k}
			}
		}
	}
	return Location{IDC: -1, Cluster: -1}
}

// pick chooses up to count containers of a tier that run at an instant. The argument how says which: those of the
// shard with the most work (same_shard_worst), those of the first idc (same_idc), or neighbours in
// the order of numbers (same_rack).
func (h *history) pick(at int64, tier string, count int, how string) []int32 {
	t := slices.Index(plan.TierNames, tier)
	var all []int32
	up := h.upAt(at)
	for i := h.w.first[t]; i < len(h.w.servers) && int(h.w.servers[i].tier) == t; i++ {
		s := &h.w.servers[i]
		if !up[i] || how == "same_shard_worst" && s.shard != 0 || how == "same_idc" && s.loc.IDC != 0 {
			continue
		}
		all = append(all, int32(i))
	}
	if how == "random" || how == "same_shard_worst" {
		h.rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	}
	return all[:min(count, len(all))]
}

// kill ends a container at the instant at. The container starts again at the instant back,
// or never if back is negative.
func (h *history) kill(s int32, at, back int64, how float64) {
	h.add(at, goesDown, s, how)
	unseen := h.expiry(at)
	h.life.Detected = append(h.life.Detected, unseen-at)
	h.fate.Killed++
	h.fate.UnseenNs += unseen - at
	h.add(unseen, isUnseen, s, 0)
	if back >= 0 {
		h.boot(s, at, max(back, at), unseen, nil)
	}
}

// restart restarts all running containers of a tier, a few of each shard at a time. Each container
// drains, ends and starts again. From the start of the drain, an entry container gets no requests;
// any other container gets none once ZooKeeper no longer lists it.
func (h *history) restart(at int64, e *plan.Event) {
	r := e.Restart
	t := slices.Index(plan.TierNames, r.Tier)
	shards := make([][]int32, len(h.w.spec.Tiers[t].Replicas))
	for _, s := range h.pick(at, r.Tier, len(h.w.servers), "same_rack") {
		shards[h.w.servers[s].shard] = append(shards[h.w.servers[s].shard], s)
	}
	for _, list := range shards {
		h.roll(slices.Collect(slices.Chunk(list, r.AtOnce)), at, int64(r.Drain))
	}
}

// roll restarts groups of containers (chunks), beginning with the first at an instant. Each further
// chunk begins when all containers of the chunk before it are listed in ZooKeeper again.
func (h *history) roll(chunks [][]int32, at, drain int64) {
	if len(chunks) == 0 {
		return
	}
	h.on(at, func() {
		up := chunks[0]
		if h.inTime { // what has ended meanwhile, or is no longer wanted, is left as it is
			up = slices.DeleteFunc(slices.Clone(up), func(s int32) bool { return !h.isUp(s, at) })
		}
		if len(up) == 0 {
			h.roll(chunks[1:], at, drain)
			return
		}
		next, left := at, len(up)
		for _, s := range up {
			unlisted := at
			if h.w.servers[s].tier != Entry {
				unlisted = h.written(at)
			}
			h.add(unlisted, drains, s, 0)
			down := at + drain
			h.add(down, goesDown, s, 1)
			h.boot(s, down, down, max(down, unlisted), func(seen int64) {
				next = max(next, seen)
				if left--; left == 0 {
					h.roll(chunks[1:], next, drain)
				}
			})
		}
	})
}

// boot adds the changes by which container s starts at the instant at: it is scheduled, loads its
// model, and serves. If its idc or cluster is lost, it starts once that is back. Callers see the
// container once its agent has polled the status and has written it to ZooKeeper, but not before
// gone, the instant at which the session of the container's predecessor expires. boot calls the
// function then for each process, with the instant from which callers see that process. begun is
// when the start was decided: if the container ends after that, the rest of the start has no effect.
func (h *history) boot(s int32, begun, at, gone int64, then func(seen int64)) {
	at = h.backAt(s, at)
	if h.w.servers[s].pod != nil {
		h.put(change{at: at, what: begins, server: s, boot: h.boots(s), begun: begun})
	}
	loads := at + int64(h.p.Fleet.Boot.Schedule.Sample(h.rng, 0))
	for _, one := range h.w.processes(s) {
		server := &h.w.servers[one]
		boot := h.boots(one)
		h.starting[one], h.process[one], h.loading[one] = begun, loads, busy
		delete(h.held, one)
		h.load(one, h.p.Boots(plan.TierNames[server.tier], int(server.shard)), begun, loads, func(up int64) {
			defer h.hasLoaded(one, up)
			if h.starting[one] == begun {
				delete(h.starting, one)
			}
			seen := max(h.written(up+h.poll()), gone)
			if !h.store.broken() {
				h.put(change{at: up, what: comesUp, server: one, boot: boot, begun: begun}, change{at: seen, what: isSeen, server: one, boot: boot, begun: begun})
			}
			if then != nil {
				then(seen)
			}
		})
	}
}

// poll draws the time until the agent next polls its model server's status.
func (h *history) poll() int64 {
	if h.p.Model.AgentVersion == 3 {
		return int64(h.rng.Float64() * 30e9)
	}
	return int64(h.rng.Float64() * float64(plan.StatusPoll))
}

// lose kills all containers at the locations for which the function in returns true, also those that
// start. They start again at the instant back.
func (h *history) lose(at, back int64, in func(Location) bool) {
	wanted := h.wantedAt(at)
	for i := range h.w.servers {
		if s := &h.w.servers[i]; wanted[i] && in(s.loc) && !h.w.isProcess(i) {
			h.kill(int32(i), at, back, 0)
		}
	}
}

// partition cuts the link between two idcs. Containers that are separated from ZooKeeper
// lose their sessions.
func (h *history) partition(at, back int64, between []string) {
	a, b := h.p.Fleet.IDCIndex(between[0]), h.p.Fleet.IDCIndex(between[1])
	h.lasts(change{at: at, what: cuts, a: min(a, b), b: max(a, b), value: 1}, back, 0)
	zk := h.p.Fleet.IDCIndex(h.p.ZooKeeper.IDC)
	if zk != a && zk != b {
		return
	}
	far := a + b - zk
	h.disconnect(pause{at, back}, true, func(s *server) bool { return s.loc.IDC == far })
}

func (h *history) loss(at, back int64, l *plan.Loss) {
	for a := range h.p.Fleet.IDCs {
		for b := range a + 1 {
			if l.Link != nil {
				x, y := h.p.Fleet.IDCIndex(l.Link[0]), h.p.Fleet.IDCIndex(l.Link[1])
				if !(a == x && b == y || a == y && b == x) {
					continue
				}
			}
			h.lasts(change{at: at, what: loses, value: float64(l.Rate), a: a, b: b}, back, h.w.spec.Loss)
		}
	}
}
