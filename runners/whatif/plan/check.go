package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// finish fills in values that follow from other fields, and checks rules that concern several
// fields. set lists the values that a search has replaced in the file.
func (d *decoder) finish(p *Plan, set []Value) {
	conf := d.readConf(p)
	d.mixedFleet(p)
	d.useConf(p, conf)
	d.sizes(p)
	d.deviceProfile(p)
	d.strict(p)
	d.fleet(p)
	d.useRoughSort(p, conf)
	d.shards(p, conf, set)
	d.profile(p)
	d.service(p)
	d.workload(p)
	d.network(p)
	for i := range p.Events {
		d.event(p, i)
	}
	d.versions(p)
	d.autoscale(p)
	d.failures(p)
	d.mixedNames(p)
	d.objectives(p)
	if set == nil {
		d.leastRegret(p)
	}
	if len(d.problems) > 0 && slices.ContainsFunc(d.problems, func(one Problem) bool { return !isWarning(one) }) {
		return // the checks below would fail on invalid fields
	}
	d.checkMemory(p)
	d.checkPlaces(p)
	d.checkClients(p)
	d.checkWatches(p)
	d.checkLoad(p)
}

// mostWeight limits the weight of an idc, because the list of locations that replicas take in turn
// grows with the sum of the weights.
const mostWeight = 1000

// fleet checks idcs, clusters and their weights. A plan without idcs gets one named local.
func (d *decoder) fleet(p *Plan) {
	f := &p.Fleet
	if len(f.IDCs) == 0 {
		f.IDCs = []IDC{{Name: "local"}}
	}
	var names []string
	for i := range f.IDCs {
		idc := &f.IDCs[i]
		at := fmt.Sprintf("fleet.idcs.%d", i)
		if slices.Contains(names, idc.Name) {
			d.report(at+".name", conflict, "idc %q is there twice", idc.Name)
		}
		names = append(names, idc.Name)
		if len(idc.Clusters) == 0 {
			idc.Clusters = []string{"a"}
		}
		for j, c := range idc.Clusters {
			if slices.Contains(idc.Clusters[:j], c) {
				d.report(at+".clusters", conflict, "cluster %q is there twice", c)
			}
		}
	}
	sum := 0
	for name, weight := range f.Placement { //lint:order problems are sorted by place
		at := "fleet.placement." + name
		if !slices.Contains(names, name) {
			d.reportKey(at, unknownName, "idc %q is not in fleet.idcs (known: %s)", name, known(names))
		}
		if weight < 0 || weight > mostWeight {
			d.report(at, outOfRange, "%s must be 0..%d, got %d", at, mostWeight, weight)
		}
		sum += weight
	}
	if f.Placement != nil && sum <= 0 {
		d.report("fleet.placement", outOfRange, "fleet.placement needs a weight above 0")
	}
	if p.ZooKeeper.IDC == "" {
		p.ZooKeeper.IDC = names[0]
	}
	d.idc(p, p.ZooKeeper.IDC, "zookeeper.idc")
	if t := f.Dense; t != nil && t.Services == 0 {
		t.Services = p.Override.DenseServiceNum
	}
	if t := f.Dense; t != nil && d.given("fleet.dense.services_per_container") && d.given("override.dense_service_num") && t.Services != p.Override.DenseServiceNum {
		d.reportBoth("fleet.dense.services_per_container", "override.dense_service_num", conflict, "services_per_container %d but override.dense_service_num is %d", t.Services, p.Override.DenseServiceNum)
	}
}

func known(names []string) string {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return strings.Join(sorted, ", ")
}

// idc reports whether the plan has an idc. If it has not, it adds that to the problems.
func (d *decoder) idc(p *Plan, name, path string) bool {
	if p.Fleet.IDCIndex(name) >= 0 {
		return true
	}
	names := lists.MapOrNil(p.Fleet.IDCs, func(i IDC) string { return i.Name })
	d.report(path, unknownName, "idc %q is not in fleet.idcs (known: %s)%s", name, known(names), Nearest(name, names))
	return false
}

