package plan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

func (d *decoder) event(p *Plan, i int) {
	e := &p.Events[i]
	at := fmt.Sprintf("events.%d", i)
	horizon := p.Workload.Horizon
	if e.At < 0 {
		d.report(at+".at", outOfRange, "%s.at must be >=0, got %s", at, Duration(e.At).text())
	} else if Duration(e.At) >= horizon {
		d.reportBoth(at+".at", "workload.horizon", afterHorizon, "event at %s is after the horizon %s", Duration(e.At).text(), horizon.text())
	}
	actions := e.actions()
	if len(actions) != 1 {
		found := "none"
		if len(actions) > 0 {
			found = strings.Join(actions, " and ")
		}
		d.report(at, conflict, "an event has exactly one action, found %s", found)
		return
	}
	action := at + "." + actions[0]
	switch {
	case e.Kill != nil:
		d.killed(p, e.Kill.Tier, e.Kill.Count, action)
	case e.Slow != nil:
		d.killed(p, e.Slow.Tier, e.Slow.Count, action)
	case e.LoseIDC != "":
		d.idc(p, e.LoseIDC, action)
	case e.LoseCluster != "":
		idc, cluster, ok := strings.Cut(e.LoseCluster, ":")
		if !ok {
			d.report(action, unknownName, "lose_cluster: found %q, want idc:cluster", e.LoseCluster)
		} else if d.idc(p, idc, action) && !slices.Contains(p.Fleet.IDCs[p.Fleet.IDCIndex(idc)].Clusters, cluster) {
			d.report(action, unknownName, "cluster %q is not in idc %s (known: %s)", cluster, idc, known(p.Fleet.IDCs[p.Fleet.IDCIndex(idc)].Clusters))
		}
	case e.Restart != nil:
		if p.Fleet.Tier(e.Restart.Tier) == nil && e.Restart.Tier != "" {
			d.report(action+".tier", unknownName, "%s: there is no fleet.%s", action, e.Restart.Tier)
		}
	case e.Publish != nil:
		d.published(p, e.Publish, action)
	case e.Partition != nil:
		d.link(p, e.Partition.Between, action+".between")
	case e.Loss != nil && e.Loss.Link != nil:
		d.link(p, e.Loss.Link, action+".link")
	case e.ZooKeeper != nil:
		z := e.ZooKeeper
		if boolInt(z.LeaderLoss)+boolInt(z.Outage)+boolInt(z.ExpireAll) != 1 {
			d.report(action, conflict, "zookeeper: want exactly one of leader_loss, outage, expire_all")
		}
	case e.Scale != nil:
		if e.Scale.Dense > 0 && p.Fleet.Dense == nil || e.Scale.Entry+e.Scale.PS+e.Scale.Dense == 0 {
			d.report(action, unknownName, "scale needs the replicas of a tier that there is")
		}
	}
	if e.Kill == nil {
		d.never(at+".restart_after", "it is of kill")
	}
	if e.atOnce() {
		d.never(at+".for", actions[0]+" happens at an instant and does not end")
		e.For = 0
	}
}

func (d *decoder) published(p *Plan, e *Publish, action string) {
	names := p.modelNames()
	if p.Model.RoughSort.Size > 0 {
		names = append(slices.Clone(names), RoughSortName)
	}
	if m := e.Model; m != "" && !slices.Contains(names, m) {
		d.report(action+".model", unknownName, "model %q is not in workload.mix (known: %s)%s", m, known(names), Nearest(m, names))
	}
	if e.Bad == "partial" && e.Shards == 0 {
		d.report(action+".bad", requiredKey, "bad: partial needs shards, the number of shards that get the version")
	}
}

// versions checks that each publish has a greater version than those before it. Model servers load
// the greatest version that they find (the version policy latest), so a publish of a smaller version
// would have no effect.
func (d *decoder) versions(p *Plan) {
	newest := map[string]int{} // for each model, the index of the last publish, counted from 1
	order := make([]int, len(p.Events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Events[a].At, p.Events[b].At) })
	for _, i := range order {
		e := p.Events[i].Publish
		if e == nil || e.Version < 1 {
			continue
		}
		models := []string{e.Model}
		if e.Model == "" {
			models = append(p.modelNames(), "")
		}
		for _, m := range models {
			k := newest[m]
			if k == 0 && m != RoughSortName {
				k = newest[""]
			}
			if k > 0 && e.Version <= p.Events[k-1].Publish.Version {
				older := p.Events[k-1].Publish.Version
				d.reportBoth(fmt.Sprintf("events.%d.publish.version", i), fmt.Sprintf("events.%d.publish.version", k-1), outOfRange, "events.%d.publish.version must be above %d, which is published before, got %d: model servers load the greatest version that there is", i, older, e.Version)
				break
			}
			newest[m] = i + 1
		}
	}
}

