package engines

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Point is one replication of one window of one cell.
type Point struct {
	Cell        int `json:"cell"`
	Replication int `json:"replication"`
	Window      int `json:"window"`
}

func (p Point) String() string {
	return fmt.Sprintf("cell %d, replication %d, window %d", p.Cell, p.Replication, p.Window)
}

func comparePoints(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Replication, b.Replication), cmp.Compare(a.Window, b.Window))
}

// cell is one configuration.
type cell struct {
	sweep  int
	values []plan.Value
	plan   *plan.Plan
	reason string // why the cell cannot be simulated, "" if it can
}

// Grid holds the cells of all sweeps of a plan.
type Grid struct {
	plan     *plan.Plan
	warnings plan.Problems
	cells    []cell
}

// Open builds the cells of a plan's sweeps. A cell whose values give no possible plan, for
// example for lack of memory, is kept with the reason. Invalid values are refused with
// [plan.Problems].
func Open(source *plan.Source, p *plan.Plan, warnings plan.Problems) (*Grid, error) {
	g := &Grid{plan: p, warnings: warnings}
	if len(p.Sweep) == 0 {
		return nil, fmt.Errorf("found no sweep in the plan, want sweep: {NAME: {PATH: [values]}}")
	}
	var wrong plan.Problems
	for k, s := range p.Sweep {
		var tried []plan.Tried
		for _, values := range Product(s.Axes) {
			one := cell{sweep: k, values: values}
			made, _, err := source.With(values)
			if err != nil {
				one.reason = plan.Portable(err)
			} else {
				made.Seed = p.Seed
				one.plan = made
			}
			tried = append(tried, plan.Tried{Values: values, Err: err})
			g.cells = append(g.cells, one)
		}
		wrong = append(wrong, source.Nonsense(s.Axes, tried, "sweep", s.Name)...)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return g, nil
}

// Product returns all combinations of the values of axes. The last axis varies fastest.
func Product(axes []plan.Axis) [][]plan.Value {
	list := [][]plan.Value{nil}
	for _, a := range axes {
		var longer [][]plan.Value
		for _, values := range list {
			for _, v := range a.Values {
				longer = append(longer, append(slices.Clone(values), plan.Value{Path: a.Path, Text: v}))
			}
		}
		list = longer
	}
	return list
}

// Points returns the points of all cells, sorted.
func (g *Grid) Points() []Point {
	var list []Point
	for c, one := range g.cells {
		if one.plan == nil {
			continue
		}
		for r := range one.plan.Budget.MinReplications {
			for w := range one.plan.Windows() {
				list = append(list, Point{c, r, w})
			}
		}
	}
	return list
}

// KeptBytes returns how many bytes of memory the samples of all points take.
func (g *Grid) KeptBytes() float64 {
	sum := 0.0
	for _, one := range g.cells {
		if p := one.plan; p != nil {
			sum += model.Compile(p, judge.Normal).KeptBytes() * float64(p.Budget.MinReplications*len(p.Windows()))
		}
	}
	return sum
}

// Simulate runs one point.
func (g *Grid) Simulate(ctx context.Context, j *judge.Judge, p Point) (*model.Sample, error) {
	return j.Point(ctx, g.cells[p.Cell].plan, p.Window, p.Replication)
}

// Samples holds samples by point.
type Samples map[Point]*model.Sample

// Missing returns the points without a sample, sorted.
func (g *Grid) Missing(samples Samples) []Point {
	return slices.DeleteFunc(g.Points(), func(p Point) bool { return samples[p] != nil })
}

// Result computes the result of the sweep from the samples. It fails if samples are missing.
func (g *Grid) Result(samples Samples) (*result.Result, error) {
	if missing := g.Missing(samples); len(missing) > 0 {
		return nil, missingError(missing)
	}
	points := g.Points()
	slices.SortFunc(points, comparePoints)
	r := judge.New("sweep", g.plan, g.warnings)
	r.Stopped = "all points"
	r.Checks.Conserved = true
	for k, s := range g.plan.Sweep {
		one := result.Sweep{Name: s.Name}
		one.Paths = lists.MapOrNil(s.Axes, func(a plan.Axis) string { return plan.RootPath(a.Path) })
		for c := range g.cells {
			if g.cells[c].sweep != k {
				continue
			}
			list := lists.Select(points, func(p Point) (*model.Sample, bool) { return samples[p], p.Cell == c })
			made, records := g.cells[c].result(list, &r.Checks)
			one.Cells = append(one.Cells, made)
			r.Records = append(r.Records, records...)
		}
		one.Knee = one.FindKnee()
		r.Sweeps = append(r.Sweeps, one)
	}
	r.Exit = exitOf(r.Sweeps)
	return r, nil
}

// exitOf returns the exit code of the worst cell. A cell without a possible plan counts as
// one that misses its objectives.
func exitOf(sweeps []result.Sweep) int {
	var outcomes []result.Verdict
	for _, s := range sweeps {
		for i := range s.Cells {
			one := s.Cells[i].Outcome
			if one == result.Excluded {
				one = result.Fail
			}
			outcomes = append(outcomes, result.Verdict{Outcome: one})
		}
	}
	return judge.ExitOf(outcomes)
}

// result computes a cell's results from its samples, and returns the records of single
// replications as well.
func (c *cell) result(samples []*model.Sample, checks *result.Checks) (result.Cell, []result.Record) {
	out := result.Cell{Point: judge.PointOf(c.values), Numbers: NumbersOf(c.values)}
	if c.plan == nil {
		out.Outcome, out.Argument, out.Reason = result.Excluded, "plan", c.reason
		return out, nil
	}
	e := judge.Pooled(c.plan, samples)
	out.Cost, out.Containers, out.Rate = c.plan.Cost(), Containers(c.plan), c.plan.PeakRate()
	out.Closed, _ = judge.Estimate(c.plan)
	out.Estimates, out.Verdicts = e.Estimates(), e.Verdicts()
	out.Outcome = judge.Worst(out.Verdicts)
	out.Reason = judge.Why(out.Verdicts)
	if why := e.Refused(); why != "" && out.Outcome == result.Pass {
		out.Outcome, out.Reason = result.Undecided, why
	}
	e.Check(checks)
	return out, e.Records(out.Point, 0)
}

// NumbersOf returns those of the values that are numbers, in base units. The keys of the map are
// their paths in the plan.
func NumbersOf(values []plan.Value) map[string]float64 {
	numbers := map[string]float64{}
	for _, v := range values {
		if n, ok := v.Number(); ok {
			numbers[plan.RootPath(v.Path)] = n
		}
	}
	return numbers
}

// Containers returns the total number of containers of a plan, over all tiers.
func Containers(p *plan.Plan) int {
	n := 0
	for _, tier := range p.Kinds() {
		n += p.Containers(tier)
	}
	return n
}
