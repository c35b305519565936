package result

// Estimate is a number with its confidence interval (CAP-5.1).
type Estimate struct {
	Metric string `json:"metric"` // the metric as objectives write it, such as p99(request)
	Scope  Scope  `json:"scope"`
	Unit   string `json:"unit"` // unit of the value: ns, bytes, fraction, per_second, per_hour or count
	// Value is nil when there was not enough data. Text then says so.
	Value *float64 `json:"value"`
	// CI is the confidence interval at level Confidence, nil for values that are computed exactly.
	CI         *[2]float64 `json:"ci"`
	Confidence float64     `json:"confidence"`
	N          int64       `json:"n"`            // observations
	NEff       float64     `json:"n_eff"`        // number of independent observations that would give the same confidence
	Runs       int         `json:"replications"` // number of replications with a value
	// WarmupCut is how many nanoseconds were left out at the window's start, in addition to the warm-up.
	WarmupCut int64  `json:"warmup_cut"`
	Text      string `json:"text,omitempty"`
	// Values holds the value of each replication in order, so that results for the same
	// requests can be compared in pairs. Cells of a search or sweep have none.
	Values []float64 `json:"values,omitempty"`
}

// Scope says which requests or containers an estimate describes. The zero value means all
// requests of the plan.
type Scope struct {
	Condition string `json:"condition,omitempty"` // entry of must_hold_under; "" for the normal condition
	Window    string `json:"window,omitempty"`
	Tier      string `json:"tier,omitempty"`
	Event     string `json:"event,omitempty"`
	// Model names a model of the plan's mix of models, "" for the requests of all models.
	Model string `json:"model,omitempty"`
}

// Outcomes of verdicts.
const (
	Pass      = "PASS"
	Fail      = "FAIL"
	Undecided = "UNDECIDED"
	// Excluded marks cells that are not simulated. Either their containers cannot hold the
	// models, or a bound proves that an objective is missed.
	Excluded = "EXCLUDED"
)

// Verdict says whether an objective is met.
type Verdict struct {
	SLO        string  `json:"slo"` // text of the objective, as the plan writes it
	Metric     string  `json:"metric"`
	Scope      Scope   `json:"scope"`
	Limit      float64 `json:"limit"`
	Outcome    string  `json:"outcome"` // PASS, FAIL or UNDECIDED
	Confidence float64 `json:"confidence"`
	// X of N requests exceed the limit. NEff is N divided by the variance inflation factor
	// VIF (CAP-5.5). All are 0 for objectives that are judged by an interval.
	N    int64   `json:"n"`
	X    int64   `json:"x"`
	NEff float64 `json:"n_eff"`
	VIF  float64 `json:"vif"`
	// Open counts requests without an answer when the simulation ends. It is unknown whether
	// these requests meet the limit.
	Open int64  `json:"open,omitempty"`
	Text string `json:"text,omitempty"` // what was found, if the verdict is FAIL or UNDECIDED
}

// Objective returns the objective as the plan writes it, followed by its model if it has one.
func (v *Verdict) Objective() string {
	if v.Scope.Model == "" {
		return v.SLO
	}
	return v.SLO + " of " + v.Scope.Model
}

// Find returns the estimate of a metric in the normal condition, or nil. If window is "" it
// returns the first such estimate.
func (r *Result) Find(metric, window string) *Estimate {
	for i := range r.Estimates {
		e := &r.Estimates[i]
		if e.Metric == metric && e.Scope.Condition == "" && e.Scope.Model == "" && (window == "" || e.Scope.Window == window) {
			return e
		}
	}
	return nil
}

// Of returns the estimate in a list that has the given metric and scope, or nil.
func Of(list []Estimate, metric string, of Scope) *Estimate {
	for i := range list {
		if list[i].Metric == metric && list[i].Scope == of {
			return &list[i]
		}
	}
	return nil
}

// Worst returns the estimate of a metric in the window where its value is highest, for all requests
// and the plan as written. It returns nil if no window has a value. windows is the number of
// windows with such an estimate.
func Worst(list []Estimate, metric string) (worst *Estimate, windows int) {
	for i := range list {
		e := &list[i]
		if e.Metric != metric || e.Scope.Condition != "" || e.Scope.Model != "" {
			continue
		}
		if windows++; e.Value != nil && (worst == nil || *e.Value > *worst.Value) {
			worst = e
		}
	}
	return worst, windows
}

// Window is a part of the horizon that was simulated request by request.
type Window struct {
	Name  string `json:"name"`
	Start int64  `json:"start"` // ns from the start of the horizon
	End   int64  `json:"end"`   // ns from the start of the horizon
	// Warmup and Least are the longest and the shortest time that replications simulated before
	// the window, in nanoseconds.
	Warmup int64 `json:"warmup"`
	Least  int64 `json:"warmup_least"`
	// Refused says why the window is not simulated. Unsettled says why the window is not steady
	// although it contains no event.
	Refused    string  `json:"refused,omitempty"`
	Unsettled  string  `json:"unsettled,omitempty"`
	Cut        int64   `json:"warmup_cut"`     // ns at the window's start that were left out as warm-up
	Stationary bool    `json:"stationary"`     // whether latencies are stable within the window
	Requests   int64   `json:"requests"`       // number of requests, pooled over replications
	Open       int64   `json:"open,omitempty"` // number of these requests without an answer when the simulation ends
	Rate       float64 `json:"rate"`           // mean offered rate, in requests per second
}

