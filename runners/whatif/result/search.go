package result

// Answer is the cheapest configuration that passes.
type Answer struct {
	Point      map[string]string `json:"point"` // path to value
	Cost       float64           `json:"cost"`  // per hour
	Containers int               `json:"containers"`
	// AsWritten is the cost of the plan without the search.
	AsWritten float64 `json:"cost_as_written"`
	// Proven reports that the certificate is complete.
	Proven bool `json:"proven"`
	// CostPerQPS is the cost an hour of one request a second at the peak.
	CostPerQPS float64 `json:"cost_per_qps"`
}

// Cell is one configuration of a search or a sweep.
type Cell struct {
	Point      map[string]string `json:"point"`
	Cost       float64           `json:"cost"`
	Containers int               `json:"containers"`
	Outcome    string            `json:"outcome"` // PASS, FAIL, UNDECIDED or EXCLUDED
	// Argument says why a cell is excluded: memory, utilisation, latency bound,
	// simulated, monotone.
	Argument string `json:"argument,omitempty"`
	// Reason is the sentence: which objective, under which condition, by how much.
	Reason    string     `json:"reason,omitempty"`
	Knob      string     `json:"knob,omitempty"` // of a neighbour: the path that is one step cheaper
	Estimates []Estimate `json:"estimates,omitempty"`
	Verdicts  []Verdict  `json:"verdicts,omitempty"`
}

// Certificate says what was shown of an answer (CAP-5.10).
type Certificate struct {
	Label      string         `json:"label"` // full or monotone-assumed
	Complete   bool           `json:"complete"`
	Confidence float64        `json:"confidence"`    // of each condition, after Bonferroni
	Conditions []string       `json:"conditions"`    // the placement classes that were judged
	Cells      int            `json:"cells"`         // of the grid
	Excluded   map[string]int `json:"excluded"`      // cells by argument
	Simulated  int            `json:"simulated"`     // cells
	Requests   int64          `json:"requests"`      // simulated in all
	GridCost   int64          `json:"grid_requests"` // what simulating every cell would take
	// VarianceReduction is by how much common random numbers narrowed differences.
	VarianceReduction float64 `json:"variance_reduction"`
	Open              []Cell  `json:"open"`
	All               []Cell  `json:"all_cells"`
}

// Tornado is what a change of one input does.
type Tornado struct {
	Input string  `json:"input"`
	Low   float64 `json:"low"`  // p99(request) in ns with the input at 90 %
	High  float64 `json:"high"` // with 110 %
	Base  float64 `json:"base"`
	Unit  string  `json:"unit"`
	// LowCI and HighCI are those of the differences to Base, on pairs, added to Base.
	LowCI      [2]float64 `json:"low_ci"`
	HighCI     [2]float64 `json:"high_ci"`
	Confidence float64    `json:"confidence"`
}

// Sweep is a grid that was simulated.
type Sweep struct {
	Name  string   `json:"name"`
	Paths []string `json:"paths"`
	Cells []Cell   `json:"cells"`
}