// shards determines num_shard, which may be given by fleet.ps or fleet.mixed, by override,
// or by the agent.conf.
func (d *decoder) shards(p *Plan, conf *agentConf, set []Value) {
	path := "fleet.ps.num_shard"
	if p.Fleet.Mixed != nil {
		path = "fleet.mixed.num_shard"
	}
	searched := slices.ContainsFunc(set, func(v Value) bool { return RootPath(v.Path) == path }) || p.searches(path)
	n := &p.Fleet.PS.NumShard
	switch {
	case *n == 0:
		*n = p.Override.NumShard
	case searched || *n == p.Override.NumShard:
	case conf != nil && conf.values["num_shard"] != "":
		d.report(path, conflict, "ps.num_shard %d but %s:%d says num_shard %s; remove it or use override", *n, conf.path, conf.lines["num_shard"], conf.values["num_shard"])
	case d.given("override.num_shard"):
		d.reportBoth(path, "override.num_shard", conflict, "ps.num_shard %d but override.num_shard is %d", *n, p.Override.NumShard)
	}
	p.Override.NumShard = *n
	p.alike()
	if p.Override.NumPS < *n {
		if d.given("override.num_ps") || conf != nil && conf.values["num_ps"] != "" {
			d.reportBoth("override.num_ps", d.shardsAt(), outOfRange, "num_ps must be >= num_shard %d, got %d", *n, p.Override.NumPS)
		}
		p.Override.NumPS = *n
	}
	if s := p.Model.ShardSkew.Shares; s != nil && len(s) != *n {
		d.reportBoth("model.shard_skew.shares", d.shardsAt(), outOfRange, "shard_skew.shares has %d shares, num_shard is %d", len(s), *n)
	}
	if m := p.Client.Partial.MinShards; m > *n {
		d.reportBoth("client.partial", d.shardsAt(), outOfRange, "min_shards must be 1..%d, got %d", *n, m)
	}
	if h := p.Client.Hedge.After.After; h >= p.Override.FetchPSTimeout {
		d.reportBoth("client.hedge.after", "override.fetch_ps_timeout", outOfRange, "hedge.after must be below fetch_ps_timeout %s", p.Override.FetchPSTimeout.text())
	}
	for _, size := range []struct {
		path string
		is   Bytes
		need bool
	}{{"model.size.embeddings", p.Model.Size.Embeddings, !p.sized(func(s ModelSize) Bytes { return s.Embeddings })},
		{"model.size.dense", p.Model.Size.Dense, p.Fleet.Dense != nil && !p.sized(func(s ModelSize) Bytes { return s.Dense })}} {
		if size.is <= 0 && size.need {
			if d.given(size.path) {
				d.report(size.path, outOfRange, "%s must be >0", size.path)
			} else {
				d.reportParent(size.path)
			}
		}
	}
}

// searches reports whether the plan searches or sweeps over the value at a path.
func (p *Plan) searches(path string) bool {
	axes := slices.Clone(p.Solve.Over)
	for _, s := range p.Sweep {
		axes = append(axes, s.Axes...)
	}
	return slices.ContainsFunc(axes, func(a Axis) bool { return RootPath(a.Path) == path })
}

// shardsAt returns the path in the plan at which num_shard is given.
func (d *decoder) shardsAt() string {
	for _, path := range []string{"fleet.ps.num_shard", "fleet.mixed.num_shard"} {
		if d.given(path) {
			return path
		}
	}
	return "override.num_shard"
}

// service fills in thread counts, and checks that every tier has a service time.
func (d *decoder) service(p *Plan) {
	s := &p.Service
	for _, tier := range TierNames {
		t, work := p.Fleet.Tier(tier), s.Of(tier)
		at := "service." + tier
		switch {
		case t == nil && work != nil:
			d.reportKey(at, unknownName, "%s but there is no fleet.%s", at, tier)
			continue
		case t != nil && work == nil:
			d.reportParent(at)
			s.Dense = &TierService{CPU: TimeLaw{law.Constant(0)}, FanOut: "entry", Queue: -1}
			continue
		case t == nil:
			continue
		}
		d.tierService(p, tier, t, work, at)
	}
	if !s.Items.IsZero() && s.Items.Mean <= 0 {
		d.report("service.items", outOfRange, "service.items must have a mean above 0")
	}
	d.uncontended(p)
	if t := p.Fleet.Dense; t != nil && p.Fleet.Mixed == nil && t.Services > 1 && p.SharesZnode() {
		d.reportKey("fleet.dense", conflict, "%sthe %d agents of a dense container register at one znode (Q2), so that callers find one of its processes, and here all of them; want services_per_container: 1, or override.quirks: fixed",
			warned, t.Services)
	}
}

// uncontended warns if service.contention is none, so that each thread has a core of its own,
// although a container has more threads than cores. In a mixed container the threads of all
// processes count.
func (d *decoder) uncontended(p *Plan) {
	for _, tier := range p.Kinds() {
		name := tier
		if p.Fleet.Mixed != nil {
			name = "mixed"
		}
		threads, cores := p.Uncontended(tier), p.Fleet.Tier(tier).CPU-p.Service.AgentCPU
		if cores > 0 && threads > cores {
			d.report("service.contention", conflict, "%sservice.contention is none, so the %.0f threads of %s work like as many cores, and it has %s; processor_sharing is a container's",
				warned, threads, name, quantity.Format(quantity.Number, cores))
		}
	}
}

