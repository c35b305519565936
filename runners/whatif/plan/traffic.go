package plan

import (
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Workload describes the requests to the fleet.
type Workload struct {
	Arrivals  Arrivals            `plan:"arrivals" doc:"when requests come"`
	Rate      RateLaw             `plan:"rate" doc:"requests a second: constant, {diurnal: ...}, {piecewise: ...}, {step: ...} or {flash: ...}"`
	Loop      Loop                `plan:"loop" default:"open" doc:"open, or closed(clients=100, think=1s)"`
	Places    map[string]Fraction `plan:"places" json:",omitempty" doc:"share of the clients of each idc, whose requests come to its entry containers and to no others; without it any request may come to any of them"`
	Mix       []Mix               `plan:"mix" doc:"models on the same containers, with their shares of the requests; one by default"`
	Horizon   Duration            `plan:"horizon" default:"10m" range:">0" doc:"how long the plan is"`
	Detail    Detail              `plan:"detail" doc:"what of it is simulated"`
	ColdStart bool                `plan:"cold_start" default:"false" doc:"the cluster starts within the horizon"`
}

// Arrivals describes the random process by which requests arrive.
type Arrivals struct {
	Process   string    `plan:"process" default:"poisson" enum:"poisson|gamma|mmpp|deterministic|trace" doc:"law of the gaps: poisson, gamma, in bursts and quiet (mmpp), all equal, or as a trace has them"`
	CV        float64   `plan:"cv" default:"1" range:">0" doc:"of the gaps, gamma only"`
	Burst     Factor    `plan:"burst" default:"3x" range:">=1x" doc:"ratio of the rates in bursts and in quiet, mmpp only"`
	MeanBurst Duration  `plan:"mean_burst" default:"2s" range:">0" doc:"mean length of a burst, mmpp only"`
	MeanQuiet Duration  `plan:"mean_quiet" default:"8s" range:">0" doc:"mean length of the quiet between bursts, mmpp only"`
	Batch     NumberLaw `plan:"batch" json:",omitzero" doc:"how many requests come at once: det(5), or a law, rounded, 1 at least; one by default. The rate stays that of requests; not of a trace"`
	File      string    `plan:"file" doc:"times of arrival, one a line, trace only"`
	RateScale Factor    `plan:"rate_scale" default:"1x" range:">0" doc:"of all rates, or of a trace"`
	TimeScale Factor    `plan:"time_scale" default:"1x" range:">0" doc:"of the gaps of a trace"`
	// Times holds the arrival times from File, before scaling.
	Times []Duration `plan:"-"`
}

// RateLaw is the mean request rate over time. It is constant from each point to the next.
type RateLaw struct {
	Kind   string      `json:"kind"` // kind of curve: constant, diurnal, piecewise, step or flash; "" if none is given
	Points []RatePoint `json:"points"`
	// PeakAt is when the rate is highest.
	PeakAt Duration `json:"peak_at"`
}

// RatePoint is a rate that holds from an instant on.
type RatePoint struct {
	At   Duration `json:"at"`
	Rate Rate     `json:"rate"`
}

// At returns the rate at an instant.
func (r RateLaw) At(t Duration) Rate {
	rate := Rate(0)
	for _, p := range r.Points {
		if p.At > t {
			break
		}
		rate = p.Rate
	}
	return rate
}

// Peak returns the highest rate.
func (r RateLaw) Peak() Rate { return r.At(r.PeakAt) }

// Loop is a closed loop: a number of clients that wait for each answer and think between
// requests. The zero value is an open loop.
type Loop struct {
	Clients int     `json:"clients,omitempty"`
	Think   TimeLaw `json:"think,omitzero"`
}

// Closed reports whether clients wait for an answer before they send the next request.
func (l Loop) Closed() bool { return l.Clients > 0 }

// Detail says which parts of the horizon are simulated request by request.
type Detail struct {
	Windows []string `plan:"windows" doc:"all, peak 60s, each hour 60s, each incident -10s..+60s, or at 20:00 60s; the whole horizon by default; each begins with what was before it (CAP-3.18)"`
	Thin    Thin     `plan:"thin" default:"off" doc:"keep one in k of requests and containers: auto, off or k"`
}

// Thin says that one in K requests and containers is simulated. K is 1 for off and 0 for auto.
type Thin struct {
	K int `json:"k"`
}

// Window is a part of the horizon that is simulated request by request.
type Window struct {
	Name  string   `json:"name"`
	Start Duration `json:"start"`
	End   Duration `json:"end"`
	// Incident is the number, from 1, of the event that the window surrounds. It is 0 if there
	// is none.
	Incident int `json:"incident,omitempty"`
}

// Autoscaler changes the number of containers of a tier, for ps of each shard separately.
// With measured metrics it works as the HorizontalPodAutoscaler of Kubernetes v1.37. With
// the metric offered it knows the exact load, which no real autoscaler does.
type Autoscaler struct {
	Metric        string       `plan:"metric" default:"cpu" enum:"cpu|qps|queue|offered" doc:"what it looks at: cpu, requests a second (qps) or calls that wait (queue), all as measured; offered is an oracle that knows the load to come"`
	Target        Target       `plan:"target" default:"60%" doc:"of a container: share of the cores that it requests, requests a second, or calls that wait"`
	Metrics       []Metered    `plan:"metrics" json:",omitempty" doc:"several metrics, of which the one that asks for most counts, in the place of metric and target"`
	Request       float64      `plan:"request" default:"0" range:">=0" json:",omitempty" doc:"cores that a container requests, which are 100 % of its cpu; its cpu by default"`
	Min           int          `plan:"min" required:"true" range:">=1" doc:"containers at least, of ps of each shard"`
	Max           int          `plan:"max" required:"true" range:">=1" doc:"containers at most, of ps of each shard"`
	Interval      Duration     `plan:"interval" default:"15s" range:">0" doc:"between looks"`
	ScrapeDelay   Duration     `plan:"scrape_delay" default:"30s" range:">=0" doc:"how old what it sees is"`
	ScrapeWindow  Duration     `plan:"scrape_window" default:"15s" range:">=1s" doc:"how long what it sees was measured"`
	StabiliseUp   Duration     `plan:"stabilise_up" default:"0s" range:">=0" doc:"follows the least wish of this time on the way up; above 0 only with behavior"`
	StabiliseDown Duration     `plan:"stabilise_down" default:"5m" range:">=0" doc:"follows the greatest wish of this time on the way down"`
	Tolerance     Fraction     `plan:"tolerance" default:"10%" range:"0%..100%" doc:"distance from the target that it does not act on"`
	Starting      Duration     `plan:"cpu_initialization" default:"5m" range:">=0" doc:"after its start a container's cpu counts only once it is ready"`
	ReadyDelay    Duration     `plan:"initial_readiness" default:"30s" range:">=0" doc:"a container that was not ready until then has never been"`
	Behavior      *hpaBehavior `plan:"behavior" json:",omitempty" doc:"of the autoscaler, as in spec.behavior; {} for its defaults, which differ from none"`
	Provision     TimeLaw      `plan:"provision" default:"det(0s)" doc:"of each container, before fleet.boot"`
}

// Metered is a metric of an autoscaler with its target.
type Metered struct {
	Metric string `plan:"metric" required:"true" enum:"cpu|qps|queue" doc:"as of metric"`
	Target Target `plan:"target" required:"true" doc:"as of metric: 60%, 500/s, or a number"`
}

// hpaBehavior limits how fast an autoscaler changes the number of containers.
type hpaBehavior struct {
	Up   HPARules `plan:"up" doc:"4 containers or 100% in 15s by default, whichever is more"`
	Down HPARules `plan:"down" doc:"100% in 15s by default"`
}

// HPARules bound one direction.
type HPARules struct {
	Select    string      `plan:"select" default:"max" enum:"max|min|disabled" doc:"which policy counts; disabled never goes this way"`
	Tolerance *Fraction   `plan:"tolerance" json:",omitempty" range:"0%..100%" doc:"in the place of the other"`
	Policies  []hpaPolicy `plan:"policies" json:",omitempty" doc:"how much it changes within a period; select says which of them counts"`
}

// hpaPolicy limits the change within a period, by either Pods or Percent.
type hpaPolicy struct {
	Pods    int      `plan:"pods" default:"0" range:">=0" doc:"containers"`
	Percent Fraction `plan:"percent" default:"0%" range:">=0%" doc:"of the number at the begin of the period, in whole per cents"`
	Every   Duration `plan:"every" required:"true" range:"1s..1800s" doc:"the period"`
}

// Measured reports whether the autoscaler uses measured metrics, and not the exact offered
// load.
func (a *Autoscaler) Measured() bool { return a.Metric != "offered" }

// Text describes the autoscaler's metrics and targets, for people.
func (a *Autoscaler) Text() string {
	if !a.Measured() {
		return "the offered load at " + quantity.Format(quantity.Percent, float64(a.Target))
	}
	kinds := map[string]quantity.Kind{"cpu": quantity.Percent, "qps": quantity.Rate, "queue": quantity.Number}
	return strings.Join(lists.Map(a.Looks(), func(m Metered) string { return m.Metric + " at " + quantity.Format(kinds[m.Metric], float64(m.Target)) }), ", ")
}

// Looks returns the metrics that the autoscaler uses.
func (a *Autoscaler) Looks() []Metered {
	if len(a.Metrics) > 0 {
		return a.Metrics
	}
	return []Metered{{a.Metric, a.Target}}
}

// Measures reports whether any autoscaler uses measured metrics. Then the number of
// containers depends on requests.
func (p *Plan) Measures() bool {
	for _, tier := range TierNames {
		if a := p.Autoscale.Of(tier); a != nil && a.Measured() {
			return true
		}
	}
	return false
}

// Target is the target value of an autoscaler's metric: a fraction for cpu, otherwise a
// number.
type Target float64
