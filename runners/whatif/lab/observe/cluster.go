package observe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Options says how a plan is run on real processes and observed.
type Options struct {
	// Monosim is the path of the program monosim; "" means the running program.
	Monosim string
	// Warm is the length of the first part of the horizon. Requests of this part do not count.
	Warm time.Duration
	// Saturate is the duration of an additional load of 1.5 times the servers' capacity, which
	// comes before the normal load. 0 skips this load.
	Saturate time.Duration
	// RoundTrip is a delay added to every call, for both directions together, to imitate a
	// distant network.
	RoundTrip time.Duration
	// Dir is the folder for the cluster's directory. "" means the system's folder for temporary
	// files.
	Dir string
	// Progress, unless nil, is called with a description before each step.
	Progress func(step string)
}

// overload is the load of a saturated run, relative to the servers' capacity.
const overload = 1.5

// fleet is the running cluster of a plan.
type fleet struct {
	*loopback.Cluster
	p        *plan.Plan
	o        Options
	targets  []*target
	requests [][]byte
	pods     []string // names of the pods at each target, by the index of the target
	addrs    map[string]int16
	asked    string // name of the pod whose agent is asked for the listed replicas
}

// Run runs a plan on a cluster of processes and observes it. It fails if processes cannot
// realize the plan, if the cluster fails, or if ctx ends.
func Run(ctx context.Context, p *plan.Plan, o Options) (*Observation, error) {
	if err := Supported(p, o); err != nil {
		return nil, err
	}
	f := &fleet{p: p, o: o, addrs: map[string]int16{}}
	built, err := loopback.New(loopback.Options{Monosim: o.Monosim, Agent: loopback.OwnAgent, Dir: o.Dir, ServerFlags: f.serverFlags, Admin: true}).Build(f.spec())
	if err != nil {
		return nil, err
	}
	f.Cluster = built.(*loopback.Cluster)
	defer f.Close()
	obs := &Observation{Format: Format, Plan: p.Name, ScenarioHash: Scenario(p), Began: time.Now().UTC().Truncate(time.Second), Threads: p.Service.PS.Threads, RoundTrip: int64(f.o.RoundTrip)}
	if obs.ReadyNs, err = f.start(ctx); err != nil {
		return nil, err
	}
	defer f.hangUp()
	if !f.items().IsZero() {
		for slot := range p.Override.NumPS {
			obs.Shares = append(obs.Shares, shareOf(p, slot%p.Shards()))
		}
	}
	if err := f.measure(ctx, obs); err != nil {
		return nil, err
	}
	obs.Servers = f.pods
	return obs, ctx.Err()
}

// Scenario returns the hash of a plan without its service times and network delays, because
// these are measured.
func Scenario(p *plan.Plan) string {
	c := *p
	c.Service = plan.Service{PS: plan.TierService{Threads: p.Service.PS.Threads}}
	c.Network = plan.Network{}
	return c.Hash()
}

// Supported returns an error that lists which parts of a plan a cluster of processes cannot
// realize.
func Supported(p *plan.Plan, o Options) error {
	_, err := flagsOfWork(p, 0)
	c := &p.Client
	for _, one := range []struct {
		found bool
		text  string
	}{
		{p.Model.AgentVersion != 1, "model.agent_version: found 3, want 1: its PS are registered one by one"},
		{p.Fleet.Dense != nil, "fleet.dense: found it, want none: the load generator is the entry, and calls PS only"},
		{p.Fleet.PS.Replicas.Hottest != p.Fleet.PS.Replicas.Default, "fleet.ps.replicas: found a hottest shard, want as many replicas of each"},
		{p.Workload.Loop.Closed(), "workload.loop: found a closed one, want an open one"},
		{p.Workload.Detail.Thin.K > 1, "workload.detail.thin: found it, want all requests"},
		{c.Hedge.After.Quantile > 0, "client.hedge.after: found a quantile, want a duration or off: the load generator keeps no quantiles"},
		{c.Partial.MinShards != 0, "client.partial: found allow, want fail"},
		{c.Abandon == "cancel", "client.abandon: found cancel, want continue: model servers go on with what nobody waits for"},
		{c.Coalesce, "client.coalesce: found true, want one call for each PS"},
		{p.Service.PS.Queue >= 0, "service.ps.queue: found a limit, want none: model servers have no such"},
		{p.Service.Contention.Model != "none" && float64(p.Service.PS.Threads) > p.Fleet.PS.CPU, "service.contention.model: found processor_sharing with more threads than cores, want none: model servers rest where others work"},
		{p.Several(), "workload.mix: found several models, want one"},
		{p.Override.FSPollPS%plan.Duration(time.Second) != 0, fmt.Sprintf("override.fs_poll_ps: found %v, want whole seconds, as agents take them", time.Duration(p.Override.FSPollPS))},
		{p.Network.Loss > 0, "network.loss: found it, want 0%: " + whole},
		{p.Random.Any(), "random_failures: found them, want events"},
		{p.Autoscale.Any(), "autoscale: found it, want a fleet that stays"},
		{p.Workload.Places != nil, "workload.places: found it, want none: the load generator is the one entry"},
		{p.Fleet.Boot.Store > 0, "fleet.boot.store: found it, want none: each model server loads for itself"},
		{p.Workload.ColdStart, "workload.cold_start: found true, want a cluster that is up"},
		{o.RoundTrip < 0, fmt.Sprintf("the added round trip: found %v, want 0 or more", o.RoundTrip)},
		{o.Warm < 0 || o.Warm >= time.Duration(p.Workload.Horizon), fmt.Sprintf("the warm-up: found %v, want less than the horizon of %v", o.Warm, time.Duration(p.Workload.Horizon))},
	} {
		if one.found {
			err = errors.Join(err, errors.New(one.text))
		}
	}
	for i := range p.Events {
		err = errors.Join(err, supportedEvent(p, &p.Events[i]))
	}
	return err
}

