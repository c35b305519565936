package engines

import (
	"cmp"
	"fmt"
	"slices"

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
	reason string // why it is not simulated
}

// Grid is the cells of all sweeps of a plan.
type Grid struct {
	plan     *plan.Plan
	warnings plan.Problems
	cells    []cell
}

// Open makes the cells of a plan's sweeps. Cells that are no plan, as for want of memory,
// are kept with the reason.
func Open(source *plan.Source, p *plan.Plan, warnings plan.Problems) (*Grid, error) {
	g := &Grid{plan: p, warnings: warnings}
	if len(p.Sweep) == 0 {
		return nil, fmt.Errorf("found no sweep in the plan, want sweep: {NAME: {PATH: [values]}}")
	}
	for k, s := range p.Sweep {
		for _, values := range Product(s.Axes) {
			one := cell{sweep: k, values: values}
			made, _, err := source.With(values)
			if err != nil {
				one.reason = plan.Portable(err)
			} else {
				made.Seed = p.Seed
				one.plan = made
			}
			g.cells = append(g.cells, one)
		}
	}
	return g, nil
}

// Product is all combinations of the values of axes, the last axis fastest.
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

// Points are those of all cells, sorted.
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

// Simulate runs one point.
func (g *Grid) Simulate(j *judge.Judge, p Point) (*model.Sample, error) {
	return j.Point(g.cells[p.Cell].plan, p.Window, p.Replication)
}

// Samples collects them by point.
type Samples map[Point]*model.Sample

// Missing are the points without a sample, sorted.
func (g *Grid) Missing(samples Samples) []Point {
	return slices.DeleteFunc(g.Points(), func(p Point) bool { return samples[p] != nil })
}

// Result is the answer of all samples.
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
		for _, a := range s.Axes {
			one.Paths = append(one.Paths, plan.RootPath(a.Path))
		}
		for c := range g.cells {
			if g.cells[c].sweep != k {
				continue
			}
			var list []*model.Sample
			for _, p := range points {
				if p.Cell == c {
					list = append(list, samples[p])
				}
			}
			one.Cells = append(one.Cells, g.cells[c].result(list, &r.Checks))
		}
		r.Sweeps = append(r.Sweeps, one)
	}
	return r, nil
}

// result is what a cell's samples say.
func (c *cell) result(samples []*model.Sample, checks *result.Checks) result.Cell {
	out := result.Cell{Point: PointOf(c.values)}
	if c.plan == nil {
		out.Outcome, out.Argument, out.Reason = "EXCLUDED", "plan", c.reason
		return out
	}
	e := judge.Pooled(c.plan, samples)
	out.Cost, out.Containers = c.plan.Cost(), Containers(c.plan)
	out.Estimates, out.Verdicts = e.Estimates(), e.Verdicts()
	out.Outcome = judge.Worst(out.Verdicts)
	e.Check(checks)
	return out
}

// PointOf is values by path.
func PointOf(values []plan.Value) map[string]string {
	point := map[string]string{}
	for _, v := range values {
		point[plan.RootPath(v.Path)] = v.Text
	}
	return point
}

// Containers is how many there are in all.
func Containers(p *plan.Plan) int {
	n := 0
	for _, tier := range plan.TierNames {
		n += p.Containers(tier)
	}
	return n
}
