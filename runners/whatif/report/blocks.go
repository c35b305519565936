package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/result"
)

func answer(l *lines, r *result.Result) {
	a, c := r.Answer, r.Certificate
	if a == nil {
		if r.Command == "solve" {
			l.add("none: %s", r.Stopped)
			noneHolds(l, c)
			placements(l, c)
		}
		return
	}
	if a.Rate > 0 {
		l.add("at most %s at the peak", rate(a.Rate))
		l.extendIf(a.Knee > 0, "; p99 is twice that of a low rate at %s", rate(a.Knee))
	}
	l.add("%s = %d containers, %s", point(a.Point), a.Containers, hourly(r, a.Cost))
	l.extendIf(a.AsWritten > 0, " (%+.0f %% against the plan as written, %s)", (a.Cost/a.AsWritten-1)*100, hourly(r, a.AsWritten))
	l.addIf(a.CostPerQPS > 0, perRequest, short(a.CostPerQPS), currency(r))
	if w := a.Worlds; w != nil {
		l.add("holds in %d of %d worlds that were simulated of %d, not in %d: what is not known for sure is drawn in each", w.Pass, w.Pass+w.Fail+w.Undecided, w.Count, w.Fail)
	}
	l.addIf(!a.Proven, "%s proven: the certificate is not complete", either(a.Rate > 0, "greatest", "cheapest"))
	if c != nil {
		l.add("certificate %s at %s: %d cells, %d simulated, %s; %s requests against %s of the whole grid",
			c.Label, percent(c.Confidence), c.Cells, c.Simulated, excluded(c), thousands(c.Requests), thousands(c.GridCost))
		l.addIf(c.VarianceReduction > 0, "the same random numbers narrowed differences to the neighbours: variance 1/%.3g", c.VarianceReduction)
		l.addIf(len(c.Conditions) > 0, "held under %s", strings.Join(c.Conditions, ", "))
	}
	placements(l, c)
	l.add("stopped: %s", r.Stopped)
}

// perRequest is the format of the hourly cost for each request a second. The blocks ANSWER and COST
// use it.
const perRequest = "%s%s an hour for each request a second at the peak"

// noneHolds names the constraint that keeps every configuration from meeting the objectives
// (CAP-6.7).
func noneHolds(l *lines, c *result.Certificate) {
	if c == nil || c.Binding == nil {
		return
	}
	b := c.Binding
	l.add("what binds is %s", b.Constraint)
	l.extendIf(len(b.Point) > 0, " at %s", point(b.Point))
	l.add("  %s: %s", b.Argument, b.Reason)
}

// placements reports, for each condition such as "any 2 ps", how many sets of containers may fail
// under it, and which of these sets were judged (CAP-6.5).
func placements(l *lines, c *result.Certificate) {
	if c == nil {
		return
	}
	for _, p := range c.Placements {
		l.add("%s: %s%d %s of %s %s", p.Condition, either(p.More, "more than ", ""), p.Classes, either(p.Classes == 1, "class", "classes"),
			thousands(p.Placements), either(int(p.Placements) == 1, "placement", "placements"))
		some := p.Classes > len(p.Judged) || p.More
		l.extendIf(some, ", judged by %d of which none leaves a fuller shard", len(p.Judged))
		l.extendIf(!some, ", each judged")
		for _, one := range p.Judged {
			l.add("  %s stands for %s", strings.TrimPrefix(one.Text, p.Condition+" "), thousands(one.Placements))
		}
	}
}

func excluded(c *result.Certificate) string {
	parts := lists.MapOrNil(sortedKeys(c.Excluded), func(name string) string { return fmt.Sprintf("%d by %s", c.Excluded[name], name) })
	return cmp.Or(strings.Join(parts, ", "), "none excluded")
}

func whyNotLess(l *lines, r *result.Result) {
	for _, n := range r.Neighbours {
		l.add("%s: %s", point(n.Point), n.Outcome)
		why := cmp.Or(n.Reason, n.Argument)
		l.extendIf(why != "", ", %s", why)
	}
}