// whole says why packet loss and partitions are not supported.
const whole = "the network is the loopback, which loses nothing"

// supportedEvent returns an error if a cluster of processes cannot realize an event.
func supportedEvent(p *plan.Plan, e *plan.Event) error {
	refused := func(format string, args ...any) error {
		return fmt.Errorf("event %s: %s", e.Label(), fmt.Sprintf(format, args...))
	}
	switch {
	case e.Kill != nil:
		if e.Kill.Tier != "ps" || !e.Kill.Refuse || e.Kill.Pick != random {
			return refused("found this kill, want {ps: {count: N}, refuse: true}, picked at random: the kernel resets what is sent to a process that is dead")
		}
	case e.Slow != nil:
		if e.Slow.Tier != "ps" || e.Slow.Pick != random {
			return refused("found this slow, want {ps: {count: N, factor: F}}, picked at random")
		}
	case e.Publish != nil:
		if p.Override.FSPollPS == 0 {
			return refused("found publish with override.fs_poll_ps 0, with which PS of version 1 look for versions once, want 1s or more")
		}
		if e.Publish.Bad != "none" || e.Publish.Shards != 0 || e.Publish.Version < 2 {
			return refused("found this publish, want a good version for all shards, 2 or later: the fleet begins with 1")
		}
	case e.ZooKeeper != nil:
		if e.ZooKeeper.ExpireAll {
			return refused("found expire_all, want leader_loss or outage")
		}
	case e.Loss != nil, e.Partition != nil:
		return refused("found %s, want none: %s", e.Action(), whole)
	default:
		return refused("found %s, want kill, slow, publish or zookeeper", e.Action())
	}
	return nil
}

// random is the only supported way to pick containers.
const random = "random"

// flagsOfWork returns the flags that set the service times of a shard's model servers. With
// an affine law the time depends on how many of a request's items the shard gets.
func flagsOfWork(p *plan.Plan, shard int) ([]string, error) {
	work, noise := p.Service.PS.CPU.Law, p.Service.PS.Noise.Law
	if work.Kind != law.Affine {
		if !noise.IsZero() {
			return nil, fmt.Errorf("service.ps.noise: found it with %s, want it with affine alone", work.Kind)
		}
		return flagsOfLaw(work)
	}
	// first is the noise factor that is passed in --monosim_predict_time: the lowest, or the median
	first, base := 1.0, work.Mean
	switch noise.Kind {
	case "":
		work = law.Constant(base)
	case law.LogNormal:
		first, work = math.Exp(-noise.Sigma*noise.Sigma/2), law.Logged(base, noise.Sigma)
	case law.Uniform:
		first, work = noise.Low, law.Between(noise.Low*base, noise.High*base)
	default:
		return nil, fmt.Errorf("service.ps.noise: found %s, want lognormal or uniform, by which monosim tfserving can work", noise.Kind)
	}
	if base*first < 1 {
		return nil, errors.New("service.ps.cpu: found an affine law with a base of 0, want some time")
	}
	flags, err := flagsOfLaw(work)
	perItem := time.Duration(math.Round(p.Service.PS.CPU.PerItem * shareOf(p, shard) * first))
	return append(flags, "--monosim_predict_item_time="+perItem.String()), err
}

