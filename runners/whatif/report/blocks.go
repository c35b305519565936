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
		if r.Command == "solve" {
			return []string{"none: " + r.Stopped}
		}
		return nil
	}
	line := fmt.Sprintf("%s = %d containers, %s%s/h", point(a.Point), a.Containers, short(a.Cost), currency(r))
	if a.AsWritten > 0 {
		line += fmt.Sprintf(" (%+.0f %% of the plan as written, %s%s/h)", (a.Cost/a.AsWritten-1)*100, short(a.AsWritten), currency(r))
	}
	lines := []string{line}
	if a.CostPerQPS > 0 {
		lines = append(lines, fmt.Sprintf("%s%s an hour for each request a second at the peak", short(a.CostPerQPS), currency(r)))
	}
	if !a.Proven {
		lines = append(lines, "cheapest proven: the certificate is not complete")
	}
	if c := r.Certificate; c != nil {
		lines = append(lines, fmt.Sprintf("certificate %s at %s: %d cells, %d simulated, %s; %s requests against %s of the whole grid",
			c.Label, percent(c.Confidence), c.Cells, c.Simulated, excluded(c), thousands(float64(c.Requests)), thousands(float64(c.GridCost))))
		if len(c.Conditions) > 0 {
			lines = append(lines, "held under "+strings.Join(c.Conditions, ", "))
		}
	}
	return append(lines, "stopped: "+r.Stopped)
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

func latency(r *result.Result) []string {
	var lines []string
	for _, w := range r.Windows {
		lines = append(lines, fmt.Sprintf("%s, %s offered, n = %s%s", w.Name, number("per_second", w.Rate), thousands(float64(w.Requests)), notStationary(w)))
		for _, metric := range []string{"mean(request)", "p50(request)", "p90(request)", "p99(request)", "p999(request)", "p9999(request)", "goodput", "errors"} {
			if e := r.Find(metric, w.Name); e != nil {
				lines = append(lines, fmt.Sprintf("  %-16s %s", metric, estimate(e)))
			}
		}
	}
	return lines
}

func notStationary(w result.Window) string {
	if w.Stationary {
		return ""
	}
	return ", not stationary"
}

func verdicts(r *result.Result) []string {
	var lines []string
	for _, v := range r.Verdicts {
		where := strings.TrimSpace(v.Scope.Window + " " + v.Scope.Condition)
		line := fmt.Sprintf("%s: %s at %s confidence", v.SLO, v.Outcome, percent(v.Confidence))
		if v.N > 0 {
			line += fmt.Sprintf(", %d of %s over it, worth %s", v.X, thousands(float64(v.N)), thousands(v.NEff))
		}
		if where != "" {
			line += " (" + where + ")"
		}
		if v.Text != "" {
			line += ": " + v.Text
		}
		lines = append(lines, line)
	}
	return lines
}

// binding names the parts of the latency that weigh most among the slowest.
func binding(r *result.Result) []string {
	var lines []string
	parts := slices.Clone(r.Breakdown)
	slices.SortStableFunc(parts, func(a, b result.Part) int { return cmp.Compare(b.Tail, a.Tail) })
	var texts []string
	for _, p := range parts[:min(len(parts), 3)] {
		if p.Tail > 0 {
			texts = append(texts, fmt.Sprintf("%s %.0f %%", p.Name, p.Tail*100))
		}
	}
	if len(texts) > 0 {
		lines = append(lines, "of the slowest hundredth: "+strings.Join(texts, ", "))
	}
	if s := r.Saturation; s.State != "" {
		line := fmt.Sprintf("%s: %s is the fullest tier at %s", s.State, s.Tier, number("fraction", s.Utilisation))
		if s.WithRetries > s.Utilisation {
			line += fmt.Sprintf(", %s with retries", number("fraction", s.WithRetries))
		}
		if s.Utilisation > 0 && s.Utilisation < 1 {
			line += fmt.Sprintf("; it is full at %+.0f %% traffic", (1/s.Utilisation-1)*100)
		}
		lines = append(lines, line)
	}
	return lines
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
	return []string{fmt.Sprintf("%s%s/h: %d containers, %s cores, %s GiB", short(all), currency(r), containers, thousands(cores), thousands(gib))}
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

func rollout(r *result.Result) []string {
	var lines []string
	for _, o := range r.Rollouts {
		switch {
		case o.None != "":
			lines = append(lines, fmt.Sprintf("v%d, %s: %s", o.Version, o.Path, o.None))
			continue
		case o.ToAll == nil:
			lines = append(lines, fmt.Sprintf("v%d, %s: not everywhere before the end", o.Version, o.Path))
			continue
		}
		line := fmt.Sprintf("v%d everywhere in %s", o.Version, duration(*o.ToAll))
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
		line := fmt.Sprintf("%s: %s of requests wait for a timeout, %s for two, %s fail; p99 %s", i.Event,
			number("fraction", i.Slow1), number("fraction", i.Slow2), number("fraction", i.Failed), duration(i.P99))
		if i.DetectNs > 0 {
			line += fmt.Sprintf("; noticed after %s", duration(float64(i.DetectNs)))
		}
		if i.Closed1 > 0 {
			line += fmt.Sprintf("; closed form %s, %s, %s", number("fraction", i.Closed1), number("fraction", i.Closed2), number("fraction", i.ClosedFailed))
		}
		switch {
		case i.RecoveredNs == nil:
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
		for _, i := range m.Incidents {
			lines = append(lines, incident(&m, &i))
		}
	}
	return lines
}

// incident is a line on what real agents went through.
func incident(m *result.ZKMeasured, i *result.ZKIncident) string {
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
	return line + fmt.Sprintf("; at least %d of %d serve, %s of registrations; at most %s requests a second", i.MinServing, m.Load.Containers,
		number("fraction", i.MinListed), thousands(float64(i.Peak)))
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
	for _, c := range z.Curves {
		line := fmt.Sprintf("version %d: no limit up to 1,000 times the fleet", c.Version)
		if first := z.First(c.Version); first != nil {
			line = fmt.Sprintf("version %d: %s (%s) is reached first, at %s times the fleet", c.Version, first.Name, number(first.Unit, first.Limit), short(first.At))
		}
		lines = append(lines, line)
	}
	return lines
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
	}
	return lines
}

func warnings(r *result.Result) []string {
	var lines []string
	for _, p := range slices.Concat(r.Problems, r.Warnings) {
		lines = append(lines, p.String())
	}
	return lines
}