// alternatives lists other configurations that meet the objectives, with their costs.
func alternatives(l *lines, r *result.Result) {
	for _, c := range r.Alternative {
		l.add("%s = %d containers, %s", point(c.Point), c.Containers, hourly(r, c.Cost))
		l.extend("%s", p99Of(c.Estimates))
	}
}

// p99Of returns the text on the p99 with which the line of a cell ends. It takes the window where
// the p99 is highest, and returns "" for a cell without a p99. If more than 1 % of requests fail,
// it takes the window with the highest share of errors instead. It then states this share, and says
// that the p99 describes only the other requests.
func p99Of(list []result.Estimate) string {
	worst, windows := result.Worst(list, "p99(request)")
	text := ", p99 "
	if errors, _ := result.Worst(list, "errors"); errors != nil && *errors.Value > hundredth {
		worst = result.Of(list, "p99(request)", errors.Scope)
		text = ", errors " + estimate(errors) + ", p99 of the rest "
	}
	if worst == nil {
		return ""
	}
	return text + estimate(worst) + either(windows > 1, " in "+worst.Scope.Window, "")
}

// hundredth is the share of failed requests above which the p99 of the answered requests is not a
// p99 of all requests.
const hundredth = 0.01

func latency(l *lines, r *result.Result) {
	if r.Marked && len(r.Windows) > 0 && !slices.ContainsFunc(r.Windows, func(w result.Window) bool { return w.Requests > 0 }) {
		l.add("not enough data: budget.wall ended before one replication of all windows (%d) was whole", len(r.Windows))
		return
	}
	for _, w := range r.Windows {
		if w.Refused != "" {
			l.add("%s, %s", w.Name, w.Refused)
			continue
		}
		l.add("%s, %s offered, n = %s, after %s of warm-up", w.Name, rate(w.Rate), thousands(w.Requests), begun(&w))
		l.extendIf(!w.Stationary, ", not stationary")
		l.extendIf(w.Stationary && w.Cut > 0, " and %s more that MSER-5 cuts", duration(w.Cut))
		l.addIf(w.Unsettled != "", "  %s", w.Unsettled)
		l.addIf(w.Requests == 0, "  not enough data (n = 0): nothing came")
		l.extendIf(w.Requests == 0 && r.Load == nil, "; clients think all the time, or wait for answers to what they asked before")
		l.addIf(w.Open > 0, "  %s of them, %s, have no answer when the simulation ends, a minute or more behind the window", thousands(w.Open), share(float64(w.Open)/float64(w.Requests)))
		ofRequests(l, r.Estimates, result.Scope{Window: w.Name}, "", latencies)
		models(l, r, w.Name)
	}
}

// Metrics of requests in the order in which reports show them: latencies of the requests
// that succeed, and shares of requests by outcome.
var (
	latencies = []string{"mean(request)", "p50(request)", "p90(request)", "p99(request)", "p999(request)", "p9999(request)",
		"mean(corrected)", "p50(corrected)", "p99(corrected)", "p999(corrected)"}
	few      = []string{"mean(request)", "p50(request)", "p99(request)"}
	outcomes = []string{"goodput", "answered", "errors"}
)

// ofRequests lists latencies and outcomes of the requests of a scope. If most requests are not
// answered, outcomes come first, because the latencies then describe only a few requests.
func ofRequests(l *lines, list []result.Estimate, of result.Scope, name string, latencies []string) {
	show := func(metrics []string) {
		for _, metric := range metrics {
			if e := result.Of(list, metric, of); e != nil {
				l.add("  %s%-16s %s", name, metric, estimate(e))
			}
		}
	}
	answered := result.Of(list, "answered", of)
	if answered == nil || answered.Value == nil || *answered.Value >= most {
		show(latencies)
		dashboard(l, list, of, name)
		show(outcomes)
		return
	}
	show([]string{"errors", "answered", "goodput"})
	l.addIf(*answered.Value > 0, "  %sof the %s of requests that are answered:", name, share(*answered.Value))
	show(latencies)
}

