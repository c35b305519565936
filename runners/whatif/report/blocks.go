package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/result"
)

func answer(r *result.Result) []string {
	a := r.Answer
	if a == nil {
		if r.Command != "solve" {
			return nil
		}
		return append(append([]string{"none: " + r.Stopped}, noneHolds(r.Certificate)...), placements(r.Certificate)...)
	}
	var lines []string
	if a.Rate > 0 {
		lines = append(lines, atMost(a))
	}
	line := fmt.Sprintf("%s = %d containers, %s%s/h", point(a.Point), a.Containers, short(a.Cost), currency(r))
	if a.AsWritten > 0 {
		line += fmt.Sprintf(" (%+.0f %% against the plan as written, %s%s/h)", (a.Cost/a.AsWritten-1)*100, short(a.AsWritten), currency(r))
	}
	lines = append(lines, line)
	if a.CostPerQPS > 0 {
		lines = append(lines, fmt.Sprintf("%s%s an hour for each request a second at the peak", short(a.CostPerQPS), currency(r)))
	}
	if w := a.Worlds; w != nil {
		lines = append(lines, fmt.Sprintf("holds in %d of %d worlds that were simulated of %d, not in %d: what is not known for sure is drawn in each", w.Pass, w.Pass+w.Fail+w.Undecided, w.Count, w.Fail))
	}
	if !a.Proven {
		lines = append(lines, bestOf(a)+" proven: the certificate is not complete")
	}
	if c := r.Certificate; c != nil {
		lines = append(lines, fmt.Sprintf("certificate %s at %s: %d cells, %d simulated, %s; %s requests against %s of the whole grid",
			c.Label, percent(c.Confidence), c.Cells, c.Simulated, excluded(c), thousands(float64(c.Requests)), thousands(float64(c.GridCost))))
		if c.VarianceReduction > 0 {
			lines = append(lines, fmt.Sprintf("the same random numbers narrowed differences to the neighbours: variance 1/%.3g", c.VarianceReduction))
		}
		if len(c.Conditions) > 0 {
			lines = append(lines, "held under "+strings.Join(c.Conditions, ", "))
		}
	}
	lines = append(lines, placements(r.Certificate)...)
	return append(lines, "stopped: "+r.Stopped)
}

// noneHolds says what keeps every configuration from holding (CAP-6.7).
func noneHolds(c *result.Certificate) []string {
	if c == nil || c.Binding == nil {
		return nil
	}
	b := c.Binding
	line := fmt.Sprintf("what binds is %s", b.Constraint)
	if len(b.Point) > 0 {
		line += " at " + point(b.Point)
	}
	return []string{line, "  " + b.Argument + ": " + b.Reason}
}

