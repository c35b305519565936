package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

const maxName = 120

// strict refuses mistakes that would otherwise go unnoticed (CAP-2.4): an explicit zero where zero
// means not given, an autoscaler's target in the unit of another metric, too large numbers, and
// ambiguous names. It warns of keys without effect.
func (d *decoder) strict(p *Plan) {
	if n := len([]rune(p.Name)); n > maxName {
		d.report("name", outOfRange, "name must have 1..%d characters, got %d", maxName, n)
	}
	for _, tier := range TierNames {
		if s := p.Service.Of(tier); s != nil {
			d.notZero("service."+tier+".threads", s.Threads)
		}
	}
	d.notZero("fleet.ps.num_shard", p.Fleet.PS.NumShard)
	d.notZero("fleet.mixed.num_shard", p.Fleet.PS.NumShard)
	if t := p.Fleet.Dense; t != nil {
		d.notZero("fleet.dense.services_per_container", t.Services)
	}
	if d.given("model.shard_skew.shares") && d.given("model.shard_skew.zipf") {
		d.reportBoth("model.shard_skew.zipf", "model.shard_skew.shares", conflict, "shard_skew has zipf and shares; give one of them")
	}
	for i, share := range p.Model.ShardSkew.Shares {
		if share < 0 || share > 1 {
			d.report(fmt.Sprintf("model.shard_skew.shares.%d", i), outOfRange, "a share of shard_skew must be 0%%..100%%, got %s", quantity.Format(quantity.Percent, share))
		}
	}
	searched := p.searches("fleet.ps.num_shard") || p.searches("fleet.mixed.num_shard") || p.searches("override.num_shard")
	for i, e := range p.Events {
		if e.Publish != nil && !searched && int(e.Publish.Shards) > max(p.Fleet.PS.NumShard, p.Override.NumShard) {
			d.reportBoth(fmt.Sprintf("events.%d.publish.shards", i), d.shardsAt(), outOfRange, "publish.shards must be all or 1..%d, got %d", max(p.Fleet.PS.NumShard, p.Override.NumShard), e.Publish.Shards)
		}
	}
	for i, s := range p.SLO {
		if tier, ok := strings.CutPrefix(s.Metric, "mem."); ok && p.Fleet.Tier(strings.TrimSuffix(tier, ".peak")) == nil {
			d.report(fmt.Sprintf("slo.%d", i), badSLO, "%q: there is no fleet.%s", s.Name(), strings.TrimSuffix(tier, ".peak"))
		}
	}
	for _, tier := range TierNames {
		if a := p.Autoscale.Of(tier); a != nil {
			d.scaler(p, a, tier)
		}
	}
	d.eventsApart(p)
	d.idle(p)
	d.idleEvents(p)
}

// eventsApart refuses events with equal names, because objectives and must_hold_under refer
// to events by name. Several events may have the same note as long as nothing refers to that
// note.
func (d *decoder) eventsApart(p *Plan) {
	for i := range p.Events {
		e := &p.Events[i]
		for k := range p.Events[:i] {
			f := &p.Events[k]
			at, first := fmt.Sprintf("events.%d.name", i), fmt.Sprintf("events.%d.name", k)
			switch {
			case e.Name != "" && e.Name == f.Name:
				d.reportBoth(at, first, conflict, "two events have the name %q, want another for each", e.Name)
			case e.Name != "" && e.Name == f.Note:
				d.reportBoth(at, fmt.Sprintf("events.%d.note", k), conflict, "the name %q is the note of another event, want another", e.Name)
			case f.Name != "" && f.Name == e.Note:
				d.reportBoth(fmt.Sprintf("events.%d.note", i), first, conflict, "the note %q is the name of another event, want another", e.Note)
			default:
				continue
			}
			break
		}
	}
	for i, s := range p.SLO {
		if s.OfEvent() {
			d.oneEvent(p, s.Scope, fmt.Sprintf("slo.%d", i))
		}
	}
	for i, m := range p.Solve.MustHoldUnder {
		d.oneEvent(p, m.Text, fmt.Sprintf("solve.must_hold_under.%d", i))
	}
}

// oneEvent refuses a reference to a note that several events share.
func (d *decoder) oneEvent(p *Plan, name, path string) {
	var found []int
	for i := range p.Events {
		if e := &p.Events[i]; name != "" && e.Name == "" && e.Note == name {
			found = append(found, i)
		}
	}
	if len(found) > 1 {
		d.reportBoth(path, fmt.Sprintf("events.%d.note", found[1]), conflict, "%q is the note of %d events, want a name for the one that is meant", name, len(found))
	}
}

// never warns of a key that has no effect in this plan, if the file gives it another value than the
// default.
func (d *decoder) never(path, why string) {
	if d.given(path) && !d.isDefault(path) {
		d.reportKey(path, noEffect, "%s%s changes nothing: %s", warned, path, why)
	}
}

