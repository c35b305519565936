package result

// Estimate is a number with its confidence interval (CAP-5.1).
type Estimate struct {
	Metric string `json:"metric"` // as objectives write it, such as p99(request)
	Scope  Scope  `json:"scope"`
	Unit   string `json:"unit"` // ns, bytes, fraction, per_second, per_hour, count
	// Value is nil when there was not enough data, which Text then says.
	Value *float64 `json:"value"`
	// CI is the interval at Confidence, nil for values that are computed exactly.
	CI         *[2]float64 `json:"ci"`
	Confidence float64     `json:"confidence"`
	N          int64       `json:"n"`     // observations
	NEff       float64     `json:"n_eff"` // equivalent number of independent observations
	Runs       int         `json:"replications"`
	WarmupCut  int64       `json:"warmup_cut"` // nanoseconds cut from the begin of the window, beside the warm-up before it
	Text       string      `json:"text,omitempty"`
	// Values holds the value of each replication in order, so that results for the same
	// requests can be compared in pairs. Cells of a search or sweep have none.
	Values []float64 `json:"values,omitempty"`
}

// Scope says what an estimate is about. The zero value means all requests of the plan.
type Scope struct {
	Condition string `json:"condition,omitempty"` // of must_hold_under; "" for normal
	Window    string `json:"window,omitempty"`
	Tier      string `json:"tier,omitempty"`
	Event     string `json:"event,omitempty"`
	// Model is a model of the mix; "" means all requests.
	Model string `json:"model,omitempty"`
}

// Outcomes of verdicts.
const (
	Pass      = "PASS"
	Fail      = "FAIL"
	Undecided = "UNDECIDED"
	// Excluded is for cells that are not simulated, because containers cannot hold their
	// models or a bound shows that an objective is missed.
	Excluded = "EXCLUDED"
)

// Verdict says whether an objective is met.
type Verdict struct {
	SLO        string  `json:"slo"` // as the plan writes it
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
	// Open counts the requests of which nobody knows whether they meet the limit, as they
	// have no answer when the simulation ends.
	Open int64  `json:"open,omitempty"`
	Text string `json:"text,omitempty"` // what was found, for FAIL and UNDECIDED
}

// Objective returns the objective as the plan writes it, with its model.
func (v *Verdict) Objective() string {
	if v.Scope.Model == "" {
		return v.SLO
	}
	return v.SLO + " of " + v.Scope.Model
}

// Find returns the estimate of a metric in the normal condition, or nil. With the window ""
// it returns the first one.
func (r *Result) Find(metric, window string) *Estimate {
	for i := range r.Estimates {
		e := &r.Estimates[i]
		if e.Metric == metric && e.Scope.Condition == "" && e.Scope.Model == "" && (window == "" || e.Scope.Window == window) {
			return e
		}
	}
	return nil
}

// Of returns the estimate of a metric in a scope from a list, or nil.
func Of(list []Estimate, metric string, of Scope) *Estimate {
	for i := range list {
		if list[i].Metric == metric && list[i].Scope == of {
			return &list[i]
		}
	}
	return nil
}

// Window is a part of the horizon that was simulated request by request.
type Window struct {
	Name  string `json:"name"`
	Start int64  `json:"start"` // ns
	End   int64  `json:"end"`
	// Warmup is how many nanoseconds were simulated before it at most, over the replications, and
	// Least how many at least.
	Warmup int64 `json:"warmup"`
	Least  int64 `json:"warmup_least"`
	// Refused says why it is not simulated, and Unsettled why it is not steady though nothing
	// happens in it.
	Refused    string  `json:"refused,omitempty"`
	Unsettled  string  `json:"unsettled,omitempty"`
	Cut        int64   `json:"warmup_cut"`
	Stationary bool    `json:"stationary"`
	Requests   int64   `json:"requests"`       // pooled over replications
	Open       int64   `json:"open,omitempty"` // of them, without an answer when the simulation ends
	Rate       float64 `json:"rate"`           // mean offered, per second
}