// dashboard reports the p50 and p99 that a dashboard would compute from TensorFlow Serving's
// histogram buckets.
func dashboard(l *lines, list []result.Estimate, of result.Scope, name string) {
	p50, p99 := result.Of(list, "dashboard_p50(request)", of), result.Of(list, "dashboard_p99(request)", of)
	if name == "" && p50 != nil && p99 != nil && p50.Value != nil && p99.Value != nil {
		l.add("  a dashboard on TensorFlow Serving's buckets shows p50 %s, p99 %s", duration(*p50.Value), duration(*p99.Value))
	}
	for _, e := range list {
		if name == "" && e.Scope == of && strings.HasPrefix(e.Metric, "dashboard_above(") && e.Value != nil {
			l.add("  %s %s", e.Metric, estimate(&e))
		}
	}
}

// most is the share of failed or unanswered requests above which reports show failures before
// latencies.
const most = 0.5

// begun formats the length of the warm-up that replications simulated before a window. It gives a
// range if the replications differ.
func begun(w *result.Window) string {
	low, high := duration(w.Least), duration(w.Warmup)
	if low == high {
		return high
	}
	return low + " to " + high
}

// models lists the latencies of each model of a mix in a window.
func models(l *lines, r *result.Result, window string) {
	var names []string
	for _, e := range r.Estimates {
		if of := e.Scope; of.Model != "" && of.Window == window && of.Condition == "" && !slices.Contains(names, of.Model) {
			names = append(names, of.Model)
			ofRequests(l, r.Estimates, result.Scope{Window: window, Model: of.Model}, of.Model+": ", few)
		}
	}
}

func verdicts(l *lines, r *result.Result) {
	for _, v := range r.Verdicts {
		l.add("%s: %s at %s confidence", v.Objective(), v.Outcome, percent(v.Confidence))
		l.extendIf(v.NEff > 0, ", %s of %s requests do not meet it (n_eff %s)", thousands(v.X), thousands(v.N), thousands(v.NEff))
		l.extendIf(v.NEff > 0 && v.Open > 0, ", and %s are open", thousands(v.Open))
		l.extendIf(v.NEff <= 0 && v.N > 0, ", by the interval over n = %s", thousands(v.N))
		l.extend("%s", placed(v.Scope))
		l.extendIf(v.Text != "", ": %s", v.Text)
	}
}

// placed formats the window and the condition of a scope in parentheses. It returns "" if
// the scope has neither.
func placed(s result.Scope) string {
	words := joined(", ", either(s.Window != "", "window "+s.Window, ""), either(s.Condition != "", "under "+s.Condition, ""))
	return either(words != "", " ("+words+")", "")
}

// breakdown reports how the latency divides into parts, for all requests and for the slowest
// hundredth. The parts that belong to the PS tier are those of the slowest shard, for which the
// request waited.
func breakdown(l *lines, r *result.Result) {
	var all, tail []string
	mean := 0.0
	for _, p := range r.Breakdown {
		mean += p.Mean
		if p.Share >= 0.0005 {
			all = append(all, p.Name+" "+share(p.Share))
		}
		if p.Tail >= 0.0005 {
			tail = append(tail, p.Name+" "+share(p.Tail))
		}
	}
	if len(all) > 0 {
		l.add("of %s in the mean%s (ps: the shard that answers last): %s", duration(mean), ofWindow(r, r.BreakdownOf), strings.Join(all, ", "))
		l.addIf(len(tail) > 0, "of the slowest hundredth: %s", strings.Join(tail, ", "))
	}
}