// isDefault reports whether the file's value at a path equals the default, in any unit.
func (d *decoder) isDefault(path string) bool {
	f, ok := fieldAt(reflect.TypeFor[Plan](), strings.Split(path, "."), "")
	text, has := f.tag.Lookup("default")
	word, given := d.words[path]
	if !ok || !has || !given {
		return false
	}
	kind, _ := kindOf(f.t)
	want, err := quantity.Parse(kind, text)
	found, err2 := quantity.Parse(kind, word)
	return word == text || err == nil && err2 == nil && want == found
}

// idle warns of keys that the plan sets but that cannot have an effect. An example is num_shard
// of a tier without shards, or backoff.factor where backoff.base is 0.
func (d *decoder) idle(p *Plan) {
	w, s := &p.Workload, &p.Service
	batched := s.Dense != nil && !s.Dense.Batch.IsZero()
	never := func(path string, used bool, why string) {
		if !used {
			d.never(path, why)
		}
	}
	for _, tier := range TierNames {
		if tier != "ps" {
			never("fleet."+tier+".num_shard", false, "only ps has shards")
		}
		if tier != "dense" {
			never("fleet."+tier+".services_per_container", false, "only dense containers have several server processes")
		}
		if work := s.Of(tier); work != nil {
			never("service."+tier+".cold.factor", !work.Cold.IsZero(), "service."+tier+".cold.calls is 0")
		}
		if tier != "entry" {
			never("service."+tier+".hold", false, "only entry threads wait for others")
		} else {
			never("service.entry.skip_late", false, "requests have no deadline, calls have")
		}
	}
	for _, tier := range TierNames {
		never("service."+tier+".by_priority", p.Several(), "there is one kind of requests, want workload.mix")
	}
	never("fleet.mixed.services_per_container", false, "a mixed container has one dense process (utils.py:406)")
	for _, key := range []string{"threads", "queue", "by_priority", "shed"} {
		never("service.dense."+key, !batched, "service.dense.batch works in batches, see override.batching")
	}
	for _, key := range []string{"max_batch_size", "batch_timeout", "num_batch_threads", "max_enqueued_batches"} {
		never("override.batching."+key, batched, "there is no service.dense.batch")
	}
	never("service.contention.overhead_per_runnable", s.Contention.Model != "none", "with contention none each thread has a core")
	for _, key := range []string{"factor", "most", "jitter"} {
		never("client.backoff."+key, !p.Client.Backoff.IsZero(), "client.backoff.base is 0")
	}
	never("client.retry_budget.burst", !p.Client.RetryBudget.IsZero(), "client.retry_budget.share is no limit")
	never("client.breaker.open", !p.Client.Breaker.IsZero(), "client.breaker.failures is 0")
	if b, n := p.Fleet.Boot, p.Containers("entry")+p.Containers("ps")+p.Containers("dense"); b.Store > 0 {
		never("fleet.boot.store", len(p.Solve.Over)+len(p.Sweep) > 0 || p.Autoscale.Any() || slices.ContainsFunc(p.Events, func(e Event) bool { return e.Scale != nil }) || float64(b.Store) < float64(n)*float64(b.ModelLoad), fmt.Sprintf("%d containers with fleet.boot.model_load read less", n))
	}
	process := w.Arrivals.Process
	never("workload.arrivals.cv", process == "gamma", "it is of process gamma")
	for _, key := range []string{"burst", "mean_burst", "mean_quiet"} {
		never("workload.arrivals."+key, process == "mmpp", "it is of process mmpp")
	}
	never("workload.arrivals.batch", process != "trace", "a trace says when each request comes")
	never("workload.arrivals.time_scale", process == "trace", "it is of process trace")
	never("workload.arrivals.file", process == "trace", "it is of process trace")
	if w.Loop.Closed() {
		for _, key := range namesOf(fieldsOf(reflect.ValueOf(w.Arrivals))) {
			d.never("workload.arrivals."+key, "a closed loop has no arrivals of its own")
		}
	}
	for _, key := range []string{"step", "sections"} {
		never("solve."+key, p.Solve.Maximise != "", "it is of solve.maximise")
	}
	for _, key := range []string{"prove_minimal", "alternatives"} {
		never("solve."+key, p.Solve.Maximise == "", "it is of a search over configurations, and solve.maximise searches over the rate")
	}
}

// idleEvents warns of events that leave everything as it was, and of autoscalers without a choice.
func (d *decoder) idleEvents(p *Plan) {
	never := func(path, why string) {
		if !p.searches(path) {
			d.never(path, why)
		}
	}
	for i := range p.Events {
		e, at := &p.Events[i], fmt.Sprintf("events.%d.", i)
		switch {
		case e.Traffic != nil && e.Traffic.Factor == 1:
			never(at+"traffic.factor", "there are as many requests as before")
		case e.Slow != nil && e.Slow.Factor == 1:
			never(at+"slow."+e.Slow.Tier+".factor", "the containers are as fast as before")
		case e.Loss != nil && e.Loss.Rate == p.Network.Loss:
			never(at+"loss.rate", "links lose as much as before (network.loss)")
		case e.Scale != nil:
			for _, tier := range TierNames {
				if n := e.Scale.of(tier); n > 0 && n == p.scaledTo(tier, i) {
					never(at+"scale."+tier, "there are as many containers before")
				}
			}
		}
	}
	for _, tier := range TierNames {
		if a, at := p.Autoscale.Of(tier), "autoscale."+tier; a != nil && a.Min == a.Max && !p.searches(at+".min") && !p.searches(at+".max") {
			d.never(at, "its min is its max")
		}
	}
}

