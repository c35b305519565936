package result

import (
	"cmp"
	"slices"
)

// Answer is the cheapest configuration that passes.
type Answer struct {
	Point map[string]string `json:"point"` // path to value
	// Numbers holds the values of Point in base units, of those that are numbers.
	Numbers    map[string]float64 `json:"numbers,omitempty"`
	Cost       float64            `json:"cost"` // per hour
	Containers int                `json:"containers"`
	// AsWritten is the cost of the plan without the search.
	AsWritten float64 `json:"cost_as_written"`
	// Proven reports that the certificate is complete.
	Proven bool `json:"proven"`
	// CostPerQPS is the cost an hour of one request a second at the peak.
	CostPerQPS float64 `json:"cost_per_qps"`
	// Rate is the greatest rate at the peak, of a search over it; Knee that at which p99 is
	// twice that of a low one, 0 where it was not seen.
	Rate float64 `json:"rate,omitempty"`
	Knee float64 `json:"knee,omitempty"`
	// Worlds are those in which the answer was judged, nil where nothing is unsure.
	Worlds *CellWorlds `json:"worlds,omitempty"`
}

// Cell is one configuration of a search or a sweep.
type Cell struct {
	Point map[string]string `json:"point"`
	// Numbers holds the values of Point in base units, of those that are numbers.
	Numbers    map[string]float64 `json:"numbers,omitempty"`
	Cost       float64            `json:"cost"`
	Containers int                `json:"containers"`
	Outcome    string             `json:"outcome"` // PASS, FAIL, UNDECIDED or EXCLUDED
	// Argument says why a cell is excluded: memory, utilisation, latency bound,
	// simulated, monotone.
	Argument string `json:"argument,omitempty"`
	// Constraint is what it breaks: an objective, utilisation or memory, with the condition.
	Constraint string `json:"constraint,omitempty"`
	// Reason is the sentence: which objective, under which condition, by how much.
	Reason string  `json:"reason,omitempty"`
	Rate   float64 `json:"rate,omitempty"` // at the peak
	// Closed is p99(request) by formulas, 0 where a tier is full (CAP-6.2).
	Closed    float64    `json:"closed_form,omitempty"`
	Knob      string     `json:"knob,omitempty"` // of a neighbour: the path that is one step cheaper
	Estimates []Estimate `json:"estimates,omitempty"`
	Verdicts  []Verdict  `json:"verdicts,omitempty"`
	// Worlds are those in which the cell was judged, nil where nothing is unsure.
	Worlds *CellWorlds `json:"worlds,omitempty"`
}

// CellWorlds is in how many worlds a cell holds under all conditions; worlds after it was
// decided were not simulated.
type CellWorlds struct {
	Count     int `json:"count"`
	Pass      int `json:"pass"`
	Fail      int `json:"fail"`
	Undecided int `json:"undecided"`
}

// Certificate says what was shown of an answer (CAP-5.10).
type Certificate struct {
	Label      string   `json:"label"` // full or monotone-assumed
	Complete   bool     `json:"complete"`
	Confidence float64  `json:"confidence"` // of each condition, after Bonferroni
	Conditions []string `json:"conditions"` // under which cells were judged
	// Placements are those of the conditions of the form "any K", of the answer, or of the plan
	// as it is written where there is none.
	Placements []Placements   `json:"placements,omitempty"`
	Cells      int            `json:"cells"`         // of the grid
	Excluded   map[string]int `json:"excluded"`      // cells by argument
	Simulated  int            `json:"simulated"`     // cells
	Requests   int64          `json:"requests"`      // simulated in all
	GridCost   int64          `json:"grid_requests"` // what simulating every cell would take
	// Binding is what keeps every cell from holding, nil where one holds (CAP-6.7).
	Binding *Binding `json:"binding,omitempty"`
	// VarianceReduction is by how much common random numbers narrowed differences.
	VarianceReduction float64 `json:"variance_reduction"`
	Open              []Cell  `json:"open"`
	All               []Cell  `json:"all_cells"`
}

// Binding is a constraint that no cell meets, by the cell that is nearest to it.
type Binding struct {
	// Constraint is an objective, utilisation or memory, with the condition.
	Constraint string            `json:"constraint"`
	Argument   string            `json:"argument"` // as of the cell
	Reason     string            `json:"reason"`   // with what was found
	Point      map[string]string `json:"point"`    // of the cell
}

// Placements is what a condition of the form "any K" may take away (CAP-6.5).
type Placements struct {
	Condition string `json:"condition"` // as the plan writes it
	// Placements are the sets of K containers, or idcs; Classes those that differ in something
	// that counts, More that there are more of them than were counted.
	Placements float64 `json:"placements"`
	Classes    int     `json:"classes"`
	More       bool    `json:"more_classes,omitempty"`
	// Judged holds the classes that were: all of them, or those of which none leaves a fuller
	// shard.
	Judged []PlacementClass `json:"judged"`
}

// PlacementClass is a class of placements.
type PlacementClass struct {
	Text       string  `json:"text"`
	Placements float64 `json:"placements"` // in it
}

// Regret is what a configuration costs too much, over the worlds of what is not known for sure
// (CAP-5.8): beyond the cheapest of those compared that holds there; one that does not hold
// has the whole price of that one, which has to be had besides.
type Regret struct {
	Point      map[string]string `json:"point"`
	Cost       float64           `json:"cost"` // per hour, with middle values
	Containers int               `json:"containers"`
	Mean       float64           `json:"mean_regret"` // per hour
	Most       float64           `json:"max_regret"`
	Holds      int               `json:"holds"` // worlds
	Worlds     int               `json:"worlds"`
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
	// Knee is the rate at which p99 is twice that of the lowest rate, of a sweep over it; 0
	// where it was not seen.
	Knee float64 `json:"knee,omitempty"`
}

// FindKnee returns the rate at which p99 is twice that of the lowest rate, between two cells that
// were simulated; 0 where it is not among them, or where rates do not rise.
func (s *Sweep) FindKnee() float64 {
	var rates, values []float64
	for i := range s.Cells {
		c := &s.Cells[i]
		k := slices.IndexFunc(c.Estimates, func(e Estimate) bool {
			return e.Metric == "p99(request)" && e.Scope.Condition == "" && e.Scope.Model == "" && e.Value != nil
		})
		if k < 0 {
			continue
		}
		if n := len(rates); n > 0 && c.Rate <= rates[n-1] {
			return 0
		}
		rates, values = append(rates, c.Rate), append(values, *c.Estimates[k].Value)
	}
	for i := 1; i < len(values); i++ {
		if limit := 2 * values[0]; cmp.Less(limit, values[i]) {
			part := (limit - values[i-1]) / (values[i] - values[i-1])
			return rates[i-1] + float64(part*(rates[i]-rates[i-1]))
		}
	}
	return 0
}

// LoadCurve is latency over load by formulas.
type LoadCurve struct {
	// Full is the rate at which Tier is full, Peak that of the plan.
	Full   float64     `json:"full"`
	Tier   string      `json:"tier"`
	Peak   float64     `json:"peak"`
	Points []LoadPoint `json:"points"`
}

// LoadPoint is p99(request) by formulas at a rate.
type LoadPoint struct {
	Rate float64 `json:"rate"`
	P99  float64 `json:"p99"`
}
