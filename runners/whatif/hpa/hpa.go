// Package hpa does what the HorizontalPodAutoscaler of Kubernetes v1.37 does, as a state machine: it
// is given what a look at the metrics shows, and returns how many replicas there should be.
//
// Two things to use first:
//
//   - [New] makes an autoscaler of a [Config].
//   - [Autoscaler.Look] takes one look and decides.
//
// To change:
//
//   - what is fed in and what comes out: hpa.go
//   - how many replicas the metrics of pods ask for: metrics.go
//   - what keeps that from happening at once (windows, limits, policies): limits.go
//
// Each rule is a function of its own. The program in the folder oracle, which is a separate module,
// compares them with the real controller, look by look, and records testdata/vectors.jsonl.
//
// Unstable: any commit may change it.
package hpa

import "time"

// Config is the configuration of a horizontal pod autoscaler. Times are in nanoseconds.
type Config struct {
	Min     int      `json:"min"`
	Max     int      `json:"max"`
	Metrics []Metric `json:"metrics"`
	// Request is each pod's CPU request, in thousandths of a core. A CPU metric counts a use of
	// just that much as 100 %.
	Request int64 `json:"request"`
	// Behavior, unless nil, holds the rules of spec.behavior. Without it a decision may at most
	// double the number of replicas, or raise it to 4, and DownWindow delays a decrease.
	Behavior   *Behavior     `json:"behavior,omitempty"`
	DownWindow time.Duration `json:"down_window"`
	Tolerance  float64       `json:"tolerance"`
	// Starting is the time after a pod's start in which its CPU counts only once it is ready. A pod
	// counts as never ready if it is not ready and last changed its readiness within ReadyDelay
	// after its start.
	Starting   time.Duration `json:"starting"`
	ReadyDelay time.Duration `json:"ready_delay"`
}

// Metric is one metric with its target.
type Metric struct {
	// CPU says that Target is a whole percentage of Request. Otherwise the metric is a value
	// that each pod reports (type Pods), and Target is in thousandths of its unit.
	CPU    bool  `json:"cpu,omitempty"`
	Target int64 `json:"target"`
}

// Behavior holds the rules of spec.behavior.
type Behavior struct {
	Up   Rules `json:"up"`
	Down Rules `json:"down"`
}

// Rules holds the rules for one direction of scaling, up or down.
type Rules struct {
	Window    time.Duration `json:"window"`
	Tolerance *float64      `json:"tolerance,omitempty"` // nil for the controller's default
	Select    string        `json:"select"`              // Max, Min or Disabled
	Policies  []Policy      `json:"policies"`
}

// Policy limits how much the number of replicas may change within a period.
type Policy struct {
	Percent bool          `json:"percent,omitempty"` // Value is a percentage of the pods at the start of the period, not a number of pods
	Value   int           `json:"value"`
	Period  time.Duration `json:"period"`
}

// Pod is what the autoscaler sees of a pod at one look.
type Pod struct {
	Pending bool  `json:"p,omitempty"`
	Started int64 `json:"s"`
	Ready   bool  `json:"r,omitempty"`
	Since   int64 `json:"c"` // time at which Ready last changed
	// Values holds the pod's value of each metric in thousandths, -1 for a metric that it does
	// not report. The values are means over the time Window, which ends at Look.Stamp.
	Values []int64 `json:"v,omitempty"`
	Window int64   `json:"w,omitempty"`
}

// Look is what the autoscaler sees at one instant.
type Look struct {
	At       int64  `json:"at"`
	Replicas int    `json:"n"` // number of replicas that was asked for so far
	Stamp    int64  `json:"stamp"`
	Failed   []bool `json:"failed,omitempty"` // whether each metric, by its index, could not be read
	Pods     []Pod  `json:"pods"`
}

// Why is the reason for a decision.
type Why string

// The reasons.
const (
	ByMetrics  Why = "metrics"
	Tolerated  Why = "within the tolerance"
	Missing    Why = "pods that report nothing count as idle on the way up, as full on the way down"
	Starting   Why = "pods that start count as idle on the way up"
	Stabilised Why = "the stabilisation window"
	Limited    Why = "the limit of a look or a policy"
	AtMost     Why = "max"
	AtLeast    Why = "min"
	NoMetrics  Why = "no metric"
)

// Decision is what the autoscaler decided when it looked at the pods.
type Decision struct {
	Replicas int
	Why      Why
	// Percent is the measured CPU as a whole percentage of the requests of the pods that count,
	// -1 without a CPU metric. Full says that some metric is above its target.
	Percent int
	Full    bool
}

// Autoscaler makes decisions, one look after another, as Kubernetes does.
type Autoscaler struct {
	config      Config
	recommended []recommendation
	ups, downs  []scaling
}

// New returns an autoscaler without any history.
func New(c Config) *Autoscaler { return &Autoscaler{config: c} }

// Look decides how many replicas there should be. Looks have to be in order of time.
// l.Replicas is what the previous look decided, unless somebody else has changed the number.
func (a *Autoscaler) Look(l *Look) Decision {
	if a.recommended == nil { // the first recommendation is the present number of replicas
		a.recommended = []recommendation{{l.At, l.Replicas}}
	}
	c := &a.config
	d := Decision{Replicas: l.Replicas, Why: NoMetrics, Percent: -1}
	switch {
	case l.Replicas == 0: // switched off
		return d
	case l.Replicas > c.Max: // above the maximum, the number is reduced at once, without windows and limits
		d.Replicas, d.Why = c.Max, AtMost
	case l.Replicas < c.Min:
		d.Replicas, d.Why = c.Min, AtLeast
	default:
		if !a.wanted(l, &d) {
			d.Replicas, d.Why = l.Replicas, NoMetrics
			return d
		}
		a.bounded(l, &d)
	}
	a.scaled(l, d.Replicas)
	return d
}

// wanted sets d.Replicas to the largest number that any metric asks for. It returns false if
// no metric can be read. It also returns false if one cannot be read and the others ask for
// fewer replicas than there are.
func (a *Autoscaler) wanted(l *Look, d *Decision) bool {
	most, invalid := 0, 0
	for k := range a.config.Metrics {
		one, ok := a.config.byMetric(l, k)
		if !ok {
			invalid++
			continue
		}
		d.Full = d.Full || one.Full
		d.Percent = max(d.Percent, one.Percent)
		if most == 0 || one.Replicas > most {
			most, d.Why = one.Replicas, one.Why
		}
	}
	d.Replicas = most
	return invalid < len(a.config.Metrics) && (invalid == 0 || most >= l.Replicas)
}