// Tier describes one kind of container.
type Tier struct {
	Name       string  `json:"name"`
	Containers int     `json:"containers"`
	Replicas   int     `json:"replicas"` // of each shard for ps
	Shards     int     `json:"shards"`
	CPU        float64 `json:"cpu"`
	MemLimit   int64   `json:"mem_limit"`
	MemSteady  int64   `json:"mem_steady"`
	MemPeak    int64   `json:"mem_peak"` // at a rollover
	Cost       float64 `json:"cost"`     // per hour, all containers
	// Busy is how many cores the threads keep busy at the peak rate, where contention none
	// lets them be more than CPU; 0 elsewhere.
	Busy float64 `json:"busy_cores,omitempty"`
	// Offered is the utilisation at the peak rate.
	Offered float64 `json:"offered"`
	// Text says which num_shard fits into memory.
	Text string `json:"text,omitempty"`
}

// Part is one part of the latency of requests.
type Part struct {
	Name  string  `json:"name"`  // as in model.PartNames
	Mean  float64 `json:"mean"`  // nanoseconds per request
	Share float64 `json:"share"` // of the mean latency
	// Tail is its share of the latency of the slowest hundredth.
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
	State string `json:"state"` // STABLE, BACKLOGGED, OVERLOADED or METASTABLE; UNKNOWN when no request came
	Tier  string `json:"tier"`  // the fullest
	// Utilisation is that of the fullest container in the state that binds: at the peak, under
	// the events of the plan and the conditions that it has to hold under. WithRetries counts
	// retries, too.
	Utilisation float64 `json:"utilisation"`
	WithRetries float64 `json:"with_retries"`
	// Whole is the utilisation at the peak with all containers as the plan begins. Under names
	// the condition that binds, and Since the instant from which it does, with the event Event,
	// nil where the peak binds as the plan begins.
	Whole float64 `json:"whole"`
	Under string  `json:"under,omitempty"`
	Since *int64  `json:"since,omitempty"`
	Event string  `json:"event,omitempty"`
	// LastedNs is how long requests of a window went on failing after the cause was gone.
	// Recovered says that this ended within the window.
	LastedNs  int64  `json:"lasted"`
	Window    string `json:"window,omitempty"`
	Recovered bool   `json:"recovered,omitempty"`
}

// ClosedForm compares a formula with the simulation.
type ClosedForm struct {
	Name    string `json:"name"`
	Section string `json:"section"` // of the specification, such as CAP-7.1
	Unit    string `json:"unit"`
	Formula string `json:"formula"`
	// Metric is the estimate to compare with, "" for none.
	Metric string   `json:"metric,omitempty"`
	Theory float64  `json:"theory"`
	Sim    *float64 `json:"simulated,omitempty"`
	// Residual is simulated over theory, minus one.
	Residual *float64 `json:"residual,omitempty"`
	// Bound says that no fleet can do better. Other forms are estimates, which only order a
	// search.
	Bound bool `json:"bound"`
}

// Checks holds the invariants that every run checks (CAP-7.6).
type Checks struct {
	// Little is the largest residual of Little's law, over all queues and runs.
	Little float64 `json:"little"`
	// Conserved says that arrivals equal the completed, failed and open requests exactly,
	// and likewise for calls.
	Conserved bool  `json:"conserved"`
	Arrivals  int64 `json:"arrivals"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	InFlight  int64 `json:"in_flight"`
	Sent      int64 `json:"calls_sent"`
	Answered  int64 `json:"calls_answered"`
	TimedOut  int64 `json:"calls_timed_out"`
	Refused   int64 `json:"calls_refused"`
	Open      int64 `json:"calls_in_flight"`
	// Abandoned counts calls that a caller gave up before their timeout, because the
	// request had ended or another attempt had answered.
	Abandoned int64 `json:"calls_abandoned"`
	Late      int64 `json:"calls_late"` // answered after the caller had given up
	// Hedged counts calls that were sent beside one that took long. Sent includes them.
	Hedged int64 `json:"calls_hedged,omitempty"`
	// Skipped counts calls that were not begun, as their deadline had passed.
	Skipped int64 `json:"calls_skipped,omitempty"`
	// BusiestCore is the largest busy share of a container, at most 1.
	BusiestCore float64 `json:"busiest"`
}