func (d *decoder) tierService(p *Plan, tier string, t *Tier, s *TierService, at string) {
	if s.Threads == 0 {
		s.Threads = max(1, int(math.Ceil(t.CPU)))
	}
	d.sheds(s, at)
	if tier != "dense" {
		if d.given(at + ".batch") {
			d.reportKey(at+".batch", unknownKey, "unknown key \"batch\": only dense has it")
		}
		d.never(at+".fanout_from", "only dense servers may call the PS in the place of entry")
	}
	if tier == "dense" {
		d.device(p, t, s, at)
	} else if s.Profile != "" || s.Device.given() {
		d.reportKey(at+map[bool]string{true: ".profile", false: ".device"}[s.Profile != ""], unknownKey, "only service.dense has a device, and a profile of one")
	}
	switch {
	case d.given(at+".cpu") && s.CPU.IsZero() || d.given(at+".batch") && s.Batch.IsZero() || s.lacksProfile(): // reported already
	case s.CPU.IsZero() && s.Batch.IsZero():
		d.reportKey(at, requiredKey, "%s.cpu is required", at)
	case !s.CPU.IsZero() && !s.Batch.IsZero():
		d.reportBoth(at+".batch", at+".cpu", conflict, "%s has cpu and batch; give one of them", at)
	case !s.Batch.IsZero() && !s.Batch.OfItems():
		d.report(at+".batch", badLaw, "%s.batch must be affine(base=, per_item=) or points(items=time, ...)", at)
	case d.endsBelow(p, s.Batch, at+".batch"): // reported there
	case !s.CPU.IsZero() && s.CPU.Mean <= 0 && s.CPU.PerItem <= 0:
		d.report(at+".cpu", outOfRange, "%s.cpu must have a mean above 0", at)
	}
	if tier == "dense" && !p.Override.Batching.Enabled && d.given("override.batching.enabled") {
		p.unbatch()
	}
	if tier == "dense" && s.Batch.IsZero() && p.Override.Batching.Enabled {
		d.reportKey(at, requiredKey, "service.dense.batch is required, as agent.conf turns batching on")
	}
	if t.CPU > 0 && t.CPU <= p.Service.AgentCPU { // a cpu of 0 or less was reported before
		d.reportBoth("service.agent_cpu", "fleet."+tier+".cpu", outOfRange, "agent_cpu must be below the cpu %g of %s", t.CPU, tier)
	}
}

// endsBelow reports, at path, a batch law whose line through its last two points falls so steeply
// that a full batch would take no time.
func (d *decoder) endsBelow(p *Plan, batch TimeLaw, path string) bool {
	most := float64(p.Override.Batching.MaxBatchSize)
	if batch.IsZero() || batch.MeanOf(most) > 0 {
		return false
	}
	d.report(path, badLaw, "%s: found points that fall at the end, so that a batch of %g items (max_batch_size) would take no time: give a point there", path, most)
	return true
}

// sheds checks that shed names no priority twice. A second entry would give its calls another queue
// length at which they are rejected.
func (d *decoder) sheds(s *TierService, at string) {
	for i, one := range s.Shed {
		for k, other := range s.Shed[:i] {
			if one.Priority == other.Priority {
				d.reportBoth(fmt.Sprintf("%s.shed.%d.priority", at, i), fmt.Sprintf("%s.shed.%d.priority", at, k), conflict, "shed: priority %d is given twice, want each once", one.Priority)
			}
		}
	}
}

// unbatch removes batching from a plan that turns it off. The law for the time of a batch then
// gives the time of each call, with the call's own items.
func (p *Plan) unbatch() {
	s := p.Service.Dense
	if s.Batch.OfItems() {
		s.CPU, s.Batch = s.Batch, TimeLaw{}
	}
	for i := range p.Workload.Mix {
		if m := p.Workload.Mix[i].Dense; m != nil && m.Batch.OfItems() {
			m.CPU, m.Batch = m.Batch, TimeLaw{}
		}
	}
}

// Of returns the service of a tier, nil for a tier without one.
func (s *Service) Of(tier string) *TierService {
	switch tier {
	case "entry":
		return &s.Entry
	case "ps":
		return &s.PS
	}
	return s.Dense
}

