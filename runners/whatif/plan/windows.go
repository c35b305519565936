package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	windowForm   = regexp.MustCompile(`^(all|peak|each hour|each incident|at (\S+))(?:\s+(\S+))?$`)
	windowAround = regexp.MustCompile(`^([+-]\S+?)\.\.([+-]\S+)$`)
)

// WholeHorizon is the name of the window that covers the horizon, if a plan names no windows.
const WholeHorizon = "all"

// Windows returns the parts of the horizon that are simulated request by request, in order
// of their starts. If the plan names none, the whole horizon is simulated.
func (p *Plan) Windows() []Window {
	d := &decoder{words: map[string]string{}, places: map[string]place{}}
	return d.windows(p)
}

func (d *decoder) windows(p *Plan) []Window {
	horizon := p.Workload.Horizon
	if len(p.Workload.Detail.Windows) == 0 {
		return []Window{{Name: WholeHorizon, End: horizon}}
	}
	var list []Window
	for i, text := range p.Workload.Detail.Windows {
		path := fmt.Sprintf("workload.detail.windows.%d", i)
		for _, w := range d.window(p, text, path) {
			if w.Start < 0 || w.End > horizon || w.Start >= w.End {
				if strings.HasPrefix(text, "each") {
					w.Start, w.End = max(w.Start, 0), min(w.End, horizon)
				}
				if w.Incident > 0 && Duration(p.Events[w.Incident-1].At) >= horizon {
					continue // already reported for the event
				}
				if w.Start < 0 || w.End > horizon || w.Start >= w.End {
					d.report(path, afterHorizon, "window %q is %s..%s, which is not inside of the horizon %s", text, w.Start.text(), w.End.text(), horizon.text())
					continue
				}
			}
			list = append(list, w)
		}
	}
	d.incidents(p, len(list))
	slices.SortStableFunc(list, func(a, b Window) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// incidents reports windows around events in a plan without events. There are n windows.
func (d *decoder) incidents(p *Plan, n int) {
	for i, text := range p.Workload.Detail.Windows {
		path := fmt.Sprintf("workload.detail.windows.%d", i)
		switch {
		case len(p.Events) > 0 || !strings.HasPrefix(text, "each incident"):
		case n == 0:
			d.report(path, requiredKey, "window %q: there are no events, so that nothing is simulated; want one in events, or another window", text)
		default:
			d.never(path, "there are no events")
		}
	}
}

// window reads an entry of detail.windows, such as "peak 60s" or "each incident -10s..+60s". A
// window given by its length starts at the instant that the entry names. Only a window named peak
// is different: it has the peak in its middle.
func (d *decoder) window(p *Plan, text, path string) []Window {
	m := windowForm.FindStringSubmatch(text)
	if m == nil || (m[1] == "all") != (m[3] == "") {
		d.report(path, unknownName, "windows: found %q, want all, peak 60s, each hour 60s, each incident -10s..+60s, or at 20:00 60s", text)
		return nil
	}
	horizon := p.Workload.Horizon
	if m[1] == "all" {
		return []Window{{Name: text, End: horizon}}
	}
	from, to, ok := d.spread(m[3], path)
	if !ok {
		return nil
	}
	switch {
	case m[1] == "peak":
		if from == 0 && !strings.Contains(m[3], "..") {
			from, to = -to/2, to-to/2
		}
		at := min(max(p.Workload.Rate.PeakAt, -from), horizon-to)
		return []Window{{Name: text, Start: at + from, End: at + to}}
	case m[1] == "each hour":
		var list []Window
		for at := Duration(0); at < horizon; at += 3600e9 {
			list = append(list, Window{Name: fmt.Sprintf("hour %d", at/3600e9), Start: at + from, End: at + to})
		}
		return list
	case m[1] == "each incident":
		var list []Window
		for i, e := range p.Events {
			list = append(list, Window{Name: "incident " + e.Label(), Start: Duration(e.At) + from, End: Duration(e.At) + to, Incident: i + 1})
		}
		return list
	}
	at := d.clock(m[2], path)
	return []Window{{Name: text, Start: at + from, End: at + to}}
}

// spread parses a length such as 60s, or a range such as -10s..+60s.
func (d *decoder) spread(text, path string) (from, to Duration, ok bool) {
	low, high := "", text
	if m := windowAround.FindStringSubmatch(text); m != nil {
		low, high = m[1], m[2]
		v, good := d.duration(low, path)
		if !good {
			return 0, 0, false
		}
		from = v
	}
	to, ok = d.duration(high, path)
	if ok && to <= from {
		d.report(path, outOfRange, "window %q ends before it begins", text)
		ok = false
	}
	return from, to, ok
}

// Limits for the length of a step. Windows up to shortWindow have steps of a quarter of a
// second, and longer windows steps of a second. Still longer windows are divided into
// mostInstants steps.
const (
	shortWindow  = Duration(10 * time.Second)
	mostInstants = 300
)

// stepsBefore is how many steps of a window have to be before its event, so that they can be
// compared with the steps after it.
const stepsBefore = 3

// Compares reports whether a number of steps before an event is enough to compare them with what
// comes after the event (CAP-4.5).
func (Window) Compares(steps int) bool { return steps >= stepsBefore }

// Changes reports whether the load changes within a window, or an event begins, ends, or is noticed
// there. Such a window is not stationary, even if its latencies hardly vary.
func (p *Plan) Changes(w Window) bool {
	within := func(at Duration) bool { return at > w.Start && at < w.End }
	for i := range p.Events {
		e := &p.Events[i]
		at := Duration(e.At)
		if at == w.Start || within(at) || e.For > 0 && within(at+e.For) || e.RestartAfter > 0 && within(at+e.RestartAfter) {
			return true
		}
		if e.Evacuate != nil && within(at+e.Evacuate.After) {
			return true
		}
		// earliest time at which a lost session may expire
		lists := at + p.ZooKeeper.SessionTimeout - p.ZooKeeper.SessionTimeout/3
		if (e.Kill != nil || e.LoseIDC != "" || e.LoseCluster != "") && lists < w.End && at+p.ZooKeeper.SessionTimeout+p.ZooKeeper.Tick > w.Start {
			return true
		}
	}
	points := p.Workload.Rate.Points
	for i := range points {
		if i > 0 && points[i].Rate != points[i-1].Rate && within(points[i].At) {
			return true
		}
	}
	return false
}

// StepOf returns the length of the steps in the time series of a window. It is 0 for a window
// without events.
func (p *Plan) StepOf(w Window) Duration {
	happens := w.Incident > 0
	for _, e := range p.Events {
		happens = happens || Duration(e.At) >= w.Start && Duration(e.At) < w.End
	}
	length, second := w.End-w.Start, Duration(time.Second)
	switch {
	case !happens:
		return 0
	case length <= shortWindow:
		return second / 4
	}
	return second * max(1, (length+mostInstants*second-1)/(mostInstants*second))
}
