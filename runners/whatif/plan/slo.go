package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Metric is a quantity that an objective may limit.
type Metric struct {
	Name string // name of the metric, such as p99 or zk.utilisation
	// Scopes lists the words allowed in parentheses. "*" stands for the name of any event. An
	// empty list means that there are no parentheses.
	Scopes []string
	// NoScope says that the parentheses may be left out.
	NoScope bool
	Kind    quantity.Kind
	// Unit is the unit of values of this metric in results.
	Unit string
	// Higher says that larger values are better, so that objectives use >=.
	Higher bool
	Doc    string
}

// Causes lists why requests fail, in the order in which reports show them.
var Causes = []string{"timeout", "queue_full", "conn_wait", "no_replica", "oom"}

// Corrected is the scope of latencies that include the requests which a closed loop failed
// to send (coordinated omission).
const Corrected = "corrected"

// Dashboard is the prefix of metrics that are computed from TensorFlow Serving's buckets, as a
// dashboard computes them.
const Dashboard = "dashboard_"

// someTime is an item of Metric.Scopes. It means that any time is a valid scope of the metric.
const someTime = "time"

// metricList is the type of Metrics. Its methods select some of the metrics.
type metricList []Metric

// Metrics lists all metrics.
var Metrics = metrics()

func metrics() metricList {
	var list []Metric
	latencies := []string{"request", "entry", "ps", "dense", Corrected}
	for _, q := range []struct{ name, doc string }{{"mean", "mean"}, {"p50", "median"}, {"p90", "90th percentile"}, {"p95", "95th percentile"},
		{"p99", "99th percentile"}, {"p999", "99.9th percentile"}, {"p9999", "99.99th percentile"}} {
		list = append(list, Metric{Name: q.name, Scopes: latencies, Kind: quantity.Duration, Unit: "ns",
			Doc: q.doc + " of the latency of successful requests from their intended arrival; of ps and dense: of one attempt at the server; of entry: of its CPU stage; corrected, of a closed loop: with the requests that clients who ask once a think time and a median latency would have sent, had they not waited (CAP-4.5, CAP-4.6, CAP-12.14)"})
	}
	return append(list,
		Metric{Name: Dashboard + "p50", Scopes: latencies[:4], Kind: quantity.Duration, Unit: "ns", Doc: "the same median as a dashboard shows it: histogram_quantile over TensorFlow Serving's buckets, 10 us x 1.8^k"},
		Metric{Name: Dashboard + "p99", Scopes: latencies[:4], Kind: quantity.Duration, Unit: "ns", Doc: "the same 99th percentile as a dashboard shows it: histogram_quantile over TensorFlow Serving's buckets, 10 us x 1.8^k; a true 48.5 ms may be shown as 60 ms"},
		Metric{Name: Dashboard + "above", Scopes: []string{someTime}, Kind: quantity.Percent, Unit: "fraction", Doc: "share of the answered requests above a bound of TensorFlow Serving's buckets (10 us x 1.8^k), the least that is not below the time, as dashboard_above(50ms) of 67.5 ms: what 1 - rate(bucket{le=...})/rate(count) is on a dashboard, exactly"},
		Metric{Name: "errors", Scopes: Causes, NoScope: true, Kind: quantity.Percent, Unit: "fraction", Doc: "share of requests that fail, of one cause or of all (CAP-4.5)"},
		Metric{Name: "goodput", NoScope: true, Kind: quantity.Rate, Unit: "per_second", Higher: true, Doc: "successful answers a second, whenever their requests came (CAP-12.14)"},
		Metric{Name: "answered", NoScope: true, Kind: quantity.Percent, Unit: "fraction", Higher: true, Doc: "share of the requests that are answered successfully before the simulation ends, a minute or more behind the window"},
		Metric{Name: "util", Scopes: TierNames, Kind: quantity.Percent, Unit: "fraction", Doc: "busy share of the cores, mean over live containers (CAP-12.14)"},
		Metric{Name: "util_max", Scopes: TierNames, Kind: quantity.Percent, Unit: "fraction", Doc: "busy share of the cores of the fullest container (CAP-12.14)"},
		Metric{Name: "time_to_available", Scopes: []string{"publish"}, Kind: quantity.Duration, Unit: "ns", Doc: "from a publish to the last replica that serves it; the worst of several (CAP-3.13, CAP-12.14)"},
		Metric{Name: "min_serving", Scopes: []string{"publish"}, Kind: quantity.Count, Unit: "count", Higher: true, Doc: "least number of replicas of a shard that serve while a version rolls out"},
		Metric{Name: "recovery", Scopes: []string{"*"}, Kind: quantity.Duration, Unit: "ns", Doc: "from an event until latency and errors are again what they were (CAP-4.5)"},
		Metric{Name: "lost", Scopes: []string{"*"}, Kind: quantity.Count, Unit: "count", Doc: "requests that came from an event on, until recovery, or were under way at it, and failed, beyond the share that failed before (CAP-4.5)"},
		Metric{Name: "above", Scopes: []string{"*"}, Kind: quantity.Duration, Unit: "ns", Doc: "how long after an event, all seconds together, an objective of the plan on quantiles of request or on errors was missed (CAP-4.5)"},
		Metric{Name: "zk.utilisation", NoScope: true, Kind: quantity.Percent, Unit: "fraction", Doc: "reads/read_ops + writes/write_ops at rest, or from then on where an event takes all sessions (CAP-3.12)"},
		Metric{Name: "zk.peak_utilisation", NoScope: true, Kind: quantity.Percent, Unit: "fraction", Doc: "what comes in the busiest second, of what the ensemble can in one; above 100 % it falls behind; agents start as far apart as fleet.starts says, and their loops keep their phases (CAP-3.12)"},
		Metric{Name: "zk.drain", NoScope: true, Kind: quantity.Duration, Unit: "ns", Doc: "how long the ensemble works on the busiest burst without a pause, taking what comes within a second to come at its begin; a search takes at most a third of session_timeout (CAP-3.12)"},
		Metric{Name: "zk.watch_memory", NoScope: true, Kind: quantity.Bytes, Unit: "bytes", Doc: "watches held, times watch_bytes (CAP-3.12)"},
		Metric{Name: "zk.max_reply", NoScope: true, Kind: quantity.Bytes, Unit: "bytes", Doc: "largest reply, or list of watches that is sent again (CAP-3.12)"},
		Metric{Name: "mem.entry.peak", NoScope: true, Kind: quantity.Bytes, Unit: "bytes", Doc: "greatest memory of a container; % is of mem (CAP-3.15)"},
		Metric{Name: "mem.ps.peak", NoScope: true, Kind: quantity.Bytes, Unit: "bytes", Doc: "greatest memory of a container; % is of mem (CAP-3.15)"},
		Metric{Name: "mem.dense.peak", NoScope: true, Kind: quantity.Bytes, Unit: "bytes", Doc: "greatest memory of a container; % is of mem (CAP-3.15)"},
		Metric{Name: "cost", NoScope: true, Kind: quantity.Cost, Unit: "per_hour", Doc: "of all containers; where autoscalers or events change how many there are, in the mean of the horizon (CAP-4.2)"},
	)
}

