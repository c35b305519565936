package result

// Estimate is one number with how sure it is (CAP-5.1).
type Estimate struct {
	Metric string `json:"metric"` // as objectives write it: p99(request)
	Scope  Scope  `json:"scope"`
	Unit   string `json:"unit"` // ns, bytes, fraction, per_second, per_hour, count
	// Value is nil when there was not enough data; Text then says so.
	Value *float64 `json:"value"`
	// CI is the interval at Confidence, nil for what is computed and not estimated.
	CI         *[2]float64 `json:"ci"`
	Confidence float64     `json:"confidence"`
	N          int64       `json:"n"`     // observations
	NEff       float64     `json:"n_eff"` // what they are worth as independent ones
	Runs       int         `json:"replications"`
	WarmupCut  int64       `json:"warmup_cut"` // ns from the begin of the window that are left out, beside the warm-up before it
	Text       string      `json:"text,omitempty"`
	// Values are those of each replication, in order, so that results of the same requests
	// can be compared in pairs; none of cells of a search or a sweep.
	Values []float64 `json:"values,omitempty"`
}

// Scope is what an estimate is about; empty for all.
type Scope struct {
	Condition string `json:"condition,omitempty"` // of must_hold_under; "" for normal
	Window    string `json:"window,omitempty"`
	Tier      string `json:"tier,omitempty"`
	Event     string `json:"event,omitempty"`
	// Model is one of the mix; "" for all requests.
	Model string `json:"model,omitempty"`
}

// Outcome of a verdict.
const (
	Pass      = "PASS"
	Fail      = "FAIL"
	Undecided = "UNDECIDED"
	// Excluded is of cells only: what is not simulated, as containers do not hold their
	// models or a bound shows that no objective is met.
	Excluded = "EXCLUDED"
)

// Verdict is whether an objective is met.
type Verdict struct {
	SLO        string  `json:"slo"` // as the plan writes it
	Metric     string  `json:"metric"`
	Scope      Scope   `json:"scope"`
	Limit      float64 `json:"limit"`
	Outcome    string  `json:"outcome"` // PASS, FAIL or UNDECIDED
	Confidence float64 `json:"confidence"`
	// N of requests, X of which exceed the limit, and what they are worth after division
	// by VIF (CAP-5.5); 0 for objectives that are judged by an interval.
	N    int64   `json:"n"`
	X    int64   `json:"x"`
	NEff float64 `json:"n_eff"`
	VIF  float64 `json:"vif"`
	Text string  `json:"text,omitempty"` // what was found, for FAIL and UNDECIDED
}

// Objective returns the objective as the plan writes it, with the model that it is of.
func (v *Verdict) Objective() string {
	if v.Scope.Model == "" {
		return v.SLO
	}
	return v.SLO + " of " + v.Scope.Model
}

// Find returns the estimate of a metric in the normal condition, nil for none. window "" is
// the first that has it.
func (r *Result) Find(metric, window string) *Estimate {
	for i := range r.Estimates {
		e := &r.Estimates[i]
		if e.Metric == metric && e.Scope.Condition == "" && e.Scope.Model == "" && (window == "" || e.Scope.Window == window) {
			return e
		}
	}
	return nil
}

// Window is a part of the horizon that was simulated request by request.
type Window struct {
	Name       string  `json:"name"`
	Start      int64   `json:"start"` // ns
	End        int64   `json:"end"`
	Warmup     int64   `json:"warmup"` // simulated before it and left out
	Cut        int64   `json:"warmup_cut"`
	Stationary bool    `json:"stationary"`
	Requests   int64   `json:"requests"` // pooled over replications
	Rate       float64 `json:"rate"`     // mean offered, per second
}

// Tier is one kind of container: what there is, what it costs and holds.
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
	// Offered is the work that comes at the peak rate over what the tier can do.
	Offered float64 `json:"offered"`
	// Text is what of memory has to be known: which num_shard fits, and which does not.
	Text string `json:"text,omitempty"`
}

// Part is a share of the latency of requests.
type Part struct {
	Name  string  `json:"name"`  // entry queue, entry compute, retry, connection wait, network, ps queue, ps compute, batch wait, dense queue, dense compute, slowest shard
	Mean  float64 `json:"mean"`  // ns a request
	Share float64 `json:"share"` // of the mean latency
	// Tail is the share among the slowest hundredth.
	Tail float64 `json:"tail_share"`
}

// Cause is how many requests failed for one reason.
type Cause struct {
	Name     string  `json:"name"`
	Count    int64   `json:"count"`
	Fraction float64 `json:"fraction"`
}

// Saturation is the state that the fleet was in.
type Saturation struct {
	State string `json:"state"` // STABLE, BACKLOGGED, OVERLOADED or METASTABLE; UNKNOWN when no request came
	Tier  string `json:"tier"`  // the fullest
	// Utilisation is that of the fullest tier at the peak, with retries WithRetries.
	Utilisation float64 `json:"utilisation"`
	WithRetries float64 `json:"with_retries"`
	// LastedNs is how long a metastable state lasted after the load fell, in a window; it
	// was over before the window's end where it Recovered.
	LastedNs  int64  `json:"lasted"`
	Window    string `json:"window,omitempty"`
	Recovered bool   `json:"recovered,omitempty"`
}

// ClosedForm is a formula beside what was simulated.
type ClosedForm struct {
	Name    string `json:"name"`
	Section string `json:"section"` // of the specification, as CAP-7.1
	Unit    string `json:"unit"`
	Formula string `json:"formula"`
	// Metric is the estimate that stands beside it, "" for none.
	Metric string   `json:"metric,omitempty"`
	Theory float64  `json:"theory"`
	Sim    *float64 `json:"simulated,omitempty"`
	// Residual is simulated over theory, less one.
	Residual *float64 `json:"residual,omitempty"`
	// Bound reports a hard bound; the others are estimates that only order a search.
	Bound bool `json:"bound"`
}

// Checks are the invariants of every run (CAP-7.6).
type Checks struct {
	// Little is the greatest residual of Little's law, of all queues and runs.
	Little float64 `json:"little"`
	// Conserved reports that arrivals are completed, failed and in flight, exactly, and
	// calls likewise.
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
	// Abandoned are those that a caller gave up for another reason than their timeout: its
	// request had ended, or a hedge had answered.
	Abandoned int64 `json:"calls_abandoned"`
	Late      int64 `json:"calls_late"` // answered after their caller had given up
	// Hedged are those of Sent that went beside one that took long.
	Hedged int64 `json:"calls_hedged,omitempty"`
	// BusiestCore is the greatest busy share of a container: at most 1.
	BusiestCore float64 `json:"busiest"`
}
