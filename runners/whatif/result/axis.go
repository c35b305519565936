package result

// Series holds the metrics over time of a window that contains events, in steps of equal
// length.
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

// Moment is one step of a series. A request counts in the step in which it was due, and an
// answer in the step in which it arrives. Container counts are those at the end of the step.
type Moment struct {
	At      int64   `json:"at"`      // ns from the start of the horizon to the start of the step
	Offered float64 `json:"offered"` // requests a second
	// Errors is nil in a step without requests. P50 and P99 are nil in a step in which every
	// request fails.
	Errors  *Banded `json:"errors"`
	Goodput *Banded `json:"goodput"` // answered requests per second
	P50     *Banded `json:"p50"`     // median latency in ns
	P99     *Banded `json:"p99"`
	// Busy, Waiting and Live hold, by tier, the numbers of busy cores, of calls that wait for a
	// core, and of live containers.
	Busy    map[string]*Banded `json:"busy_cores"`
	Waiting map[string]*Banded `json:"waiting"`
	Live    map[string]*Banded `json:"live"`
	Mem     map[string]int64   `json:"mem"` // memory of the fullest container of each tier
	// ZooKeeper is how many requests a second agents send, by formula. It is the sum of the steady
	// load and of the reads for each container that appears, disappears or has loaded a version
	// (CAP-3.12).
	ZooKeeper float64 `json:"zookeeper"`
}

// Banded is a value over all replications. Low and High bound the middle 90 % of the
// replications' own values.
type Banded struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