// causes lists the causes of failed requests with their shares and counts. It adds no line
// if none failed.
func causes(l *lines, r *result.Result) {
	parts := lists.Select(r.Errors, func(c result.Cause) (string, bool) {
		return fmt.Sprintf("%s %s (%s)", c.Name, share(c.Fraction), thousands(c.Count)), c.Count > 0
	})
	l.addIf(len(parts) > 0, "%s%s", strings.Join(parts, ", "), ofWindow(r, r.ErrorsOf))
}

// ofWindow returns the name of a window as the end of a line. It returns "" if the result
// has only one window.
func ofWindow(r *result.Result, name string) string {
	return either(len(r.Windows) > 1 && name != "", ", window "+name, "")
}

// utilisation reports how busy the containers of each tier were, in the window with the
// highest mean.
func utilisation(l *lines, r *result.Result) {
	highest := func(metric string) (most *result.Estimate) {
		for i := range r.Estimates {
			e := &r.Estimates[i]
			if e.Metric == metric && e.Scope.Condition == "" && e.Value != nil && (most == nil || *e.Value > *most.Value) {
				most = e
			}
		}
		return most
	}
	for _, t := range r.Tiers {
		mean, fullest := highest("util("+t.Name+")"), highest("util_max("+t.Name+")")
		if mean != nil && fullest != nil {
			l.add("%s %s, its fullest container %s", t.Name, estimate(mean), share(*fullest.Value))
		}
	}
}

// binding names the part that adds most to the latency of the slowest requests, and the tier
// with the highest utilization.
func binding(l *lines, r *result.Result) {
	if len(r.Breakdown) > 0 {
		most := slices.MaxFunc(r.Breakdown, func(a, b result.Part) int { return cmp.Compare(a.Tail, b.Tail) })
		l.addIf(most.Tail > 0, "%s weighs most among the slowest, %.0f %%", most.Name, most.Tail*100)
	}
	for _, c := range r.Errors {
		l.addIf(c.Name == "no_replica" && c.Fraction >= 0.001, "%s of requests find no replica of a shard, or none that their caller lists, where most fail", share(c.Fraction))
	}
	s := r.Saturation
	if s.State == "" {
		return
	}
	l.add("%s: %s is the fullest tier at %s", s.State, cmp.Or(s.Tier, "no tier"), share(s.Utilisation))
	l.extendIf(s.Held, " of its threads, which requests hold while others work for them")
	l.extendIf(s.Closed && !s.Held, " in the mean of the window; how much it has to do is up to clients that wait")
	l.extendIf(s.Under != "", " under %s", s.Under)
	if s.Since != nil {
		l.extend(" from %s on", duration(float64(*s.Since)))
		l.extendIf(s.Event != "", " (%s)", s.Event)
	}
	for _, t := range r.Tiers {
		l.extendIf(t.Name == s.Tier && t.Busy > 0 && !s.Held, " of its threads, that is %s of %s cores", short(t.Busy), short(t.CPU))
	}
	l.extendIf(s.WithRetries > s.Utilisation, ", %s with retries", share(s.WithRetries))
	l.extendIf(s.Utilisation > 0 && s.Utilisation < 1 && s.State == "STABLE" && !s.Closed, "; it is full at %+.0f %% traffic", (1/s.Utilisation-1)*100)
	l.extendIf(s.Under != "" || s.Since != nil, "; all of it as the plan begins: %s", share(s.Whole))
	if z := r.ZooKeeper; z != nil {
		most := limitOf(z, z.Now.Version, result.DrainLimit)
		l.addIf(most > 0 && z.Now.DrainNs > most, "ZooKeeper is behind before any tier is: it works %s on the busiest burst, at most %s is a third of the session timeout", duration(z.Now.DrainNs), duration(most))
	}
	l.addIf(s.LastedNs > 0, "most requests went on to fail for %s after the cause had gone (%s)%s", duration(s.LastedNs), s.Window,
		either(s.Recovered, ": then it was over", ", to the end of what was simulated: retries keep the queues full"))
}

