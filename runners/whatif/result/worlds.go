package result

// Worlds are what came of values that are not known for sure (CAP-5.8): the plan was
// simulated with values that were drawn of them, once for each world.
type Worlds struct {
	Count int     `json:"count"`
	Hold  float64 `json:"hold"` // share of the worlds in which objectives have to hold
	// Interval is the middle share of the worlds that intervals have.
	Interval float64      `json:"interval"`
	Inputs   []WorldInput `json:"inputs"`
	// Misfits holds worlds in which containers do not hold their models, and why: no
	// objective holds there.
	Misfits   []string        `json:"misfits,omitempty"`
	Estimates []WorldEstimate `json:"estimates"`
	Verdicts  []WorldVerdict  `json:"verdicts"`
}

// WorldInput is a value that is not known for sure.
type WorldInput struct {
	Path       string  `json:"path"`
	Low        string  `json:"low,omitempty"`
	Mid        string  `json:"mid"`
	High       string  `json:"high,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Belief     string  `json:"belief,omitempty"`
	// Values holds what was drawn, by world.
	Values []string `json:"values"`
	// Influence is the rank correlation of the value with Metric over the worlds: what is
	// near 1 or -1 is worth measuring.
	Influence float64 `json:"influence"`
	Metric    string  `json:"metric"`
}

// WorldEstimate is one number over the worlds.
type WorldEstimate struct {
	Metric string  `json:"metric"`
	Scope  Scope   `json:"scope"`
	Unit   string  `json:"unit"`
	Mean   float64 `json:"mean"`
	// Range has the middle share Interval of the worlds.
	Range [2]float64 `json:"range"`
	// Epistemic is the standard deviation over the worlds, for want of knowledge;
	// Aleatory that of the estimate within a world, for want of simulation.
	Epistemic float64   `json:"epistemic"`
	Aleatory  float64   `json:"aleatory"`
	Values    []float64 `json:"values"` // of each world that has one, in order
}

// WorldVerdict is in how many worlds an objective is met.
type WorldVerdict struct {
	SLO       string `json:"slo"`
	Scope     Scope  `json:"scope"`
	Pass      int    `json:"pass"`
	Fail      int    `json:"fail"`
	Undecided int    `json:"undecided"`
	Outcome   string `json:"outcome"` // PASS where it holds in enough worlds
}

// Judge says whether enough worlds of so many pass.
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