// shareOf returns the share of a request's items that one PS of a shard gets (CAP-12.8).
func shareOf(p *plan.Plan, shard int) float64 {
	return p.Model.ShardSkew.Of(p.Shards(), p.Override.NumPS)[shard] / float64(hosted(p, shard))
}

// hosted returns how many PS a container of a shard hosts (CAP-3.2).
func hosted(p *plan.Plan, shard int) int {
	return (p.Override.NumPS - shard + p.Shards() - 1) / p.Shards()
}

// flagsOfLaw returns the flags that give a model server a law of service times.
func flagsOfLaw(l law.Law) ([]string, error) {
	span := func(ns float64) string { return time.Duration(math.Round(ns)).String() }
	switch l.Kind {
	case law.Det:
		return []string{"--monosim_predict_time=" + span(l.Mean)}, nil
	case law.Uniform:
		return []string{"--monosim_predict_law=uniform", "--monosim_predict_time=" + span(l.Low), "--monosim_predict_time_high=" + span(l.High)}, nil
	case law.LogNormal:
		const z99 = 2.3263478740408408
		median := l.Mean * math.Exp(-l.Sigma*l.Sigma/2)
		return []string{"--monosim_predict_law=lognormal", "--monosim_predict_time=" + span(median), "--monosim_predict_time_high=" + span(median*math.Exp(z99*l.Sigma))}, nil
	}
	return nil, fmt.Errorf("service.ps.cpu: found %s, want det, uniform, lognormal or affine, by which monosim tfserving can work", l.Kind)
}

// serverFlags returns the flags of a pod's model server, including a seed that depends on
// the pod.
func (f *fleet) serverFlags(pod runners.Pod) []string {
	flags, _ := flagsOfWork(f.p, pod.Shard) // the error is not looked at: Supported has checked the plan
	seed := tasks.Mix(f.p.Seed, uint64(pod.Shard)<<32|uint64(pod.Replica)) | 1
	return append(flags, fmt.Sprintf("--monosim_seed=%d", seed), fmt.Sprintf("--monosim_predict_threads=%d", f.p.Service.PS.Threads), "--monosim_timings",
		fmt.Sprintf("--monosim_predict_slowdown=%g", float64(f.p.Model.LoadInterference)))
}

const base = "/observed"

func psName(i int) string { return fmt.Sprintf("ps_%d", i) }

// bytesOf returns the given share of the size in bytes of one version of one PS.
func (f *fleet) bytesOf(share float64) int64 {
	return max(int64(share*float64(f.p.Model.Size.Embeddings))/int64(f.p.Override.NumPS), 1)
}

func (f *fleet) spec() runners.Spec {
	p := f.p
	numPS := p.Override.NumPS
	m := runners.Model{Name: "observed", BasePath: base}
	for i := range numPS {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: psName(i), SizeBytes: f.bytesOf(1), Versions: []int64{1}})
	}
	return runners.Spec{
		Seed: p.Seed, Shards: p.Shards(), Replicas: p.Fleet.PS.Replicas.Default, Models: []runners.Model{m}, Quirks: plan.AgentQuirks(p.Override.Quirks),
		Conf: fmt.Sprintf("agent_version 1\nbzid observed\nbase_name observed\nbase_path %s\nnum_ps %d\nnum_shard %d\ndeploy_type ps\nzk_servers 127.0.0.1:2181\nfile_system_poll_wait_seconds_ps %d\n",
			base, numPS, p.Shards(), int64(time.Duration(p.Override.FSPollPS)/time.Second)),
		Serving: runners.ServingSpec{LoadTime: time.Duration(p.Fleet.Boot.LoadFixed), LoadBytesPerSecond: int64(p.Fleet.Boot.ModelLoad)},
	}
}

func (f *fleet) tell(format string, args ...any) {
	if f.o.Progress != nil {
		f.o.Progress(fmt.Sprintf(format, args...))
	}
}

// startLimit is how long it may take until all PS are listed.
const startLimit = 3 * time.Minute