func closedForm(l *lines, r *result.Result) {
	for _, f := range r.Theory {
		l.add("%s%s %s (%s)", either(f.Bound, "bound: ", ""), f.Name, number(f.Unit, f.Theory), f.Section)
		if f.Sim != nil {
			l.extend(", simulated %s", number(f.Unit, *f.Sim))
		}
		if f.Sim != nil && f.Residual != nil {
			l.extend(" (%+.1f %%)", *f.Residual*100)
		}
	}
}

func cost(l *lines, r *result.Result) {
	all, containers, cores, gib := 0.0, 0, 0.0, 0.0
	for _, t := range r.Tiers {
		all += t.Cost
		containers += t.Containers
		cores += t.CPU * float64(t.Containers)
		gib += float64(t.MemLimit) / (1 << 30) * float64(t.Containers)
	}
	if containers == 0 {
		return
	}
	l.add("%s: %d containers, %s cores, %s GiB", hourly(r, all), containers, thousands(cores), thousands(gib))
	if r.Load != nil && all > 0 {
		l.extend("; "+perRequest, short(all/r.Load.Peak), currency(r))
	}
	if s := r.Scaled; s != nil {
		l.add("as it is scaled %.4g containers in the mean of %s, %d at most", s.Containers, either(s.Until > 0, "the "+duration(s.Until)+" that were simulated", "the horizon"), s.MostContainers)
		l.extendIf(all > 0, ": %s [%s, %s] @%s, %s at most", hourly(r, s.Cost), short(s.CI[0]), short(s.CI[1]), percent(s.Confidence), short(s.Most))
	}
}

func memory(l *lines, r *result.Result) {
	for _, t := range r.Tiers {
		l.add("%s peak %s of %s during a rollover, %s else: headroom %.0f %%",
			t.Name, bytes(t.MemPeak), bytes(t.MemLimit), bytes(t.MemSteady), (1-float64(t.MemPeak)/float64(t.MemLimit))*100)
		l.extendIf(t.MemPeak > t.MemLimit, ", does NOT fit")
		l.extendIf(t.Text != "", "; %s", t.Text)
	}
}

func rollout(l *lines, r *result.Result) {
	for _, o := range r.Rollouts {
		version := strings.TrimSpace(fmt.Sprintf("%s v%d", o.Model, o.Version))
		switch {
		case o.None != "":
			l.add("%s, %s: %s", version, o.Path, o.None)
		case o.ToAll == nil:
			l.add("%s, %s: not everywhere before the end", version, o.Path)
		default:
			l.add("%s everywhere in %s", version, duration(*o.ToAll))
			if o.CI != nil {
				l.extend(" %s", interval("ns", *o.CI))
			}
			l.extend(" by %s; closed form %s; at least %d of %d replicas serve", o.Path, duration(o.Closed), o.MinServing, o.Replicas)
		}
	}
	if e := r.Find("time_to_available(publish)", ""); len(r.Rollouts) == 0 && e != nil {
		l.add("everywhere in %s", estimate(e))
		if least := r.Find("min_serving(publish)", ""); least != nil {
			l.add("replicas of a shard that serve, at least: %s", estimate(least))
		}
	}
	for _, m := range measuredAgents(r) {
		if n := len(m.Rollout); n > 0 {
			l.add("real agents of version %d: a version that is exported is served by the first of %d containers after %s, by the last after %s",
				m.Load.Version, n, duration(m.Rollout[0]), duration(m.Rollout[n-1]))
		}
	}
}

// measuredAgents returns the measured runs of real agent code that a result holds. It returns nil
// if there are none.
func measuredAgents(r *result.Result) []result.ZKMeasured {
	if r.ZooKeeper == nil {
		return nil
	}
	return r.ZooKeeper.Measured
}