// scaledTo returns how many containers a tier has just before an event, by the events that scale it;
// of ps, each shard. It returns 0 if that is not known.
func (p *Plan) scaledTo(tier string, event int) int {
	f := p.Fleet.Tier(tier)
	if f == nil || p.Autoscale.Of(tier) != nil || tier == "ps" && f.Replicas.Hottest != f.Replicas.Default || p.searches("fleet."+tier+".replicas") {
		return 0
	}
	n, latest := p.ReplicasOf(tier, 0), -1.0
	for i := range p.Events {
		e := &p.Events[i]
		if at := float64(e.At); i != event && e.Scale != nil && e.Scale.of(tier) > 0 && at >= latest && (at < float64(p.Events[event].At) || at == float64(p.Events[event].At) && i < event) {
			n, latest = e.Scale.of(tier), at
		}
	}
	return n
}

// notZero refuses a value of 0 that is written in the file.
func (d *decoder) notZero(path string, value int) {
	if d.given(path) && value == 0 {
		d.report(path, outOfRange, "%s must be >=1, got 0", path)
	}
}

// target checks that an autoscaler's target has the unit of its metric. The default target
// is only suitable for cpu.
func (d *decoder) target(metric, path string) {
	want, ok := map[string]quantity.Kind{"cpu": quantity.Percent, "offered": quantity.Percent, "qps": quantity.Rate, "queue": quantity.Count}[metric]
	if !ok {
		return // reported already
	}
	at := path + ".target"
	switch found, given := d.targets[at]; {
	case !d.given(at) && want != quantity.Percent:
		d.reportKey(path, requiredKey, "%s is required, as metric is %s: a %s, for example %s", at, metric, want, map[string]string{"qps": "500/s", "queue": "8"}[metric])
	case given && found != want:
		d.reportBoth(at, path+".metric", wrongUnit, "target: found a %s, a %s expected for metric %s", found, want, metric)
	}
}

// scaler checks an autoscaler's metrics, targets and rules.
func (d *decoder) scaler(p *Plan, a *Autoscaler, tier string) {
	path := "autoscale." + tier
	if len(a.Metrics) == 0 {
		d.target(a.Metric, path)
	}
	for i, m := range a.Metrics {
		d.target(m.Metric, fmt.Sprintf("%s.metrics.%d", path, i))
	}
	for _, key := range []string{"metric", "target"} {
		if len(a.Metrics) > 0 && d.given(path+"."+key) {
			d.reportBoth(path+".metrics", path+"."+key, conflict, "%s.metrics stands in the place of metric and target; remove %s", path, key)
		}
	}
	request := a.Request
	if f := p.Fleet.Tier(tier); f != nil && request == 0 {
		request = f.CPU
	}
	for i, m := range a.Looks() {
		at := path + ".target"
		if len(a.Metrics) > 0 {
			at = fmt.Sprintf("%s.metrics.%d.target", path, i)
		}
		if kind, given := d.targets[at]; given && kind != quantity.Percent {
			continue // reported already
		}
		if f := p.Fleet.Tier(tier); f != nil && m.Metric == "cpu" && float64(m.Target) > f.CPU/request {
			d.report(at, outOfRange, "%s: no container uses more than its %s cores, %.0f %% of the %s that it requests, so a target of %.0f %% is never reached: give request, the cores that are 100 %%, or a lower target",
				path, quantity.Format(quantity.Number, f.CPU), f.CPU/request*100, quantity.Format(quantity.Number, request), float64(m.Target)*100)
		}
	}
	if a.StabiliseUp > 0 && a.Behavior == nil && a.Measured() {
		d.report(path+".stabilise_up", conflict, "%s.stabilise_up is of behavior, without which an autoscaler goes up at once: give behavior: {} beside it", path)
	}
	if a.Behavior == nil {
		return
	}
	if !a.Measured() {
		d.reportBoth(path+".behavior", path+".metric", conflict, "%s.behavior is of an autoscaler that measures; metric offered is none", path)
	}
	for name, rules := range map[string]*HPARules{"up": &a.Behavior.Up, "down": &a.Behavior.Down} { //lint:order problems are sorted by place
		for i, one := range rules.Policies {
			if (one.Pods > 0) == (one.Percent > 0) {
				at := fmt.Sprintf("%s.behavior.%s.policies.%d", path, name, i)
				d.report(at, conflict, "a policy has one of pods and percent above 0, found %s", map[bool]string{true: "both", false: "neither"}[one.Pods > 0])
			}
		}
	}
}