// MetricNames returns the names of metrics, with their scopes in parentheses, as objectives write
// them. A metric whose scope is an event is left out.
func MetricNames() []string {
	var list []string
	for _, m := range Metrics {
		if m.NoScope {
			list = append(list, m.Name)
		}
		for _, s := range m.Scopes {
			if s != "*" {
				list = append(list, m.Name+"("+s+")")
			}
		}
	}
	return list
}

var sloForm = regexp.MustCompile(`^\s*([a-z0-9_.]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*(<=|>=|<|>)\s*(\S.*?)\s*$`)

func (s *SLO) decodeText(d *decoder, text, path string) {
	s.Text = text
	m := sloForm.FindStringSubmatch(text)
	if m == nil {
		d.noObjective(text, path)
		return
	}
	name, scope := m[1], m[2]
	written := name
	if scope != "" {
		written += "(" + scope + ")"
	}
	i := slices.IndexFunc(Metrics, func(m Metric) bool {
		return m.Name == name && (scope == "" && m.NoScope || scope != "" && m.Takes(scope))
	})
	if i < 0 {
		hint := Nearest(written, MetricNames())
		if k := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == written && !m.NoScope }); k >= 0 {
			hint = fmt.Sprintf(", want what it is of, as %s(%s)", written, strings.Replace(Metrics[k].Scopes[0], "*", "name of an event", 1))
		}
		d.report(path, badSLO, "%q: unknown metric%s", written, hint)
		return
	}
	metric := Metrics[i]
	s.Metric, s.Scope, s.Op, s.Unit = name, scope, m[3], metric.Unit
	if slices.Contains(metric.Scopes, someTime) {
		d.bound(s, path)
	}
	if strings.HasPrefix(s.Op, ">") != metric.Higher {
		d.report(path, badSLO, "%q: of %s %s is better, so the objective is %s", text, name, better(metric.Higher), map[bool]string{true: ">=", false: "<="}[metric.Higher])
	}
	kind := metric.Kind
	if strings.HasPrefix(name, "mem.") && strings.HasSuffix(m[4], "%") {
		kind, s.Unit = quantity.Percent, "fraction"
	}
	limit, err := quantity.Parse(kind, m[4])
	switch {
	case err != nil:
		d.report(path, badSLO, "%q: %s", text, err)
	case limit < 0:
		d.report(path, badSLO, "%q: the limit is negative", text)
	case limit > 1 && kind == quantity.Percent && name != "zk.peak_utilisation": // a burst may exceed what can be done in a second
		d.report(path, badSLO, "%q: found a limit of %s, want 0%%..100%%, for it is a share", text, quantity.Format(quantity.Percent, limit))
	case limit > float64(longest) && kind == quantity.Duration || math.IsInf(limit, 0):
		d.report(path, badSLO, "%q: found %s, want at most %s", text, m[4], longest.text())
	case kind == quantity.Count && !isWhole(m[4]):
		d.report(path, badSLO, "%q: found %s, a whole number expected", text, m[4])
	case limit == 0 && s.Op == "<" || limit == 1 && s.Op == ">" && kind == quantity.Percent:
		d.report(path, badSLO, "%q: nothing is %s %s, so that no fleet meets it; want %s=", text, map[string]string{"<": "below", ">": "above"}[s.Op], m[4], s.Op)
	case limit == 0 && kind == quantity.Duration && !s.OfEvent():
		d.report(path, badSLO, "%q: nothing takes no time, want a limit above 0", text)
	}
	s.Limit = limit
	switch {
	case err != nil:
	case s.Unbreakable():
		d.report(path, noEffect, "%s%q changes nothing: no fleet can break it", warned, text)
	case (name == "errors" || metric.Name == Dashboard+"above") && limit == 0 || name == "answered" && limit == 1:
		d.report(path, badSLO, "%s%q can be shown to be broken, but no number of requests shows that it is met; want a limit of more than none", warned, text)
	}
}