func failures(l *lines, r *result.Result) {
	for _, i := range r.Incidents {
		waits := fmt.Sprintf("%s of requests wait for a timeout, %s for two, %s fail", share(i.Slow1), share(i.Slow2), share(i.Failed))
		switch {
		case i.RequestsCount == 0:
			l.add("%s: not enough data (n = 0)", i.Event)
		case i.Failed >= 1:
			l.add("%s: %s: none is answered, there is no p99", i.Event, waits)
		case i.P99 == nil:
			l.add("%s: %s; not enough data for p99", i.Event, waits)
		default:
			l.add("%s: %s; p99 %s%s %s", i.Event, waits, either(i.Failed > hundredth, "of the rest ", ""), duration(*i.P99), interval("ns", *i.CI))
		}
		l.extendIf(i.DetectNs > 0, "; noticed after %s", duration(i.DetectNs))
		l.extendIf(i.Closed1 > 0, ", by formula %s, %s and %s until then (CAP-7.4)", share(i.Closed1), share(i.Closed2), share(i.ClosedFailed))
		if i.LostSessions != 0 {
			l.extend("; the sessions of %s containers expire", short(i.LostSessions))
			l.extendIf(i.ListedNs > 0, ", the last is listed again after %s", duration(i.ListedNs))
			l.extendIf(i.Unlisted > 0, ", %s are listed by nobody until the model is published anew", short(i.Unlisted))
		}
		switch e := r.Find("recovery("+i.Event+")", ""); {
		case i.RecoveredNs == nil && e != nil && e.Text != "":
			l.extend("; recovered: %s", e.Text)
		case i.RecoveredNs == nil:
		case *i.RecoveredNs == 0:
			l.extend("; latency and errors stay as they were")
		default:
			l.extend("; recovered after %s", duration(*i.RecoveredNs))
		}
		toll(l, r, i.Event)
	}
	for _, m := range measuredAgents(r) {
		before := m.Reads
		for _, i := range m.Incidents {
			incident(l, &m, &i, before)
			before = i.After
		}
	}
}

// toll reports how many requests an event cost, and for how long an objective was missed.
func toll(l *lines, r *result.Result, event string) {
	lost, above := r.Find("lost("+event+")", ""), r.Find("above("+event+")", "")
	if lost != nil && lost.Value != nil && *lost.Value > 0 {
		l.add("  lost requests: %s", estimate(lost))
	}
	if above != nil && above.Value != nil && *above.Value > 0 {
		l.add("  above an objective, second by second: %s", estimate(above))
	}
}

// incident adds a line on a failure that real agents went through. The parameter before is the
// number of requests a second that the agents sent until the failure.
func incident(l *lines, m *result.ZKMeasured, i *result.ZKIncident, before float64) {
	after := func(ns *int64, seen, never string) string {
		if ns == nil {
			return never
		}
		return seen + duration(*ns)
	}
	l.add("agents v%d, %s (%s): %s", m.Load.Version, i.Name, i.Text, after(i.Noticed, "shows after ", "ZooKeeper shows nothing of it"))
	l.extend("%s", after(i.Recovered, ", over after ", fmt.Sprintf(", NOT over after an hour: %s of what is registered is left", share(i.MinListed))))
	l.extend("; at least %d of %d serve, %s of registrations; at most %s requests a second", i.MinServing, m.Load.Containers, share(i.MinListed), thousands(i.Peak))
	l.extendIf(i.After > 1.5*before && i.After >= 1, ", from then on %s, %s before", thousands(i.After), thousands(before))
}

func zookeeper(l *lines, r *result.Result) {
	z := r.ZooKeeper
	if z == nil {
		return
	}
	now := z.Now
	l.add("%d agents of version %d hold %s watches (%s), read %s", now.Agents, now.Version, thousands(now.Watches), bytes(now.WatchBytes), rate(now.Reads))
	l.extendIf(now.Writes > 0, " and write %s", rate(now.Writes))
	l.extend(", %s of what the ensemble can", share(now.Utilisation))
	peaks(l, z)
	l.add("notifications: %s for a dead PS container, %s for a publish, %s were every replica to reload", thousands(now.PerDeath), thousands(now.PerPublish), thousands(now.PerReload))
	l.addIf(now.Version == 3, "a binding that changes: every agent reads the whole list, %s, which is %s in all", bytes(now.MaxReply), bytes(now.PerChange))
	expiry(l, z)
	for _, c := range z.Curves {
		if first := z.First(c.Version); first != nil {
			l.add("version %d: %s (%s) is reached first, at %s times the fleet", c.Version, first.Name, number(first.Unit, first.Limit), short(first.At))
		} else {
			l.add("version %d: no limit up to 1,000 times the fleet", c.Version)
		}
	}
}

