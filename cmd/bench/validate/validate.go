// Package validate compares the data-plane model with closed forms: queues, fork-join,
// failures, rollouts (CAP-7, CAP-8 G1 and G10).
//
// Two things to use first:
//
//   - [All] lists the cases; [Case.Run] simulates one.
//   - [Judge] says whether all outcomes together agree with theory.
//
// To change the cases: cases.go; how a case is run and judged: validate.go.
//
// Unstable: any commit may change it.
package validate

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Case is a model with a quantity whose exact or approximate value a formula gives.
type Case struct {
	Name    string
	Section string
	Spec    *model.Spec
	// Value reads the compared quantity from a sample. Theory is its value by the closed form.
	Value  func(*model.Sample) float64
	Theory float64
	// Width is the half-width that the confidence interval has to reach, as a fraction of the mean.
	// Within is the known error of an approximate formula, 0 for an exact one.
	Width  float64
	Within float64
}

// Outcome is the result of a case.
type Outcome struct {
	Case
	Mean, Half float64 // Half is half the width of the 95 % interval
	Runs       int
	Little     float64
	Inside     bool // the closed form lies in the interval
	Narrow     bool // the interval is as narrow as wanted
}

// Residual returns the relative error of the simulated value: 0.01 means 1 % above theory.
func (o *Outcome) Residual() float64 { return o.Mean/o.Theory - 1 }

func (o *Outcome) String() string {
	inside := "inside"
	if !o.Inside {
		inside = "OUTSIDE"
	}
	return fmt.Sprintf("%-34s %-8s theory %-12.6g simulated %-12.6g %+6.2f %% +- %.2f %% (%d runs)  %s", o.Name, o.Section, o.Theory, o.Mean, o.Residual()*100, o.Half/o.Theory*100, o.Runs, inside)
}

// maxRuns bounds a case.
const maxRuns = 1280

// Run simulates a case until its confidence interval is narrow enough. After each round it
// estimates from the spread how many runs are needed, and adds a tenth to be safe. A round at most
// doubles the number of runs.
func (c Case) Run() (Outcome, error) {
	o := Outcome{Case: c}
	var values []float64
	for want := 20; ; {
		for k := len(values); k < want; k++ {
			s, err := c.Spec.Run(0, k)
			if err != nil {
				return o, err
			}
			if !s.Conserved {
				return o, fmt.Errorf("%s: run %d does not conserve its requests: %+v", c.Name, k, s.Calls)
			}
			o.Little = math.Max(o.Little, float64(s.Little)/1e12)
			values = append(values, c.Value(s))
		}
		o.Mean, o.Half = stats.Interval(values, 0.95)
		o.Runs = len(values)
		o.Narrow = o.Half <= c.Width*c.Theory
		if o.Narrow || want >= maxRuns {
			break
		}
		narrower := o.Half / (c.Width * c.Theory)
		want = min(max(want+want/8, int(float64(want)*min(2, 1.1*narrower*narrower))), maxRuns)
	}
	o.Inside = math.Abs(o.Mean-c.Theory) <= o.Half+float64(c.Within*c.Theory)
	return o, nil
}

// RunAll simulates the cases on all cores. It calls the function in the parameter each with every
// outcome, in the order of the cases.
func RunAll(cases []Case, each func(Outcome)) ([]Outcome, error) {
	outcomes := make([]Outcome, len(cases))
	errs := make([]error, len(cases))
	done := make([]chan struct{}, len(cases))
	for i := range done {
		done[i] = make(chan struct{})
	}
	var next sync.Mutex
	at := 0
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for {
				next.Lock()
				i := at
				at++
				next.Unlock()
				if i >= len(cases) {
					return
				}
				outcomes[i], errs[i] = cases[i].Run()
				close(done[i])
			}
		}()
	}
	for i := range cases {
		<-done[i]
		if errs[i] != nil {
			return nil, errs[i]
		}
		if each != nil {
			each(outcomes[i])
		}
	}
	return outcomes, nil
}

// Judge returns an error when the outcomes contradict theory. They do when an interval is too wide,
// misses its closed form by far, or Little's residual is too large. They also do when more than 5 %
// of the 95 % intervals miss, and a test at 99.9 % shows that this is not chance (CAP-8, G1).
func Judge(outcomes []Outcome) error {
	exact, missed := 0, 0
	for i := range outcomes {
		o := &outcomes[i]
		switch {
		case !o.Narrow:
			return fmt.Errorf("%s: the half-width is %.2f %%, want %.2f %% or less", o.Name, o.Half/o.Theory*100, o.Width*100)
		case o.Little >= 1e-3:
			return fmt.Errorf("%s: Little's residual is %.3f %%, want less than 0.1 %%", o.Name, o.Little*100)
		case math.Abs(o.Mean-o.Theory) > 3*o.Half+float64(o.Within*o.Theory):
			return fmt.Errorf("%s: simulated %.6g, theory %.6g, which is more than three half-widths %.2g away", o.Name, o.Mean, o.Theory, o.Half)
		}
		if exact++; !o.Inside {
			missed++
		}
	}
	allowed := 0
	for b := (distuv.Binomial{N: float64(exact), P: 0.05}); b.CDF(float64(allowed)) < 0.999; allowed++ {
	}
	if missed > allowed {
		return fmt.Errorf("%d of %d intervals of 95 %% miss the closed form, want at most %d", missed, exact, allowed)
	}
	return nil
}