// start starts all pods, waits until each is listed, and connects to all. ready is how long
// it took until all were listed, in nanoseconds.
func (f *fleet) start(ctx context.Context) (ready int64, err error) {
	f.tell("start %d containers", len(f.Pods()))
	if err := f.Start(); err != nil {
		return 0, err
	}
	began := time.Now()
	f.asked = f.Pods()[0].Name
	for {
		met, err := f.Pass(500*time.Millisecond, nil)
		if err != nil || ctx.Err() != nil {
			return 0, errors.Join(err, ctx.Err())
		}
		v, listErr := f.list()
		if listErr == nil && f.complete(v) {
			break
		}
		if !met && time.Since(began) > startLimit {
			return 0, fmt.Errorf("the cluster: not all PS are listed after %v (%w); logs in %s", startLimit, errors.Join(listErr, errors.New("too few replicas")), f.Keep())
		}
	}
	ready = int64(time.Since(began))
	for i := range f.p.Override.NumPS {
		request, err := predictOf(psName(i))
		if err != nil {
			return 0, err
		}
		f.requests = append(f.requests, request)
	}
	return ready, f.answerOnce(ctx)
}

// answerOnce connects to all servers and makes one call to each, so that no request of the
// load has to connect.
func (f *fleet) answerOnce(ctx context.Context) error {
	return f.each(ctx, answerLimit, func(ctx context.Context, slot int, at int16) error {
		t := f.targets[at]
		if err := t.connect(ctx); err != nil {
			return err
		}
		if _, err := t.predict(ctx, f.requests[slot]); err != nil {
			return fmt.Errorf("%s of pod %s: %w", psName(slot), f.pods[at], err)
		}
		return nil
	})
}