// peaks reports the load of the busiest second on the ZooKeeper ensemble. Loops without
// jitter keep the phases with which agents started, so their requests can come in bursts.
// The text lists only loops with bursts, while the JSON has all loops.
func peaks(l *lines, z *result.ZooKeeper) {
	now := &z.Now
	l.add("in the busiest second %s requests, %s of what the ensemble can in one; it works %s on the busiest burst", thousands(now.PeakSecond), share(now.PeakUtilisation), duration(now.DrainNs))
	most := limitOf(z, now.Version, result.DrainLimit)
	l.extendIf(most > 0 && now.DrainNs > most, ", more than a third of the session timeout, %s", duration(most))
	for i, p := range z.Periodic {
		l.addIf(i == 0, "loops")
		l.extendIf(i == 0, " keep the phases with which agents start: ")
		l.extendIf(i > 0, "; ")
		l.extend("%s, every %s, %s of %s on average and %s in the busiest second", p.Name, duration(p.PeriodNs), rate(p.Mean), p.Of, thousands(p.Peak))
	}
}

// expiry reports how many requests agents send when every session expires, and the load that
// remains afterwards (CAP-3.12).
func expiry(l *lines, z *result.ZooKeeper) {
	now := &z.Now
	l.add("should every session expire: %s", thousands(now.StormLeast))
	l.extendIf(now.StormMost > now.StormLeast, " to %s", thousands(now.StormMost))
	l.extend(" requests at once")
	can := readOps(z)
	l.extendIf(can > 0 && now.StormMost > can, ", which take it %s to %s", duration(now.StormLeast/can*1e9), duration(now.StormMost/can*1e9))
	if now.AfterWrites == now.Writes {
		return
	}
	l.extend(", then %s reads and %s writes for ever (Q109), %s of what the ensemble can", rate(now.AfterReads), rate(now.AfterWrites), share(now.AfterUtilisation))
	for _, c := range z.Curves {
		l.extendIf(c.Version == now.Version && c.AfterExpiry > 0, ", which is full at %s times the fleet", short(c.AfterExpiry))
	}
}

// readOps returns how many reads a second the ensemble can serve. It returns 0 when the
// result does not have this limit.
func readOps(z *result.ZooKeeper) float64 { return limitOf(z, z.Now.Version, result.ReadLimit) }

// limitOf returns the limit with the given name for agents of a version. It returns 0 when
// the result does not have this limit.
func limitOf(z *result.ZooKeeper, version int, name string) float64 {
	for _, c := range z.Curves {
		for _, l := range c.Limits {
			if c.Version == version && l.Name == name {
				return l.Limit
			}
		}
	}
	return 0
}

func sensitivity(l *lines, r *result.Result) {
	rows := slices.Clone(r.Sensitivity)
	width := func(t result.Tornado) float64 { return max(t.High, t.Low, t.Base) - min(t.High, t.Low, t.Base) }
	slices.SortStableFunc(rows, func(a, b result.Tornado) int { return cmp.Compare(width(b), width(a)) })
	if len(rows) > 0 {
		l.add("p99(request) is %s now", number(rows[0].Unit, rows[0].Base))
	}
	for _, t := range rows {
		l.add("%s: -10 %% gives %s %s, +10 %% gives %s %s @%s", t.Input, number(t.Unit, t.Low), interval(t.Unit, t.LowCI),
			number(t.Unit, t.High), interval(t.Unit, t.HighCI), percent(t.Confidence))
		l.extendIf(t.Note != "", ": %s", t.Note)
	}
}