// mostAtOnce limits the mean number of requests that arrive at the same time.
const mostAtOnce = 1e5

func (d *decoder) workload(p *Plan) {
	w := &p.Workload
	w.Rate.repeat(w.Horizon)
	if w.Loop.Closed() {
		// removed, because strict has warned that they have no effect
		w.Arrivals.Process, w.Arrivals.File, w.Arrivals.Batch = "poisson", "", NumberLaw{}
	}
	trace := w.Arrivals.Process == "trace"
	if trace {
		w.Arrivals.Batch = NumberLaw{} // removed, because strict has warned that it has no effect
	}
	if b := w.Arrivals.Batch; !b.IsZero() && (b.Mean < 1 || b.Mean > mostAtOnce) {
		d.report("workload.arrivals.batch", outOfRange, "workload.arrivals.batch must have a mean of 1..%d, got %s", int(mostAtOnce), quantity.Format(quantity.Number, b.Mean))
	}
	if by := Rate(w.Arrivals.RateScale); !trace && by != 1 {
		for i := range w.Rate.Points {
			w.Rate.Points[i].Rate *= by
		}
	}
	switch {
	case w.Loop.Closed() && d.given("workload.rate"):
		d.reportBoth("workload.rate", "workload.loop", conflict, "a closed loop has no rate; remove rate, or loop")
	case !w.Loop.Closed() && !trace && w.Rate.Kind == "" && !d.given("workload.rate"):
		d.reportParent("workload.rate")
	case trace && w.Arrivals.File == "":
		d.reportParent("workload.arrivals.file")
	case trace:
		d.trace(p)
	}
	d.mix(p)
	d.windows(p)
}

// trace reads the arrival times from the plan's trace file.
func (d *decoder) trace(p *Plan) {
	a := &p.Workload.Arrivals
	text, err := d.read(a.File)
	if err != nil {
		d.report("workload.arrivals.file", fileError, "%s", err)
		return
	}
	if a.Times, err = arrivalTimes(text); err != nil {
		d.report("workload.arrivals.file", fileError, "%s:%s", a.File, err)
		return
	}
	span := float64(a.Times[len(a.Times)-1]-a.Times[0]) * float64(a.TimeScale) / 1e9
	p.Workload.Rate = RateLaw{Kind: "trace", Points: []RatePoint{{0, Rate(float64(len(a.Times)-1) / span * float64(a.RateScale))}}}
}

func (d *decoder) network(p *Plan) {
	c := p.Network.CrossIDC
	if c.Jitter > c.Latency {
		d.reportBoth("network.cross_idc.jitter", "network.cross_idc.latency", outOfRange, "jitter must not be above latency")
	}
	z := p.ZooKeeper
	if z.Servers%2 == 0 {
		d.report("zookeeper.servers", outOfRange, "zookeeper.servers must be odd, got %d", z.Servers)
	}
	if z.SessionTimeout < 2*z.Tick || z.SessionTimeout > 20*z.Tick {
		d.reportBoth("zookeeper.session_timeout", "zookeeper.tick", outOfRange, "session_timeout must be between 2 and 20 ticks of %s, got %s",
			z.Tick.text(), z.SessionTimeout.text())
	}
}

func (d *decoder) autoscale(p *Plan) {
	for _, tier := range TierNames {
		a := p.Autoscale.Of(tier)
		if a == nil {
			continue
		}
		at := "autoscale." + tier
		if p.Workload.Loop.Closed() && !a.Measured() {
			d.reportBoth(at, "workload.loop", conflict, "%s with metric offered follows the rate, which a closed loop has not; remove it, or loop", at)
		}
		if p.Fleet.Tier(tier) == nil {
			d.reportKey(at, unknownName, "%s but there is no fleet.%s", at, tier)
			continue
		}
		if n := p.ReplicasOf(tier, 0); n < a.Min || n > a.Max {
			d.reportBoth(at, "fleet."+tier+".replicas", outOfRange, "%s needs min <= replicas <= max, got %d <= %d <= %d", at, a.Min, n, a.Max)
		}
	}
}

func (d *decoder) failures(p *Plan) {
	for _, tier := range TierNames {
		f := p.Random.Of(tier)
		if f == nil {
			continue
		}
		at := "random_failures." + tier
		if p.Fleet.Tier(tier) == nil {
			d.reportKey(at, unknownName, "%s but there is no fleet.%s", at, tier)
		}
		if f.MTBF <= f.MTTR {
			d.reportBoth(at+".mtbf", at+".mttr", outOfRange, "%s.mtbf must be above mttr", at)
		}
	}
}

