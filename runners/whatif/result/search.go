package result

import (
	"cmp"
)

// Answer is the cheapest configuration that passes.
type Answer struct {
	Point map[string]string `json:"point"` // path to value
	// Numbers holds those values of Point that are numbers, in base units.
	Numbers    map[string]float64 `json:"numbers,omitempty"`
	Cost       float64            `json:"cost"` // per hour
	Containers int                `json:"containers"`
	// AsWritten is the hourly cost of the plan as it was before the search.
	AsWritten float64 `json:"cost_as_written"`
	// Proven is true if the certificate is complete: every cheaper cell is excluded.
	Proven bool `json:"proven"`
	// CostPerQPS is the hourly cost divided by the peak rate in requests per second.
	CostPerQPS float64 `json:"cost_per_qps"`
	// Rate is the highest peak rate at which the objectives are met, for a search over the rate.
	// Knee is the rate at which p99 is twice the p99 at a low rate, 0 if the search did not reach
	// this point.
	Rate float64 `json:"rate,omitempty"`
	Knee float64 `json:"knee,omitempty"`
	// Worlds says in how many worlds the answer holds, nil when no input is uncertain.
	Worlds *CellWorlds `json:"worlds,omitempty"`
}

// Cell is one configuration of a search or a sweep.
type Cell struct {
	Point map[string]string `json:"point"`
	// Numbers holds those values of Point that are numbers, in base units.
	Numbers    map[string]float64 `json:"numbers,omitempty"`
	Cost       float64            `json:"cost"`
	Containers int                `json:"containers"`
	Outcome    string             `json:"outcome"` // PASS, FAIL, UNDECIDED or EXCLUDED
	// Argument says how a cell was excluded: memory, utilisation, latency bound, simulated, or
	// monotone.
	Argument string `json:"argument,omitempty"`
	// Constraint names the constraint that the cell violates: an objective, utilisation or
	// memory, with the condition.
	Constraint string `json:"constraint,omitempty"`
	// Reason says in a sentence which objective is missed, under which condition and by how
	// much.
	Reason string  `json:"reason,omitempty"`
	Rate   float64 `json:"rate,omitempty"` // peak rate in requests per second
	// Closed is p99(request) in nanoseconds by formulas. It is 0 when a tier is overloaded
	// (CAP-6.2).
	Closed float64 `json:"closed_form,omitempty"`
	// Knob, for a neighbour of the best cell, is the path of the key whose value is one step cheaper.
	Knob      string     `json:"knob,omitempty"`
	Estimates []Estimate `json:"estimates,omitempty"`
	Verdicts  []Verdict  `json:"verdicts,omitempty"`
	// Worlds says in how many worlds the cell holds, nil when no input is uncertain.
	Worlds *CellWorlds `json:"worlds,omitempty"`
}

// CellWorlds counts the worlds in which a cell meets the objectives under all conditions.
// Simulation of further worlds stops once the cell is decided.
type CellWorlds struct {
	Count     int `json:"count"`
	Pass      int `json:"pass"`
	Fail      int `json:"fail"`
	Undecided int `json:"undecided"`
}

// Certificate says what was proved about an answer (CAP-5.10).
type Certificate struct {
	Label      string   `json:"label"` // full or monotone-assumed
	Complete   bool     `json:"complete"`
	Confidence float64  `json:"confidence"` // confidence required for each condition, after Bonferroni's correction
	Conditions []string `json:"conditions"` // conditions under which cells were judged
	// Placements describes the conditions of the form "any K". It is for the answer or, if there
	// is no answer, for the plan as written.
	Placements []Placements   `json:"placements,omitempty"`
	Cells      int            `json:"cells"`         // number of cells of the grid
	Excluded   map[string]int `json:"excluded"`      // number of excluded cells, by the argument that excludes them
	Simulated  int            `json:"simulated"`     // number of simulated cells
	Requests   int64          `json:"requests"`      // number of requests simulated in all
	GridCost   int64          `json:"grid_requests"` // number of requests it would take to simulate every cell
	// Binding is the constraint that keeps every cell from passing, nil when some cell passes
	// (CAP-6.7).
	Binding *Binding `json:"binding,omitempty"`
	// VarianceReduction is the factor by which common random numbers reduced the variance of
	// differences between cells.
	VarianceReduction float64 `json:"variance_reduction"`
	Open              []Cell  `json:"open"`
	All               []Cell  `json:"all_cells"`
}