// each calls do for every listed replica of every PS, one after another. All calls together may
// take no longer than limit.
func (f *fleet) each(ctx context.Context, limit time.Duration, do func(ctx context.Context, slot int, at int16) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v, err := f.list()
	if err != nil {
		return err
	}
	for slot, servers := range v {
		for _, at := range servers {
			if err := do(ctx, slot, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete reports whether every replica of every PS is listed.
func (f *fleet) complete(v view) bool {
	for _, servers := range v {
		if len(servers) != f.p.Fleet.PS.Replicas.Default {
			return false
		}
	}
	return true
}

// list asks an agent for the servers of each PS.
func (f *fleet) list() (view, error) {
	answer, err := f.HeartBeat(f.asked, "ps")
	if err != nil {
		return nil, err
	}
	v := make(view, f.p.Override.NumPS)
	for _, a := range answer {
		var i int
		if n, _ := fmt.Sscanf(a.Key, "ps:%d", &i); n != 1 || i >= len(v) {
			continue
		}
		for _, addr := range a.Addrs {
			at, err := f.target(addr)
			if err != nil {
				return nil, err
			}
			v[i] = append(v[i], at)
		}
		slices.Sort(v[i])
	}
	return v, nil
}

// target returns the index of the server at an address. It connects to a server that is new.
func (f *fleet) target(addr string) (int16, error) {
	if at, ok := f.addrs[addr]; ok {
		return at, nil
	}
	t, err := dial(addr, f.p.Override.LongConnNum, f.o.RoundTrip/2)
	if err != nil {
		return 0, err
	}
	names, err := runners.PodsAt(f, []string{addr})
	if err != nil {
		return 0, err
	}
	at := int16(len(f.targets))
	f.targets, f.pods = append(f.targets, t), append(f.pods, strings.Join(names, ","))
	f.addrs[addr] = at
	return at, nil
}

func (f *fleet) hangUp() {
	for _, t := range f.targets {
		t.conn.Close()
	}
}

// pids returns the pid of each target's model server, 0 for one that has ended.
func (f *fleet) pids() []int {
	pids := make([]int, len(f.targets))
	for _, pod := range f.Endpoints().Pods {
		for _, s := range pod.ModelServers {
			if at, ok := f.addrs[s.GRPC]; ok {
				pids[at] = s.PID
			}
		}
	}
	return pids
}

// measure runs the loads. The saturated load comes first, because events of the normal load
// may leave a smaller fleet.
func (f *fleet) measure(ctx context.Context, obs *Observation) error {
	if f.o.Saturate > 0 {
		if err := f.saturate(ctx, obs); err != nil {
			return err
		}
	}
	spec := model.Compile(f.p, model.Condition{})
	horizon := int64(f.p.Workload.Horizon)
	spec.Windows = []model.Window{WindowOf(int64(f.o.Warm), horizon)}
	times, err := spec.ArrivalTimes(0, 0)
	if err != nil {
		return err
	}
	pids := f.pids()
	w := newWatch(pids)
	f.tell("%d requests in %v", len(times), time.Duration(horizon))
	run, err := f.drive(ctx, order{
		arrivals: times, warm: int64(f.o.Warm), end: horizon, hedge: time.Duration(f.p.Client.Hedge.After.After), timeout: time.Duration(f.p.Override.FetchPSTimeout),
		retries: f.p.Override.FetchPSRetry, retry: f.p.Client.RetryTarget, balance: f.p.Client.Balance.Inner, seed: f.p.Seed,
		items: f.items(),
	}, obs)
	if err != nil {
		return err
	}
	obs.Load, obs.Machine = *run, w.end()
	obs.Machine.Late = run.late()
	for _, pid := range pids {
		bytes, err := process.Resident(pid)
		if err != nil {
			bytes = 0 // it was killed
		}
		obs.Memory = append(obs.Memory, bytes)
	}
	return nil
}

// items returns the law of the number of items per request. It is the zero law if items do
// not matter.
func (f *fleet) items() law.Law {
	if f.p.Service.PS.CPU.Kind != law.Affine {
		return law.Law{}
	}
	return f.p.Service.Items.Law
}

// WindowOf returns the part of a run that counts: from warm to until, in nanoseconds.
func WindowOf(warm, until int64) model.Window {
	w := model.Window{Warmup: warm}
	w.Name, w.Start, w.End = "observed", plan.Duration(warm), plan.Duration(until)
	return w
}

// Capacity returns the largest number of requests per second that a plan's servers can answer.
func Capacity(p *plan.Plan) float64 {
	threads := float64(p.Service.PS.Threads * p.Fleet.PS.Replicas.Default)
	work := p.Service.PS.CPU.MeanOf(p.Service.Items.Mean * shareOf(p, 0)) // work of a call to the hottest shard
	return threads / (work / 1e9 * float64(p.Override.NumPS) / float64(p.Shards()))
}

// saturate runs a load above the servers' capacity.
func (f *fleet) saturate(ctx context.Context, obs *Observation) error {
	gap := 1e9 / (Capacity(f.p) * overload)
	var times []int64
	for k := 0.0; k*gap < float64(f.o.Saturate); k++ {
		times = append(times, int64(k*gap))
	}
	f.tell("%d requests in %v, more than can be done", len(times), f.o.Saturate)
	run, err := f.drive(ctx, order{
		arrivals: times, warm: int64(f.o.Saturate) / 4, end: int64(f.o.Saturate), timeout: time.Hour, balance: f.p.Client.Balance.Inner,
		seed: f.p.Seed, items: f.items(), breakOff: true,
	}, nil)
	if err != nil {
		return err
	}
	obs.Saturated = run
	return f.settle(ctx)
}

// settleLimit is how long servers may still work on abandoned calls after the saturated load.
const settleLimit = 2 * time.Minute

// settle waits until every server is idle. A server is idle if a call to it does not wait.
func (f *fleet) settle(ctx context.Context) error {
	return f.each(ctx, settleLimit, func(ctx context.Context, slot int, at int16) error {
		for {
			said, err := f.targets[at].predict(ctx, f.requests[slot])
			if err != nil {
				return fmt.Errorf("pod %s: it still works on old requests: %w", f.pods[at], err)
			}
			if said.waited < int64(time.Millisecond) {
				return nil
			}
		}
	})
}

// drive runs a load. Meanwhile it watches which servers the agents list, and makes the
// plan's events happen.
func (f *fleet) drive(ctx context.Context, o order, obs *Observation) (*Load, error) {
	v, err := f.list()
	if err != nil {
		return nil, err
	}
	targets := f.targets
	if o.breakOff {
		targets = unbound(targets)
	}
	d, err := newDriver(o, targets, f.requests, v)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan *Load, 1)
	go func() { done <- d.all(ctx) }()
	play := newStory(f, d, obs)
	for {
		select {
		case run := <-done:
			return run, errors.Join(ctx.Err(), play.end(ctx))
		default:
		}
		if err := play.step(); err != nil {
			cancel()
			<-done
			return nil, err
		}
	}
}

// unbound returns copies of the targets that do not limit the calls in flight.
func unbound(list []*target) []*target {
	var free []*target
	for _, t := range list {
		free = append(free, &target{addr: t.addr, conn: t.conn, way: t.way})
	}
	return free
}
