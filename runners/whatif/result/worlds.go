package result

// Worlds holds the results over uncertain inputs (CAP-5.8). Each world is the plan with one
// random value for each uncertain input.
type Worlds struct {
	Count int     `json:"count"`
	Hold  float64 `json:"hold"` // share of the worlds in which an objective has to hold
	// Interval is the share of the worlds that each Range covers, such as the middle 90 %.
	Interval float64      `json:"interval"`
	Inputs   []WorldInput `json:"inputs"`
	// Misfits lists the worlds whose containers cannot hold their models, with the reason.
	// No objective holds there.
	Misfits   []string        `json:"misfits,omitempty"`
	Estimates []WorldEstimate `json:"estimates"`
	Verdicts  []WorldVerdict  `json:"verdicts"`
}

// WorldInput is an uncertain input.
type WorldInput struct {
	Path       string  `json:"path"`
	Low        string  `json:"low,omitempty"`
	Mid        string  `json:"mid"`
	High       string  `json:"high,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Belief     string  `json:"belief,omitempty"`
	// Values holds the drawn value of each world.
	Values []string `json:"values"`
	// Influence is the rank correlation between the input and Metric over the worlds. An input
	// with a value near 1 or -1 is worth measuring.
	Influence float64 `json:"influence"`
	Metric    string  `json:"metric"`
}

// WorldEstimate summarizes the estimates of one metric over all worlds.
type WorldEstimate struct {
	Metric string  `json:"metric"`
	Scope  Scope   `json:"scope"`
	Unit   string  `json:"unit"`
	Mean   float64 `json:"mean"`
	// Range bounds the middle share of the worlds' values. Worlds.Interval is that share.
	Range [2]float64 `json:"range"`
	// Epistemic is the standard deviation that uncertain inputs cause. Aleatory is the standard
	// deviation that the simulation within each world causes.
	Epistemic float64   `json:"epistemic"`
	Aleatory  float64   `json:"aleatory"`
	Values    []float64 `json:"values"` // values in the worlds that have one, in the order of the worlds
}

// WorldVerdict counts the worlds in which an objective is met.
type WorldVerdict struct {
	SLO       string `json:"slo"`
	Scope     Scope  `json:"scope"`
	Pass      int    `json:"pass"`
	Fail      int    `json:"fail"`
	Undecided int    `json:"undecided"`
	Outcome   string `json:"outcome"` // PASS if the objective holds in enough worlds
}

// Judge decides whether enough worlds pass, given how many passed and failed so far.
func (w *Worlds) Judge(pass, fail int) string {
	const rounding = 1e-9
	switch need := w.Hold*float64(w.Count) - rounding; {
	case float64(pass) >= need:
		return Pass
	case float64(w.Count-fail) < need:
		return Fail
	}
	return Undecided
}