// mostRate limits the request rate per second, because times are whole nanoseconds.
const mostRate = 1e9

// checkLoad warns about tiers whose offered load exceeds their capacity. It refuses to thin
// a plan if thinning would change its results.
func (d *decoder) checkLoad(p *Plan) {
	if rate := p.PeakRate(); rate > mostRate {
		d.report("workload.rate", outOfRange, "the peak is %s, want at most %s, one a nanosecond", quantity.Format(quantity.Rate, rate), quantity.Format(quantity.Rate, mostRate))
		return
	}
	for _, tier := range TierNames {
		if p.Fleet.Tier(tier) == nil || p.Workload.Loop.Closed() {
			continue
		}
		peak := p.Fullest(tier, p.PeakRate())
		switch {
		case peak > 1:
			d.report("workload.rate", overloaded, "peak utilisation of %s is %.0f %%", tier, peak*100)
		case tier != "entry" && p.Retried(peak):
			d.report("workload.rate", overloaded, "peak utilisation of %s is %.0f %%, with retries %.0f %%: a state that does not end by itself is possible (metastable)",
				tier, peak*100, peak*float64(1+p.Override.FetchPSRetry)*100)
		}
	}
	d.beginsAnew(p)
	if thin := p.Workload.Detail.Thin.K; thin > 1 {
		for _, why := range p.Unthinnable(thin) {
			d.report("workload.detail.thin", thinRefused, "thin refused: %s", why)
		}
	}
	d.enoughRequests(p)
}

// beginsAnew warns if a call may have more attempts than a shard has replicas. With the retry
// target distinct, the attempts beyond that number use replicas a second time.
func (d *decoder) beginsAnew(p *Plan) {
	if p.Client.RetryTarget != "distinct" || p.Override.FetchPSTimeout == 0 {
		return
	}
	attempts := 1 + p.Override.FetchPSRetry
	if n := min(p.ReplicasOf("ps", 0), p.ReplicasOf("ps", 1)); attempts > n {
		d.reportBoth("client.retry_target", "override.fetch_ps_retry", conflict, "%sretry_target is distinct, and a call has up to %d attempts for %s: once all were tried it begins anew, at any of them",
			warned, attempts, lists.Counted(n, "replica"))
	}
}

// Retried reports whether a tier with this utilization would be overloaded if every call
// used all its retries. In that case, a queue that has grown beyond the timeout never
// empties (CAP-12.22).
func (p *Plan) Retried(utilisation float64) bool {
	return p.Override.FetchPSTimeout > 0 && utilisation*float64(1+p.Override.FetchPSRetry) > 1
}

// With fewer requests than leastForP99, no verdict on a p99 is possible at 99 % confidence. With
// fewer than leastForP99One, only one of the two verdicts is possible.
const (
	leastForP99    = 459
	leastForP99One = 662
)

// preciseAt returns the path at which to report that there are too few requests for a p99. It is
// the path that demands the precision, or the path of the rate if the file demands none.
func (d *decoder) preciseAt() string {
	for _, path := range []string{"precision.p99", "precision"} {
		if d.given(path) {
			return path
		}
	}
	return "workload.rate"
}

// windowAt returns the path that names a window in the plan, or the path of the horizon if no path
// names it.
func (d *decoder) windowAt(p *Plan, w Window) string {
	for i, text := range p.Workload.Detail.Windows {
		if text == w.Name || w.Incident > 0 && strings.HasPrefix(text, "each incident") || strings.HasPrefix(w.Name, "hour ") && strings.HasPrefix(text, "each hour") {
			return fmt.Sprintf("workload.detail.windows.%d", i)
		}
	}
	return "workload.horizon"
}

func (d *decoder) enoughRequests(p *Plan) {
	judged := slices.ContainsFunc(p.Objectives(), func(s SLO) bool { return s.Metric == "p99" })
	if !judged || p.Workload.Loop.Closed() {
		return
	}
	for _, w := range p.Windows() {
		n := float64(p.Workload.Rate.At(w.Start)) * float64(w.End-w.Start) / 1e9 * float64(p.Budget.MaxReplications)
		if n < leastForP99One {
			prefix, least := "", leastForP99
			if n >= leastForP99 {
				prefix, least = warned, leastForP99One
			}
			d.reportBoth(d.preciseAt(), d.windowAt(p, w), tooPrecise, "%sp99 needs at least %d requests per window at 99 %% confidence; window %q expects %.0f in %d replications", prefix, least, w.Name, n, p.Budget.MaxReplications)
		}
	}
}