// placements say how many ways there are to take away what conditions do, and which were
// judged (CAP-6.5).
func placements(c *result.Certificate) []string {
	if c == nil {
		return nil
	}
	var lines []string
	for _, p := range c.Placements {
		many := ""
		if p.More {
			many = "more than "
		}
		line := fmt.Sprintf("%s: %s%d %s of %s", p.Condition, many, p.Classes, plural(p.Classes, "class", "classes"), thousands(p.Placements))
		line += " " + plural(int(min(p.Placements, 2)), "placement", "placements")
		switch {
		case p.Classes > len(p.Judged) || p.More:
			line += fmt.Sprintf(", judged by %d of which none leaves a fuller shard", len(p.Judged))
		default:
			line += ", each judged"
		}
		lines = append(lines, line)
		for _, one := range p.Judged {
			lines = append(lines, fmt.Sprintf("  %s stands for %s", strings.TrimPrefix(one.Text, p.Condition+" "), thousands(one.Placements)))
		}
	}
	return lines
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// bestOf says what an answer is the best of.
func bestOf(a *result.Answer) string {
	if a.Rate > 0 {
		return "greatest"
	}
	return "cheapest"
}

// atMost returns the greatest rate, and where latency bends.
func atMost(a *result.Answer) string {
	line := fmt.Sprintf("at most %s at the peak", number("per_second", a.Rate))
	if a.Knee > 0 {
		line += fmt.Sprintf("; p99 is twice that of a low rate at %s", number("per_second", a.Knee))
	}
	return line
}

func currency(r *result.Result) string { return " " + cmp.Or(r.Currency, "$") }

func excluded(c *result.Certificate) string {
	var parts []string
	for _, name := range sortedKeys(c.Excluded) {
		parts = append(parts, fmt.Sprintf("%d by %s", c.Excluded[name], name))
	}
	if len(parts) == 0 {
		return "none excluded"
	}
	return strings.Join(parts, ", ")
}

func whyNotLess(r *result.Result) []string {
	var lines []string
	for _, n := range r.Neighbours {
		line := fmt.Sprintf("%s: %s", point(n.Point), n.Outcome)
		for _, why := range []string{n.Reason, n.Argument} {
			if why != "" {
				line += ", " + why
				break
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// alternatives returns other configurations that hold, with what each costs more.
func alternatives(r *result.Result) []string {
	var lines []string
	for i := range r.Alternative {
		c := &r.Alternative[i]
		line := fmt.Sprintf("%s = %d containers, %s%s/h", point(c.Point), c.Containers, short(c.Cost), currency(r))
		for j := range c.Estimates {
			if e := &c.Estimates[j]; e.Metric == "p99(request)" && e.Scope.Model == "" {
				line += ", p99 " + estimate(e)
				break
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func latency(r *result.Result) []string {
	if r.Marked && len(r.Windows) > 0 && !slices.ContainsFunc(r.Windows, func(w result.Window) bool { return w.Requests > 0 }) {
		return []string{fmt.Sprintf("not enough data: budget.wall ended before one replication of all windows (%d) was whole", len(r.Windows))}
	}
	var lines []string
	for _, w := range r.Windows {
		lines = append(lines, fmt.Sprintf("%s, %s offered, n = %s, %s", w.Name, number("per_second", w.Rate), thousands(float64(w.Requests)), warmUp(w)))
		if w.Requests == 0 {
			lines = append(lines, "  not enough data (n = 0): nothing came")
		}
		for _, metric := range []string{"mean(request)", "p50(request)", "p90(request)", "p99(request)", "p999(request)", "p9999(request)",
			"mean(corrected)", "p50(corrected)", "p99(corrected)", "p999(corrected)", "goodput", "errors"} {
			if e := r.Find(metric, w.Name); e != nil {
				lines = append(lines, fmt.Sprintf("  %-16s %s", metric, estimate(e)))
			}
		}
		lines = append(lines, models(r, w.Name)...)
	}
	return lines
}

// models returns the latencies of each model of a mix in a window.
func models(r *result.Result, window string) []string {
	var lines []string
	for i := range r.Estimates {
		e := &r.Estimates[i]
		if e.Scope.Model == "" || e.Scope.Condition != "" || e.Scope.Window != window {
			continue
		}
		switch e.Metric {
		case "mean(request)", "p50(request)", "p99(request)", "goodput", "errors":
			lines = append(lines, fmt.Sprintf("  %s: %-16s %s", e.Scope.Model, e.Metric, estimate(e)))
		}
	}
	return lines
}

// warmUp says what was simulated before a window and left out, and whether the window is
// stationary.
func warmUp(w result.Window) string {
	text := "after " + duration(float64(w.Warmup)) + " of warm-up"
	switch {
	case !w.Stationary:
		text += ", not stationary"
	case w.Cut > 0:
		text += " and " + duration(float64(w.Cut)) + " more that MSER-5 cuts"
	}
	return text
}

func verdicts(r *result.Result) []string {
	var lines []string
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		line := fmt.Sprintf("%s: %s at %s confidence", v.Objective(), v.Outcome, percent(v.Confidence))
		switch {
		case v.NEff > 0:
			line += fmt.Sprintf(", %s of %s requests do not meet it (n_eff %s)", thousands(float64(v.X)), thousands(float64(v.N)), thousands(v.NEff))
		case v.N > 0:
			line += fmt.Sprintf(", by the interval over n = %s", thousands(float64(v.N)))
		}
		line += placed(v.Scope)
		if v.Text != "" {
			line += ": " + v.Text
		}
		lines = append(lines, line)
	}
	return lines
}

// placed says in which window, and under which condition, in parentheses.
func placed(s result.Scope) string {
	parts := []string{}
	if s.Window != "" {
		parts = append(parts, "window "+s.Window)
	}
	if s.Condition != "" {
		parts = append(parts, "under "+s.Condition)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// breakdown returns where the time goes, of all requests and of the slowest hundredth; ps parts are
// those of the slowest shard, on which the request waited.
func breakdown(r *result.Result) []string {
	var all, tail []string
	mean := 0.0
	for _, p := range r.Breakdown {
		mean += p.Mean
		if p.Share >= 0.0005 {
			all = append(all, p.Name+" "+number("fraction", p.Share))
		}
		if p.Tail >= 0.0005 {
			tail = append(tail, p.Name+" "+number("fraction", p.Tail))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"of " + duration(mean) + " in the mean" + ofWindow(r, r.BreakdownOf) + " (ps: the shard that answers last): " + strings.Join(all, ", "), "of the slowest hundredth: " + strings.Join(tail, ", ")}
}

// causes returns why requests failed, where any did.
func causes(r *result.Result) []string {
	var parts []string
	for _, c := range r.Errors {
		if c.Count > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", c.Name, number("fraction", c.Fraction), thousands(float64(c.Count))))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, ", ") + ofWindow(r, r.ErrorsOf)}
}

// ofWindow names the window that something is of, where there are several.
func ofWindow(r *result.Result, name string) string {
	if len(r.Windows) < 2 || name == "" {
		return ""
	}
	return ", window " + name
}

// utilisation returns how busy the containers of each tier were, in the window where the mean is
// greatest.
func utilisation(r *result.Result) []string {
	var parts []string
	for _, t := range r.Tiers {
		var most, fullest *result.Estimate
		for i := range r.Estimates {
			e := &r.Estimates[i]
			if e.Scope.Condition != "" || e.Value == nil {
				continue
			}
			if e.Metric == "util("+t.Name+")" && (most == nil || *e.Value > *most.Value) {
				most = e
			}
			if e.Metric == "util_max("+t.Name+")" && (fullest == nil || *e.Value > *fullest.Value) {
				fullest = e
			}
		}
		if most != nil && fullest != nil {
			parts = append(parts, fmt.Sprintf("%s %s, its fullest container %s", t.Name, estimate(most), number("fraction", *fullest.Value)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return parts
}

// binding names the part of the latency that weighs most among the slowest, and the fullest
// tier.
func binding(r *result.Result) []string {
	var lines []string
	if len(r.Breakdown) > 0 {
		most := slices.MaxFunc(r.Breakdown, func(a, b result.Part) int { return cmp.Compare(a.Tail, b.Tail) })
		if most.Tail > 0 {
			lines = append(lines, fmt.Sprintf("%s weighs most among the slowest, %.0f %%", most.Name, most.Tail*100))
		}
	}
	for _, c := range r.Errors {
		if c.Name == "no_replica" && c.Fraction >= 0.001 {
			lines = append(lines, fmt.Sprintf("%s of requests find no replica of a shard, or none that their caller lists, where most fail", number("fraction", c.Fraction)))
		}
	}
	if s := r.Saturation; s.State != "" {
		line := fmt.Sprintf("%s: %s is the fullest tier at %s", s.State, cmp.Or(s.Tier, "no tier"), number("fraction", s.Utilisation))
		if s.WithRetries > s.Utilisation {
			line += fmt.Sprintf(", %s with retries", number("fraction", s.WithRetries))
		}
		if s.Utilisation > 0 && s.Utilisation < 1 {
			line += fmt.Sprintf("; it is full at %+.0f %% traffic", (1/s.Utilisation-1)*100)
		}
		lines = append(lines, line)
		if s.LastedNs > 0 {
			lines = append(lines, metastable(&s))
		}
	}
	return lines
}

// metastable says how long it lasted, and whether it ended by itself.
func metastable(s *result.Saturation) string {
	line := fmt.Sprintf("most requests went on to fail for %s after the cause had gone (%s)", duration(float64(s.LastedNs)), s.Window)
	if s.Recovered {
		return line + ": then it was over"
	}
	return line + ", to the end of what was simulated: retries keep the queues full"
}

func closedForm(r *result.Result) []string {
	var lines []string
	for _, f := range r.Theory {
		line := fmt.Sprintf("%s %s (%s)", f.Name, number(f.Unit, f.Theory), f.Section)
		if f.Bound {
			line = "bound: " + line
		}
		if f.Sim != nil {
			line += fmt.Sprintf(", simulated %s", number(f.Unit, *f.Sim))
			if f.Residual != nil {
				line += fmt.Sprintf(" (%+.1f %%)", *f.Residual*100)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func cost(r *result.Result) []string {
	all, containers, cores, gib := 0.0, 0, 0.0, 0.0
	for _, t := range r.Tiers {
		all += t.Cost
		containers += t.Containers
		cores += t.CPU * float64(t.Containers)
		gib += float64(t.MemLimit) / (1 << 30) * float64(t.Containers)
	}
	if containers == 0 {
		return nil
	}
	line := fmt.Sprintf("%s%s/h: %d containers, %s cores, %s GiB", short(all), currency(r), containers, thousands(cores), thousands(gib))
	if r.Load != nil && all > 0 {
		line += fmt.Sprintf("; %s%s an hour for each request a second at the peak", short(all/r.Load.Peak), currency(r))
	}
	lines := []string{line}
	if s := r.Scaled; s != nil {
		what := fmt.Sprintf("%.4g containers in the mean of the horizon, %d at most", s.Containers, s.MostContainers)
		if all > 0 {
			what += fmt.Sprintf(": %s%s/h [%s, %s] @%s, %s at most", short(s.Cost), currency(r), short(s.CI[0]), short(s.CI[1]), percent(s.Confidence), short(s.Most))
		}
		lines = append(lines, "as it is scaled "+what)
	}
	return lines
}

func memory(r *result.Result) []string {
	var lines []string
	for _, t := range r.Tiers {
		line := fmt.Sprintf("%s peak %s of %s during a rollover, %s else: headroom %.0f %%",
			t.Name, bytes(float64(t.MemPeak)), bytes(float64(t.MemLimit)), bytes(float64(t.MemSteady)), (1-float64(t.MemPeak)/float64(t.MemLimit))*100)
		if t.MemPeak > t.MemLimit {
			line += ", does NOT fit"
		}
		if t.Text != "" {
			line += "; " + t.Text
		}
		lines = append(lines, line)
	}
	return lines
}

// versionOf returns the version that was published, with the model of the mix that it is of.
func versionOf(o *result.Rollout) string {
	if o.Model == "" {
		return fmt.Sprintf("v%d", o.Version)
	}
	return fmt.Sprintf("%s v%d", o.Model, o.Version)
}

func rollout(r *result.Result) []string {
	var lines []string
	for _, o := range r.Rollouts {
		switch {
		case o.None != "":
			lines = append(lines, fmt.Sprintf("%s, %s: %s", versionOf(&o), o.Path, o.None))
			continue
		case o.ToAll == nil:
			lines = append(lines, fmt.Sprintf("%s, %s: not everywhere before the end", versionOf(&o), o.Path))
			continue
		}
		line := fmt.Sprintf("%s everywhere in %s", versionOf(&o), duration(*o.ToAll))
		if o.CI != nil {
			line += fmt.Sprintf(" [%s, %s]", duration(o.CI[0]), duration(o.CI[1]))
		}
		line += fmt.Sprintf(" by %s; closed form %s; at least %d of %d replicas serve", o.Path, duration(o.Closed), o.MinServing, o.Replicas)
		lines = append(lines, line)
	}
	if e := r.Find("time_to_available(publish)", ""); len(r.Rollouts) == 0 && e != nil {
		lines = append(lines, "everywhere in "+estimate(e))
		if least := r.Find("min_serving(publish)", ""); least != nil {
			lines = append(lines, "replicas of a shard that serve, at least: "+estimate(least))
		}
	}
	if r.ZooKeeper != nil {
		for _, m := range r.ZooKeeper.Measured {
			if n := len(m.Rollout); n > 0 {
				lines = append(lines, fmt.Sprintf("real agents of version %d: a version that is exported is served by the first of %d containers after %s, by the last after %s",
					m.Load.Version, n, duration(float64(m.Rollout[0])), duration(float64(m.Rollout[n-1]))))
			}
		}
	}
	return lines
}

func failures(r *result.Result) []string {
	var lines []string
	for _, i := range r.Incidents {
		line := fmt.Sprintf("%s: %s of requests wait for a timeout, %s for two, %s fail", i.Event,
			number("fraction", i.Slow1), number("fraction", i.Slow2), number("fraction", i.Failed))
		switch {
		case i.RequestsCount == 0:
			line = i.Event + ": not enough data (n = 0)"
		case i.Failed < 1 && i.P99 != nil:
			line += fmt.Sprintf("; p99 %s [%s, %s]", duration(*i.P99), duration(i.CI[0]), duration(i.CI[1]))
		case i.Failed < 1:
			line += "; not enough data for p99"
		default:
			line += ": none is answered, there is no p99"
		}
		if i.DetectNs > 0 {
			line += fmt.Sprintf("; noticed after %s", duration(float64(i.DetectNs)))
		}
		if i.Closed1 > 0 {
			line += fmt.Sprintf(", by formula %s, %s and %s until then (CAP-7.4)", number("fraction", i.Closed1), number("fraction", i.Closed2), number("fraction", i.ClosedFailed))
		}
		line += lost(&i)
		switch {
		case i.RecoveredNs == nil:
			if e := r.Find("recovery("+i.Event+")", ""); e != nil && e.Text != "" {
				line += "; recovered: " + e.Text
			}
		case *i.RecoveredNs == 0:
			line += "; latency and errors stay as they were"
		default:
			line += fmt.Sprintf("; recovered after %s", duration(float64(*i.RecoveredNs)))
		}
		lines = append(lines, line)
	}
	if r.ZooKeeper == nil {
		return lines
	}
	for _, m := range r.ZooKeeper.Measured {
		before := m.Reads
		for _, i := range m.Incidents {
			lines = append(lines, incident(&m, &i, before))
			before = i.After
		}
	}
	return lines
}

// lost says what became of sessions that an event took from containers that live.
func lost(i *result.Incident) string {
	if i.LostSessions == 0 {
		return ""
	}
	line := fmt.Sprintf("; the sessions of %s containers expire", short(i.LostSessions))
	if i.ListedNs > 0 {
		line += fmt.Sprintf(", the last is listed again after %s", duration(float64(i.ListedNs)))
	}
	if i.Unlisted > 0 {
		line += fmt.Sprintf(", %s are listed by nobody until the model is published anew", short(i.Unlisted))
	}
	return line
}

// incident returns a line on what real agents went through, who asked for so much a second before.
func incident(m *result.ZKMeasured, i *result.ZKIncident, before float64) string {
	line := fmt.Sprintf("agents v%d, %s (%s): ", m.Load.Version, i.Name, i.Text)
	switch {
	case i.Noticed == nil:
		line += "ZooKeeper shows nothing of it"
	default:
		line += "shows after " + duration(float64(*i.Noticed))
	}
	if i.Recovered == nil {
		line += fmt.Sprintf(", NOT over after an hour: %s of what is registered is left", number("fraction", i.MinListed))
	} else {
		line += ", over after " + duration(float64(*i.Recovered))
	}
	line += fmt.Sprintf("; at least %d of %d serve, %s of registrations; at most %s requests a second", i.MinServing, m.Load.Containers,
		number("fraction", i.MinListed), thousands(float64(i.Peak)))
	if i.After > 1.5*before && i.After >= 1 {
		line += fmt.Sprintf(", from then on %s, %s before", thousands(i.After), thousands(before))
	}
	return line
}

func zookeeper(r *result.Result) []string {
	z := r.ZooKeeper
	if z == nil {
		return nil
	}
	now := z.Now
	lines := []string{
		fmt.Sprintf("%d agents of version %d hold %s watches (%s), read %s, %s of what the ensemble can", now.Agents, now.Version,
			thousands(now.Watches), bytes(now.WatchBytes), number("per_second", now.Reads), number("fraction", now.Utilisation)),
		fmt.Sprintf("notifications: %s for a dead PS container, %s for a publish, %s were every replica to reload", thousands(now.PerDeath), thousands(now.PerPublish), thousands(now.PerReload)),
	}
	if now.Version == 3 {
		lines = append(lines, fmt.Sprintf("a binding that changes: every agent reads the whole list, %s, which is %s in all", bytes(now.MaxReply), bytes(now.PerChange)))
	}
	lines = append(lines, expiry(z))
	for _, c := range z.Curves {
		line := fmt.Sprintf("version %d: no limit up to 1,000 times the fleet", c.Version)
		if first := z.First(c.Version); first != nil {
			line = fmt.Sprintf("version %d: %s (%s) is reached first, at %s times the fleet", c.Version, first.Name, number(first.Unit, first.Limit), short(first.At))
		}
		lines = append(lines, line)
	}
	return lines
}

// expiry says what comes when every session expires, and what stays (CAP-3.12).
func expiry(z *result.ZooKeeper) string {
	now := &z.Now
	many := thousands(now.StormLeast)
	if now.StormMost > now.StormLeast {
		many += " to " + thousands(now.StormMost)
	}
	line := fmt.Sprintf("should every session expire: %s requests at once", many)
	if can := readOps(z); can > 0 && now.StormMost > can {
		line += fmt.Sprintf(", which take it %s to %s", duration(now.StormLeast/can*1e9), duration(now.StormMost/can*1e9))
	}
	if now.AfterWrites == 0 {
		return line
	}
	line += fmt.Sprintf(", then %s reads and %s writes for ever (Q109), %s of what the ensemble can", number("per_second", now.AfterReads), number("per_second", now.AfterWrites), number("fraction", now.AfterUtilisation))
	for _, c := range z.Curves {
		if c.Version == now.Version && c.AfterExpiry > 0 {
			line += fmt.Sprintf(", which is full at %s times the fleet", short(c.AfterExpiry))
		}
	}
	return line
}

// readOps returns how many reads a second the ensemble can do.
func readOps(z *result.ZooKeeper) float64 {
	for _, c := range z.Curves {
		for _, l := range c.Limits {
			if l.Name == "reads a second" {
				return l.Limit
			}
		}
	}
	return 0
}

func sensitivity(r *result.Result) []string {
	rows := slices.Clone(r.Sensitivity)
	width := func(t result.Tornado) float64 { return max(t.High, t.Low, t.Base) - min(t.High, t.Low, t.Base) }
	slices.SortStableFunc(rows, func(a, b result.Tornado) int { return cmp.Compare(width(b), width(a)) })
	var lines []string
	if len(rows) > 0 {
		lines = append(lines, "p99(request) is "+number(rows[0].Unit, rows[0].Base)+" now")
	}
	for _, t := range rows {
		lines = append(lines, fmt.Sprintf("%s: -10 %% gives %s %s, +10 %% gives %s %s @%s", t.Input, number(t.Unit, t.Low), interval(t.Unit, t.LowCI),
			number(t.Unit, t.High), interval(t.Unit, t.HighCI), percent(t.Confidence)))
	}
	return lines
}

// worlds say what is not known for sure, what of it matters, and what came of it.
func worlds(r *result.Result) []string {
	w := r.Worlds
	if w == nil {
		return nil
	}
	lines := []string{fmt.Sprintf("%d worlds; objectives have to hold in %s of them, intervals have the middle %s", w.Count, percent(w.Hold), percent(w.Interval))}
	for _, in := range w.Inputs {
		line := fmt.Sprintf("%s: %s, ", in.Path, in.Mid)
		if in.Belief != "" {
			line += "times " + in.Belief
		} else {
			line += fmt.Sprintf("%s to %s @%s", in.Low, in.High, percent(in.Confidence))
		}
		if in.Metric != "" {
			line += fmt.Sprintf("; correlation of ranks with %s %+.2f", in.Metric, in.Influence)
		}
		lines = append(lines, line)
	}
	if n := len(w.Misfits); n > 0 {
		lines = append(lines, fmt.Sprintf("containers do not hold their models in %d of them: %s", n, w.Misfits[0]))
	}
	for i := range w.Estimates {
		e := &w.Estimates[i]
		switch e.Metric {
		case "mean(request)", "p99(request)", "errors", "goodput":
			name := strings.Join(strings.Fields(strings.Join([]string{e.Metric, e.Scope.Model, e.Scope.Window}, " ")), " ")
			lines = append(lines, fmt.Sprintf("%s: %s %s over the worlds; %s for want of knowledge, %s for want of simulation", name, number(e.Unit, e.Mean), interval(e.Unit, e.Range),
				number(e.Unit, e.Epistemic), number(e.Unit, e.Aleatory)))
		}
	}
	for _, v := range w.Verdicts {
		name := result.Verdict{SLO: v.SLO, Scope: v.Scope}
		line := fmt.Sprintf("%s: %s, holds in %d, not in %d", name.Objective(), v.Outcome, v.Pass, v.Fail)
		if v.Undecided > 0 {
			line += fmt.Sprintf(", undecided in %d", v.Undecided)
		}
		lines = append(lines, line+placed(v.Scope))
	}
	return lines
}

// regret compares configurations over the worlds, the one with the least first.
func regret(r *result.Result) []string {
	var lines []string
	for i, c := range r.Regret {
		line := fmt.Sprintf("%s = %d containers, %s%s/h: holds in %d of %d worlds, regret %s%s/h in the mean, %s at most", point(c.Point), c.Containers, short(c.Cost), currency(r),
			c.Holds, c.Worlds, short(c.Mean), currency(r), short(c.Most))
		if i == 0 {
			line += " (the least)"
		}
		lines = append(lines, line)
	}
	return lines
}

func sweep(r *result.Result) []string {
	var lines []string
	for _, s := range r.Sweeps {
		lines = append(lines, s.Name)
		for i := range s.Cells {
			c := &s.Cells[i]
			line := fmt.Sprintf("  %s: %s", point(c.Point), cmp.Or(c.Outcome, "no objective"))
			if c.Reason != "" {
				line += ", " + c.Reason
			}
			for j := range c.Estimates {
				if e := &c.Estimates[j]; e.Metric == "p99(request)" {
					line += ", p99 " + estimate(e)
					break
				}
			}
			lines = append(lines, line)
		}
		if s.Knee > 0 && r.Answer == nil {
			lines = append(lines, fmt.Sprintf("  p99 is twice that of the lowest rate at %s", number("per_second", s.Knee)))
		}
		if slices.ContainsFunc(s.Cells, func(c result.Cell) bool { return len(c.Verdicts) > 0 || c.Outcome == result.Excluded }) {
			lines = append(lines, "  "+ofCells(s.Cells))
		}
	}
	return lines
}

// ofCells says how many cells hold all objectives, and how many do not.
func ofCells(cells []result.Cell) string {
	count := map[string]int{}
	for i := range cells {
		count[cells[i].Outcome]++
	}
	line := fmt.Sprintf("%d of %d cells meet every objective", count[result.Pass], len(cells))
	for _, o := range []struct{ outcome, text string }{{result.Fail, "%d miss one"}, {result.Excluded, "%d are excluded"}, {result.Undecided, "%d are undecided"}} {
		if n := count[o.outcome]; n > 0 {
			line += ", " + fmt.Sprintf(o.text, n)
		}
	}
	return line
}

func warnings(r *result.Result) []string {
	var lines []string
	for _, p := range slices.Concat(r.Problems, r.Warnings) {
		lines = append(lines, p.Unmarked()) // the block says so
	}
	return lines
}