// atOnce reports whether the event has no duration, so that its key "for" must not be given.
func (e *Event) atOnce() bool {
	z := e.ZooKeeper
	return e.Publish != nil || e.Kill != nil || e.Restart != nil || e.Scale != nil || z != nil && !z.Outage
}

func (d *decoder) killed(p *Plan, tier string, count int, path string) {
	if tier == "" {
		return // reported already
	}
	if p.Fleet.Tier(tier) == nil {
		d.report(path, unknownName, "%s: there is no fleet.%s", path, tier)
		return
	}
	shards := 1
	if tier == "ps" {
		shards = p.Shards()
	}
	if n := max(p.Containers(tier), p.MostOf(tier)*shards); count > n && p.Shards() > 0 {
		d.reportBoth(path, "fleet."+tier+".replicas", outOfRange, "%s: %d containers of %s, there are %d", path, count, tier, n)
	}
}

func (d *decoder) link(p *Plan, ends []string, path string) {
	if len(ends) != 2 || ends[0] == ends[1] {
		d.report(path, outOfRange, "%s: want two idcs, as [lf, hl]", path)
		return
	}
	for i, name := range ends {
		d.idc(p, name, fmt.Sprintf("%s.%d", path, i))
	}
}

// leastForAP99 is the number of replications that a verdict on a p99 needs.
const leastForAP99 = 20

// objectives checks that objectives, solve and sweep refer only to things that exist in the
// plan.
func (d *decoder) objectives(p *Plan) {
	for i, s := range p.SLO {
		at := fmt.Sprintf("slo.%d", i)
		if tier := s.Scope; slices.Contains(TierNames, tier) && p.Fleet.Tier(tier) == nil {
			d.report(at, badSLO, "%q: there is no fleet.%s", s.Name(), tier)
		}
		if s.Scope == Corrected && !p.Workload.Loop.Closed() {
			d.report(at, badSLO, "%q: the loop is open, and %s(request) counts from the intended arrival; corrected is of closed loops", s.Name(), s.Metric)
		}
		if s.Scope == "publish" && !slices.ContainsFunc(p.Events, func(e Event) bool { return e.Publish != nil }) {
			d.report(at, badSLO, "%q: nothing is published, want an event with publish", s.Name())
		}
		if s.OfEvent() {
			d.recovers(p, &s, at)
		}
		if s.Metric == "cost" && p.Cost() == 0 {
			d.reportBoth(at, "fleet", badSLO, "%q: nothing costs anything, want the cost of a tier, as fleet.ps.cost: 2/h", s.Text)
		}
	}
	if slices.ContainsFunc(p.Objectives(), func(o SLO) bool { return o.Metric == "p99" }) && p.Budget.MinReplications < leastForAP99 {
		d.report("budget.min_replications", outOfRange, "budget.min_replications must be >=%d when a p99 is judged, got %d", leastForAP99, p.Budget.MinReplications)
	}
	if p.Budget.MinReplications < 5 {
		d.report("budget.min_replications", outOfRange, "budget.min_replications must be >=5, got %d", p.Budget.MinReplications)
	}
	if p.Budget.MaxReplications < p.Budget.MinReplications {
		d.reportBoth("budget.max_replications", "budget.min_replications", outOfRange, "budget.max_replications must be >= min_replications %d, got %d", p.Budget.MinReplications, p.Budget.MaxReplications)
	}
	if len(p.Solve.MustHoldUnder) == 0 {
		p.Solve.MustHoldUnder = []Must{{Text: "normal"}}
	}
	d.traces(p)
	for i := range p.Solve.MustHoldUnder {
		d.must(p, &p.Solve.MustHoldUnder[i], fmt.Sprintf("solve.must_hold_under.%d", i))
	}
	d.axes(p.Solve.Over, "solve.over")
	for _, s := range p.Sweep {
		d.axes(s.Axes, "sweep."+s.Name)
	}
	if p.Solve.Maximise != "" && (len(p.Solve.Over) > 0 || d.given("solve.minimise") && !d.isDefault("solve.minimise")) {
		d.reportBoth("solve.maximise", "solve.over", conflict, "solve: maximise is without over and minimise")
	}
	if len(p.Solve.Over) == 0 || p.Solve.Minimise != "cost" {
		return
	}
	for _, tier := range p.Kinds() {
		at := "fleet." + tier + ".cost"
		if p.Fleet.Mixed != nil {
			at = "fleet.mixed.cost"
		}
		if !d.given(at) {
			d.reportParent(at)
		}
	}
}