// Tier describes the containers of one tier: entry, ps or dense.
type Tier struct {
	Name       string  `json:"name"`
	Containers int     `json:"containers"` // number of containers of all shards
	Replicas   int     `json:"replicas"`   // number of replicas; for ps, of each shard
	Shards     int     `json:"shards"`
	CPU        float64 `json:"cpu"`        // cores of a container
	MemLimit   int64   `json:"mem_limit"`  // memory that a container may use, in bytes
	MemSteady  int64   `json:"mem_steady"` // memory of a container outside of rollovers, in bytes
	MemPeak    int64   `json:"mem_peak"`   // memory of a container during a rollover, in bytes
	Cost       float64 `json:"cost"`       // cost of all containers per hour
	// Busy is how many cores the threads keep busy at the peak rate. It is set only if the
	// contention model is none and lets threads use more cores than CPU. Otherwise it is 0.
	Busy float64 `json:"busy_cores,omitempty"`
	// Offered is the utilization of the tier at the peak rate.
	Offered float64 `json:"offered"`
	// Text says which values of num_shard fit into the memory of a container.
	Text string `json:"text,omitempty"`
}

// Part is one component of the request latency, such as a queue or a service time.
type Part struct {
	Name  string  `json:"name"`  // one of model.PartNames
	Mean  float64 `json:"mean"`  // nanoseconds per request
	Share float64 `json:"share"` // share of the mean latency
	// Tail is the share that this part has of the latency of the slowest 1 % of requests.
	Tail float64 `json:"tail_share"`
}

// Cause counts the requests that failed for one reason.
type Cause struct {
	Name     string  `json:"name"`
	Count    int64   `json:"count"`
	Fraction float64 `json:"fraction"`
}

// Saturation is the state of the fleet under its load.
type Saturation struct {
	State string `json:"state"` // STABLE, BACKLOGGED, OVERLOADED or METASTABLE; UNKNOWN if no request came
	Tier  string `json:"tier"`  // tier with the fullest container
	// Utilisation is the utilization of the fullest container at the worst time: at the peak,
	// during the plan's events, or under a condition of must_hold_under. WithRetries also counts
	// the load of retries.
	Utilisation float64 `json:"utilisation"`
	WithRetries float64 `json:"with_retries"`
	// Whole is the utilization at the peak with all containers that the plan starts with. Under
	// names the condition that gives the highest utilization. Since is the time from which the
	// highest utilization applies, and Event is the latest event at that time. Since is nil if the
	// peak without events is the worst.
	Whole float64 `json:"whole"`
	Under string  `json:"under,omitempty"`
	Since *int64  `json:"since,omitempty"`
	Event string  `json:"event,omitempty"`
	// Held is true if Utilisation describes the threads of the entry, which requests hold while
	// other tiers work for them (service.entry.hold). Closed is true if clients wait for answers.
	// Then Utilisation is a mean over a window, and there is no rate that fills the tier.
	Held   bool `json:"held,omitempty"`
	Closed bool `json:"closed,omitempty"`
	// LastedNs is the longest time, in nanoseconds, for which most requests kept failing after what
	// caused the failures had ended. Recovered is true if they stopped failing within the window.
	LastedNs  int64  `json:"lasted"`
	Window    string `json:"window,omitempty"`
	Recovered bool   `json:"recovered,omitempty"`
}

// ClosedForm compares the value of a formula with the simulated value.
type ClosedForm struct {
	Name    string `json:"name"`
	Section string `json:"section"` // section of the specification, such as CAP-7.1
	Unit    string `json:"unit"`
	Formula string `json:"formula"`
	// Metric is the metric of the simulated estimate to compare with, "" if there is none.
	Metric string   `json:"metric,omitempty"`
	Theory float64  `json:"theory"`
	Sim    *float64 `json:"simulated,omitempty"`
	// Residual is the simulated value divided by the theoretical value, minus one.
	Residual *float64 `json:"residual,omitempty"`
	// Bound is true if no fleet can do better than the formula says. Other formulas are
	// estimates that only order the cells of a search.
	Bound bool `json:"bound"`
}

// Checks holds the invariants that every run checks (CAP-7.6).
type Checks struct {
	// Little is the largest relative deviation from Little's law, over all queues and runs.
	Little float64 `json:"little"`
	// Conserved is true if arrivals exactly equal the sum of completed, failed and open
	// requests, and likewise for calls.
	Conserved bool  `json:"conserved"`
	Arrivals  int64 `json:"arrivals"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	InFlight  int64 `json:"in_flight"` // number of requests without an answer when the simulation ends
	// Simulated counts the requests of the windows and those simulated before and after them. The
	// counts of calls below are of all these requests.
	Simulated int64 `json:"simulated"`
	Sent      int64 `json:"calls_sent"`
	Answered  int64 `json:"calls_answered"`
	TimedOut  int64 `json:"calls_timed_out"`
	Refused   int64 `json:"calls_refused"`
	Open      int64 `json:"calls_in_flight"`
	// Abandoned counts calls that the caller gave up before their timeout. It does so when the
	// request has ended or another attempt has answered.
	Abandoned int64 `json:"calls_abandoned"`
	Late      int64 `json:"calls_late"` // number of calls that were answered after the caller had given up
	// Hedged counts second calls sent while a slow first call was still open. Sent includes them.
	Hedged int64 `json:"calls_hedged,omitempty"`
	// Skipped counts calls that a server did not begin because their deadline had passed.
	Skipped int64 `json:"calls_skipped,omitempty"`
	// BusiestCore is the utilization of the busiest container, at most 1.
	BusiestCore float64 `json:"busiest"`
}