// Binding is a constraint that no cell meets. Its other fields describe the cell that comes
// nearest to meeting it.
type Binding struct {
	// Constraint names an objective, utilisation or memory, with the condition under which it is
	// violated.
	Constraint string            `json:"constraint"`
	Argument   string            `json:"argument"` // argument that excludes the cells, as in [Cell].Argument
	Reason     string            `json:"reason"`   // the argument's text, with the value that was found
	Point      map[string]string `json:"point"`    // values of the cell, by path
}

// Placements counts the sets of containers that may fail under a condition such as "any 2 ps"
// (CAP-6.5).
type Placements struct {
	Condition string `json:"condition"` // entry of must_hold_under, as the plan writes it
	// Placements counts the possible sets of K containers or idcs. Classes counts groups of
	// equivalent sets. More is true if the enumeration stopped before the last class.
	Placements float64 `json:"placements"`
	Classes    int     `json:"classes"`
	More       bool    `json:"more_classes,omitempty"`
	// Judged lists the classes that were judged: all of them, or those with the fullest
	// shard.
	Judged []PlacementClass `json:"judged"`
}

// PlacementClass is a class of placements that are equivalent for the simulation.
type PlacementClass struct {
	Text       string  `json:"text"`
	Placements float64 `json:"placements"` // number of placements in the class
}

// Regret compares configurations over the worlds of uncertain inputs (CAP-5.8). The regret
// in a world is the extra cost over the cheapest configuration that holds there. The regret
// of a configuration that does not hold is the full price of that cheapest configuration,
// because it must be bought in addition.
type Regret struct {
	Point      map[string]string `json:"point"`
	Cost       float64           `json:"cost"` // cost per hour with the middle values of uncertain inputs
	Containers int               `json:"containers"`
	Mean       float64           `json:"mean_regret"` // mean regret per hour
	Most       float64           `json:"max_regret"`  // largest regret per hour in any world
	Holds      int               `json:"holds"`       // number of worlds in which the configuration holds
	Worlds     int               `json:"worlds"`      // number of worlds that were compared
}

// Tornado is the effect on the p99 of lowering an input by 10 %, and of raising it by 10 %.
type Tornado struct {
	Input string  `json:"input"`
	Low   float64 `json:"low"`  // p99(request), in ns, if the input is at 90 % of its value
	High  float64 `json:"high"` // p99(request), in ns, if the input is at 110 % of its value
	Base  float64 `json:"base"` // p99(request), in ns, of the plan as written
	Unit  string  `json:"unit"`
	// LowCI and HighCI are the confidence intervals of Low and High. They are computed from
	// paired differences to Base.
	LowCI      [2]float64 `json:"low_ci"`
	HighCI     [2]float64 `json:"high_ci"`
	Confidence float64    `json:"confidence"`
	Note       string     `json:"note,omitempty"` // another limit that hides the input's effect
}

// Sweep holds the simulated cells of a grid of values.
type Sweep struct {
	Name  string   `json:"name"`
	Paths []string `json:"paths"`
	Cells []Cell   `json:"cells"`
	// Knee is the rate at which p99 is twice the p99 at the lowest rate, for a sweep over the
	// rate. It is 0 if the sweep did not reach that point.
	Knee float64 `json:"knee,omitempty"`
}

// FindKnee returns the rate at which p99 is twice the p99 at the lowest rate, interpolated between
// two cells. It returns 0 when p99 exceeds twice that value in no cell, or when the rates do not
// rise.
func (s *Sweep) FindKnee() float64 {
	var rates, values []float64
	for i := range s.Cells {
		c := &s.Cells[i]
		worst, _ := Worst(c.Estimates, "p99(request)")
		if worst == nil {
			continue
		}
		if n := len(rates); n > 0 && c.Rate <= rates[n-1] {
			return 0
		}
		rates, values = append(rates, c.Rate), append(values, *worst.Value)
	}
	for i := 1; i < len(values); i++ {
		if limit := 2 * values[0]; cmp.Less(limit, values[i]) {
			part := (limit - values[i-1]) / (values[i] - values[i-1])
			return rates[i-1] + float64(part*(rates[i]-rates[i-1]))
		}
	}
	return 0
}

// LoadCurve is p99(request) at several rates, computed by formulas.
type LoadCurve struct {
	// Full is the rate at which Tier reaches a utilization of 100 %, and Peak the plan's peak
	// rate.
	Full   float64     `json:"full"`
	Tier   string      `json:"tier"`
	Peak   float64     `json:"peak"`
	Points []LoadPoint `json:"points"`
}

// LoadPoint is p99(request) at one rate, computed by formulas.
type LoadPoint struct {
	Rate float64 `json:"rate"`
	P99  float64 `json:"p99"`
}