// recovers checks that the event that an objective names exists and is simulated.
func (d *decoder) recovers(p *Plan, s *SLO, at string) {
	switch event := p.EventNamed(s.Scope); {
	case event == 0:
		d.report(at, badSLO, "%q: no event has this name or note%s", s.Name(), p.nearestEvent(s.Scope))
	case !p.hasWindowAround(event):
		d.reportBoth(at, "workload.detail.windows", badSLO, "%q: no window is around the event, want each incident -10s..+60s in workload.detail.windows", s.Name())
	case !p.comparesWith(event):
		w := p.Windows()[p.WindowOf(event)]
		d.reportBoth(at, "workload.detail.windows", badSLO, "%q: the window begins %s before the event, want %s or more: %d steps to compare with (CAP-4.5)", s.Name(),
			(Duration(p.Events[event-1].At) - w.Start).text(), (stepsBefore * p.StepOf(w)).text(), stepsBefore)
	case s.Metric == "above" && !p.LimitsRequests():
		d.report(at, badSLO, "%q: there is no objective that requests could be above, want one as p99(request) <= 50ms or errors <= 1%%", s.Name())
	}
}

// comparesWith reports whether a window around an event has enough steps before the event to
// compare them with the steps after it.
func (p *Plan) comparesWith(event int) bool {
	return slices.ContainsFunc(p.Windows(), func(w Window) bool {
		return w.Incident == event && Duration(p.Events[event-1].At)-w.Start >= stepsBefore*p.StepOf(w)
	})
}

// hasWindowAround reports whether there is a window around an event, given by its number
// from 1.
func (p *Plan) hasWindowAround(event int) bool {
	return slices.ContainsFunc(p.Windows(), func(w Window) bool { return w.Incident == event })
}

// nearestEvent returns a hint with the most similar name of an event or other word. If found is the
// kind of an event that has neither name nor note, the hint is to give that event a name.
func (p *Plan) nearestEvent(found string, others ...string) string {
	for i := range p.Events {
		if e := &p.Events[i]; e.Name == "" && e.Note == "" && e.Action() == found {
			return fmt.Sprintf(", want one: write {at: ..., name: %s, ...} in events.%d", found, i)
		}
	}
	for i := range p.Events {
		others = append(others, p.Events[i].Name, p.Events[i].Note)
	}
	return Nearest(found, slices.DeleteFunc(others, func(name string) bool { return name == "" }))
}

// EventNamed returns the number, from 1, of the event with the given name or note. It
// returns 0 if there is none.
func (p *Plan) EventNamed(name string) int {
	return 1 + slices.IndexFunc(p.Events, func(e Event) bool { return name != "" && (e.Name == name || e.Note == name) })
}

func (d *decoder) must(p *Plan, m *Must, path string) {
	switch {
	case m.Text == "normal" || m.Of == "" && strings.HasPrefix(m.Text, "any "):
	case m.Of == "idc" && m.Count >= len(p.Fleet.IDCs):
		d.report(path, outOfRange, "%q: there are %d idcs", m.Text, len(p.Fleet.IDCs))
	case m.Of == "idc":
	case m.Of != "" && p.Fleet.Tier(m.Of) == nil:
		d.report(path, unknownName, "%q: there is no fleet.%s", m.Text, m.Of)
	case m.Of != "":
	default:
		if m.Event = p.EventNamed(m.Text); m.Event == 0 {
			d.report(path, unknownName, "must_hold_under: found %q, want normal, any K TIER, any K idc, or the name of an event%s", m.Text, p.nearestEvent(m.Text, "normal"))
			return
		}
		if m.Of = "event"; !p.hasWindowAround(m.Event) {
			d.reportBoth(path, "workload.detail.windows", requiredKey, "must_hold_under: no window is around %q, want each incident -10s..+60s in workload.detail.windows", m.Text)
		}
	}
}

// mostCells is the largest number of cells (combinations of values) in a grid.
const mostCells = 1_000_000