// noObjective reports a text that has not the form of an objective.
func (d *decoder) noObjective(text, path string) {
	switch {
	case openCall(text):
		d.report(path, badSLO, "%q: an objective with a comma inside [ ]: write it in quotes", text)
	case d.restOfCall(path): // reported together with the part before it
	default:
		d.report(path, badSLO, "%q: want METRIC <= LIMIT, as p99(request) <= 50ms", text)
	}
}

// restOfCall reports whether a list item is only the rest of the item before it, which YAML has cut
// in two at a comma.
func (d *decoder) restOfCall(path string) bool {
	list, number, _ := cutLast(path)
	at, err := strconv.Atoi(number)
	return err == nil && at > 0 && openCall(d.words[join(list, strconv.Itoa(at-1))])
}

// Unbreakable reports whether every fleet meets the objective, such as a share of at most
// 100 % or a value of at least 0.
func (s *SLO) Unbreakable() bool {
	switch s.Metric {
	case "errors", Dashboard + "above", "util", "util_max":
		return s.Op == "<=" && s.Limit == 1
	}
	return s.Op == ">=" && s.Limit == 0
}

// bound sets the bucket bound for an objective on the share of latencies above a time.
func (d *decoder) bound(s *SLO, path string) {
	at, err := quantity.Parse(quantity.Duration, s.Scope)
	bounds := stats.ServingBounds()
	i := slices.IndexFunc(bounds[:], func(b float64) bool { return b >= at*(1-1e-9) })
	switch {
	case err != nil:
		d.report(path, badSLO, "%q: %s", s.Text, err)
	case at <= 0 || i < 0:
		d.report(path, badSLO, "%q: found %s, want a time above 0 and up to %s, the greatest bound of TensorFlow Serving's buckets", s.Text, s.Scope, quantity.Text(quantity.Duration, bounds[len(bounds)-1], 3))
	default:
		s.Bound = bounds[i]
	}
}

func better(higher bool) string {
	if higher {
		return "more"
	}
	return "less"
}

// Takes reports whether a text is a valid scope of the metric: one of the metric's scopes, or any
// text if the scopes are events or times.
func (m *Metric) Takes(scope string) bool {
	return slices.ContainsFunc(m.Scopes, func(s string) bool { return s == scope || s == "*" || s == someTime })
}

// OfEvents lists the names of the metrics that concern single events.
func (l metricList) OfEvents() []string {
	return lists.Select(l, func(m Metric) (string, bool) { return m.Name, slices.Contains(m.Scopes, "*") })
}

// OfEvent reports whether the objective concerns an event. The scope is then the event's name or
// note.
func (s *SLO) OfEvent() bool { return slices.Contains(Metrics.OfEvents(), s.Metric) }

// LimitsRequests reports whether the plan has an objective on errors or on a quantile of
// request latency.
func (p *Plan) LimitsRequests() bool {
	return slices.ContainsFunc(p.SLO, func(s SLO) bool {
		return s.Metric == "errors" && s.Scope == "" || s.Scope == "request" && strings.HasPrefix(s.Metric, "p")
	})
}

// Name returns the metric with its scope, such as p99(request).
func (s *SLO) Name() string {
	if s.Scope == "" {
		return s.Metric
	}
	return fmt.Sprintf("%s(%s)", s.Metric, s.Scope)
}
