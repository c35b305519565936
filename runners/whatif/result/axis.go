package result

// Series is what happens in a window in which something happens, step by step.
type Series struct {
	Window string   `json:"window"`
	Step   int64    `json:"step"` // ns
	Marks  []Mark   `json:"marks"`
	Points []Moment `json:"points"`
}

// Mark is an instant at which an event begins, ends, or is noticed.
type Mark struct {
	At   int64  `json:"at"` // ns
	Text string `json:"text"`
}

// Moment is one step of a series. Requests belong to the step in which they should have come,
// answers to that in which they come, and containers are as at its end.
type Moment struct {
	At      int64   `json:"at"`      // ns of the horizon at which it begins
	Offered float64 `json:"offered"` // requests a second
	// Errors is nil in a step without a request, P50 and P99 in one whose requests all fail.
	Errors  *Banded `json:"errors"`
	Goodput *Banded `json:"goodput"` // a second
	P50     *Banded `json:"p50"`     // ns
	P99     *Banded `json:"p99"`
	// By tier: cores that work, calls without a core of their own, and live containers.
	Busy    map[string]*Banded `json:"busy_cores"`
	Waiting map[string]*Banded `json:"waiting"`
	Live    map[string]*Banded `json:"live"`
	Mem     map[string]int64   `json:"mem"` // fullest container by tier
	// ZooKeeper is how many requests a second agents send, by formula: at rest, and for each
	// container that is listed anew or no longer, and that has loaded a version (CAP-3.12).
	ZooKeeper float64 `json:"zookeeper"`
}

// Banded is a value over all replications, with the middle 90 % of those of single ones.
type Banded struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