// axes checks that the paths of a grid exist and lead to single values, and that the grid
// has not too many cells.
func (d *decoder) axes(list Axes, path string) {
	cells := 1
	for _, a := range list {
		at := path + "." + a.Path
		f, ok := fieldAt(reflect.TypeFor[Plan](), strings.Split(RootPath(a.Path), "."), "")
		if !ok {
			d.reportKey(at, unknownName, "%s: the plan has no %q%s", path, a.Path, Nearest(a.Path, singlePaths()))
		} else if below := d.below(a.Path); !isSingle(f.t) && below == "" {
			d.reportKey(at, unknownName, "%s: %q is no number or word that can be searched over, want one, as ps.replicas", path, a.Path)
		} else if !isSingle(f.t) {
			d.reportKey(at, unknownName, "%s: %q has keys of its own, want one of them, as %s", path, a.Path, below)
		}
		if cells *= max(len(a.Values), 1); cells > mostCells {
			d.reportKey(at, outOfRange, "%s: found more than %d cells up to here, want at most so many", path, mostCells)
			return
		}
	}
}

// below returns the first path that begins with the given path and leads to a single value. It
// returns "" if there is none.
func (d *decoder) below(path string) string {
	for _, one := range singlePaths() {
		if strings.HasPrefix(one, path+".") {
			return one
		}
	}
	return ""
}

// leastRegret checks that solve.least_regret has worlds to compare. A plan whose uncertain
// values a search has fixed is not checked.
func (d *decoder) leastRegret(p *Plan) {
	switch n := p.Solve.LeastRegret; {
	case n > 0 && len(p.Uncertain) == 0:
		d.report("solve.least_regret", conflict, "solve.least_regret compares worlds, and nothing in the plan is unsure; write a value as {low: 0.9ms, mid: 1ms, high: 1.4ms}")
	case n > 0 && p.Solve.Maximise != "":
		d.reportBoth("solve.least_regret", "solve.maximise", conflict, "solve.least_regret compares configurations, and maximise has one")
	case n == 1:
		d.report("solve.least_regret", outOfRange, "solve.least_regret must be 2..20, got 1")
	}
}

// placed holds the type of a field with its tags.
type placed struct {
	t   reflect.Type
	tag reflect.StructTag
}

// typeAt returns the type of the field at a path.
func typeAt(t reflect.Type, path []string) (reflect.Type, bool) {
	f, ok := fieldAt(t, path, "")
	return f.t, ok
}

// fieldAt returns the type and the tags of the field at a path.
func fieldAt(t reflect.Type, path []string, tag reflect.StructTag) (placed, bool) {
	if len(path) == 0 {
		return placed{t, tag}, true
	}
	switch t.Kind() {
	case reflect.Pointer:
		return fieldAt(t.Elem(), path, tag)
	case reflect.Slice, reflect.Map:
		return fieldAt(t.Elem(), path[1:], tag)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("plan") == path[0] {
				return fieldAt(f.Type, path[1:], f.Tag)
			}
		}
		// The YAML forms of some types have other fields than the types themselves.
		if t == reflect.TypeFor[RateLaw]() {
			return fieldAt(reflect.TypeFor[rateForms](), path, tag)
		}
		if t == reflect.TypeFor[Kill]() && path[0] == "refuse" {
			return placed{t: reflect.TypeFor[bool]()}, len(path) == 1
		}
		if (t == reflect.TypeFor[Kill]() || t == reflect.TypeFor[Slow]()) && slices.Contains(TierNames, path[0]) {
			return fieldAt(reflect.TypeFor[picked](), path[1:], tag)
		}
		if t == reflect.TypeFor[Skew]() && path[0] == "zipf" {
			return placed{t: reflect.TypeFor[float64]()}, true
		}
		if t == reflect.TypeFor[Replicas]() && (path[0] == "default" || path[0] == "hottest") {
			return placed{t: reflect.TypeFor[int]()}, true
		}
	}
	return placed{}, false
}

// isSingle reports whether a value of a type can be written as one number or word.
func isSingle(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[Replicas](), reflect.TypeFor[RateLaw](), reflect.TypeFor[Skew]():
		return true
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[textDecoder]()) {
		return t != reflect.TypeFor[Must]() && t != reflect.TypeFor[SLO]() && t != reflect.TypeFor[Traced]()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64, reflect.Bool, reflect.String:
		return true
	}
	return false
}

// singlePaths returns the paths of all values that a search can set, for hints in error
// messages.
func singlePaths() []string {
	var list []string
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		if isSingle(t) {
			list = append(list, path, strings.TrimPrefix(path, "fleet."))
			return
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("plan"); name != "" && name != "-" {
				walk(t.Field(i).Type, join(path, name))
			}
		}
	}
	walk(reflect.TypeFor[Plan](), "")
	return list
}