// worlds reports which inputs are uncertain, which of them influence the results, and the
// results over all worlds.
func worlds(l *lines, r *result.Result) {
	w := r.Worlds
	if w == nil {
		return
	}
	l.add("%d worlds; objectives have to hold in %s of them, intervals have the middle %s", w.Count, percent(w.Hold), percent(w.Interval))
	for _, in := range w.Inputs {
		l.add("%s: %s, ", in.Path, in.Mid)
		l.extendIf(in.Belief != "", "times %s", in.Belief)
		l.extendIf(in.Belief == "", "%s to %s @%s", in.Low, in.High, percent(in.Confidence))
		l.extendIf(in.Metric != "", "; correlation of ranks with %s %+.2f", in.Metric, in.Influence)
	}
	if n := len(w.Misfits); n > 0 {
		l.add("containers do not hold their models in %d of them: %s", n, w.Misfits[0])
	}
	for _, e := range w.Estimates {
		l.addIf(slices.Contains([]string{"mean(request)", "p99(request)", "errors", "goodput"}, e.Metric),
			"%s: %s %s over the worlds; %s for want of knowledge, %s for want of simulation", joined(" ", e.Metric, e.Scope.Model, e.Scope.Window),
			number(e.Unit, e.Mean), interval(e.Unit, e.Range), number(e.Unit, e.Epistemic), number(e.Unit, e.Aleatory))
	}
	for _, v := range w.Verdicts {
		name := result.Verdict{SLO: v.SLO, Scope: v.Scope}
		l.add("%s: %s, holds in %d, not in %d", name.Objective(), v.Outcome, v.Pass, v.Fail)
		l.extendIf(v.Undecided > 0, ", undecided in %d", v.Undecided)
		l.extend("%s", placed(v.Scope))
	}
}

// regret compares configurations over the worlds. The configuration with the least regret
// comes first.
func regret(l *lines, r *result.Result) {
	for i, c := range r.Regret {
		l.add("%s = %d containers, %s: holds in %d of %d worlds, regret %s in the mean, %s at most%s", point(c.Point), c.Containers, hourly(r, c.Cost),
			c.Holds, c.Worlds, hourly(r, c.Mean), short(c.Most), either(i == 0, " (the least)", ""))
	}
}

func sweep(l *lines, r *result.Result) {
	for _, s := range r.Sweeps {
		l.add("%s", s.Name)
		for _, c := range s.Cells {
			l.add("  %s: %s", point(c.Point), cmp.Or(c.Outcome, "no objective"))
			l.extendIf(c.Reason != "", ", %s", c.Reason)
			l.extend("%s", p99Of(c.Estimates))
		}
		l.addIf(s.Knee > 0 && r.Answer == nil, "  p99 is twice that of the lowest rate at %s", rate(s.Knee))
		if slices.ContainsFunc(s.Cells, func(c result.Cell) bool { return len(c.Verdicts) > 0 || c.Outcome == result.Excluded }) {
			ofCells(l, s.Cells)
		}
	}
}

// ofCells says how many cells meet all objectives, and how many do not.
func ofCells(l *lines, cells []result.Cell) {
	count := map[string]int{}
	for _, c := range cells {
		count[c.Outcome]++
	}
	l.add("  %d of %d cells meet every objective", count[result.Pass], len(cells))
	for _, o := range []struct{ outcome, text string }{{result.Fail, "miss one"}, {result.Excluded, "are excluded"}, {result.Undecided, "are undecided"}} {
		l.extendIf(count[o.outcome] > 0, ", %d %s", count[o.outcome], o.text)
	}
}

func warnings(l *lines, r *result.Result) {
	for _, p := range slices.Concat(r.Problems, r.Warnings) {
		l.add("%s", p.Unmarked()) // printed without the word warning, which is in the name of the block
	}
}
