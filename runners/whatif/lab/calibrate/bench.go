package calibrate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// BenchOptions says how a fidelity benchmark runs.
type BenchOptions struct {
	Observe observe.Options
	Horizon time.Duration
	// Dir is the folder to which the profile and the observations are written.
	Dir string
	// Scenarios lists the plans to run. nil means the result of the function Scenarios.
	Scenarios []Scenario
	// Story is the script for comparing real agents. It is skipped if it has no roll-outs.
	Story Story
}

// Report is the result of a fidelity benchmark.
type Report struct {
	Profile     *Profile      `json:"-"`
	Parameters  []Parameter   `json:"fitted"`
	Law         string        `json:"service"`
	KS          float64       `json:"service_ks"`
	Comparisons []*Comparison `json:"held_out"`
	// Control compares simulated and real control planes: roll-outs and writes to ZooKeeper.
	Control *Comparison `json:"control,omitempty"`
	// Edges holds the comparisons of plans that were chosen to break the model.
	Edges []*Comparison `json:"edges"`
}

// ProfileFile is the name of the profile's file in BenchOptions.Dir.
const ProfileFile = "bench.profile"

// Bench observes all scenarios on real processes, fits a profile to some of them, and
// compares the simulation with the others.
func Bench(ctx context.Context, o BenchOptions) (*Report, error) {
	if o.Scenarios == nil {
		o.Scenarios = Scenarios()
	}
	for _, s := range o.Scenarios {
		if _, err := s.Plan(o.Horizon, ""); err != nil {
			return nil, err
		}
	}
	var seen []*observe.Observation
	for i, s := range o.Scenarios {
		one, err := o.observe(ctx, i, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		seen = append(seen, one)
	}
	r, err := o.Judge(ctx, seen)
	if err != nil || o.Story.Rollouts == 0 {
		return r, err
	}
	if told := o.Observe.Progress; told != nil {
		told(fmt.Sprintf("%d roll-outs, by agents", o.Story.Rollouts))
	}
	real := loopback.New(loopback.Options{Monosim: o.Observe.Monosim, Agent: loopback.OwnAgent, Dir: o.Observe.Dir})
	r.Control, err = o.Story.Compare(ctx, &simrun.Runner{}, real)
	return r, err
}

// Judge does the part of Bench that follows the observations. It fits a profile to some of them,
// and compares simulations that use the profile with the others. The slice seen has one observation
// for each scenario.
func (o *BenchOptions) Judge(ctx context.Context, seen []*observe.Observation) (*Report, error) {
	var fitted []*observe.Observation
	for i, s := range o.Scenarios {
		if s.Fit {
			fitted = append(fitted, seen[i])
		}
	}
	profile, err := Fit(fitted)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(o.Dir, ProfileFile))
	if err != nil {
		return nil, err
	}
	if err := profile.Write(path); err != nil {
		return nil, err
	}
	r := &Report{Profile: profile, Parameters: profile.All(), Law: or(profile.PS.Text, "hist"), KS: profile.PS.KS}
	for i, s := range o.Scenarios {
		if s.Fit {
			continue
		}
		p, err := s.Plan(o.Horizon, path)
		if err != nil {
			return nil, err
		}
		c, err := Replay(ctx, p, seen[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if s.Edge {
			r.Edges = append(r.Edges, c)
		} else {
			r.Comparisons = append(r.Comparisons, c)
		}
	}
	return r, Record(path, r.Comparisons)
}

// observe observes a scenario on real processes and writes the observation to a file.
func (o *BenchOptions) observe(ctx context.Context, i int, s Scenario) (*observe.Observation, error) {
	p, err := s.Plan(o.Horizon, "")
	if err != nil {
		return nil, err
	}
	options := o.Observe
	if told := options.Progress; told != nil {
		options.Progress = func(step string) { told(fmt.Sprintf("%s (%d of %d): %s", s.Name, i+1, len(o.Scenarios), step)) }
	}
	one, err := observe.Run(ctx, p, options)
	if err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(o.Dir, fmt.Sprintf("observed-%d.json", i+1)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return one, one.Write(file)
}

// Write prints the tables.
func (r *Report) Write(out io.Writer) error {
	if err := r.Profile.Print(out); err != nil {
		return err
	}
	for _, c := range r.Comparisons {
		fmt.Fprintln(out)
		if err := c.Write(out); err != nil {
			return err
		}
	}
	if r.Control != nil {
		fmt.Fprintln(out)
		if err := r.Control.Write(out); err != nil {
			return err
		}
	}
	for _, c := range r.Edges {
		fmt.Fprintf(out, "\nchosen to break the model, not among the aims: ")
		if err := c.Write(out); err != nil {
			return err
		}
	}
	all, missed := r.Aimed()
	_, err := fmt.Fprintf(out, "\nG9: %d of %d numbers within their aims, on %d scenarios that were not fitted; %s\n", all-missed, all, len(r.Comparisons), greatest(r.Comparisons))
	return err
}

// Aimed returns how many compared numbers have an aim (a largest allowed error), and how many of
// these miss it.
func (r *Report) Aimed() (all, missed int) {
	list := r.Comparisons
	if r.Control != nil {
		list = append(list[:len(list):len(list)], r.Control)
	}
	for _, c := range list {
		for _, row := range c.Rows {
			if row.Aim > 0 {
				all++
			}
		}
		missed += len(c.Missed())
	}
	return all, missed
}

// Fidelity returns the errors of the simulation, in the form that the TRUST section of
// reports prints.
func (r *Report) Fidelity() plan.Fidelity {
	f := plan.Fidelity{On: r.Profile.Calibrated.On}
	for _, c := range r.Comparisons {
		f.HeldOut = append(f.HeldOut, c.HeldOut())
	}
	if r.Control == nil {
		return f
	}
	f.Rollouts, f.SameWrites = int(r.Control.Requests), true
	for _, row := range r.Control.Rows {
		switch {
		case row.Metric == rolloutOfOne:
			f.Rollout = row.Error
		case row.Unit == "count" && row.Missed():
			f.SameWrites = false
		}
	}
	return f
}

// String formats the value with its confidence interval.
func (p Parameter) String() string {
	if p.Unit == "ns" {
		return fmt.Sprintf("%s %s [%s, %s]", p.What, span(p.Value), span(p.Low), span(p.High))
	}
	return fmt.Sprintf("%s %s [%s, %s]", p.What, digits(p.Value), digits(p.Low), digits(p.High))
}

// Print prints the fitted laws and parameters.
func (p *Profile) Print(out io.Writer) error {
	c := p.Calibrated
	text := fmt.Sprintf("fitted to %d calls of %d runs (%d disturbed): service.ps.cpu %s, distance of Kolmogorov and Smirnov %.3f\n",
		c.Calls, c.Runs, c.Disturbed, or(p.PS.Text, "as a histogram"), p.PS.KS)
	for _, one := range p.All() {
		text += "  " + one.String() + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// Write prints a comparison as a table.
func (c *Comparison) Write(out io.Writer) error {
	state := ""
	if c.Others >= 0 {
		state = fmt.Sprintf(", others had %.0f %% of the machine", 100*c.Others)
	}
	if c.Late > 0 {
		state += fmt.Sprintf(", one request in a hundred began %s late", span(float64(c.Late)))
	}
	if c.Disturbed {
		state += ": disturbed"
	}
	fmt.Fprintf(out, "%s: %s measured, %s simulated%s\n", c.Plan, lists.Counted(int(c.Requests), c.Things), lists.Counted(c.Runs, "run"), state)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "metric\tmeasured\t[95 %]\tsimulated\t[95 %]\terror\taim\t\t")
	for _, r := range c.Rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t+-%s\t%s\t%s\t%s\t\n", r.Metric, r.text(r.Measured), r.rangeText(), r.text(r.Simulated), r.text(r.Half), r.errorText(), r.aimText(), c.verdict(r))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "MAPE %.1f %%\n", 100*c.MAPE)
	return err
}

func (r Row) text(v float64) string {
	switch r.Unit {
	case "ns":
		return fmt.Sprintf("%.2f ms", v/1e6)
	case "fraction":
		return fmt.Sprintf("%.2f %%", 100*v)
	case "count":
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f/s", v)
}

func (r Row) rangeText() string {
	if r.Range == nil {
		return ""
	}
	return fmt.Sprintf("[%.2f, %.2f]", r.Range[0]/1e6, r.Range[1]/1e6)
}

func (r Row) errorText() string {
	unit := "%"
	if r.Unit == "fraction" {
		unit = "pp"
	}
	return fmt.Sprintf("%+.1f %s", 100*r.Error, unit)
}

func (r Row) aimText() string {
	switch {
	case r.Aim == 0:
		return ""
	case r.Unit == "count":
		return "equal"
	}
	return fmt.Sprintf("%.0f", 100*r.Aim)
}

func (c *Comparison) verdict(r Row) string {
	switch {
	case r.Aim == 0:
		return ""
	case r.Missed():
		return "missed" + c.why(r)
	}
	return "reached"
}

// greatest describes the largest errors of the simulation on plans that the profile was not
// fitted to.
func greatest(list []*Comparison) string {
	var parts []string
	for _, metric := range []string{"p50(request)", "p99(request)", "goodput", "knee"} {
		worst := Row{}
		for _, c := range list {
			if r := c.Row(metric); r != nil && (worst.Metric == "" || abs(r.Error) > abs(worst.Error)) {
				worst = *r
			}
		}
		if worst.Metric != "" {
			parts = append(parts, strings.TrimSuffix(metric, "(request)")+" "+worst.errorText())
		}
	}
	return fmt.Sprintf("MAPE %.1f %%, greatest errors: %s", 100*meanError(list), strings.Join(parts, ", "))
}

// meanError returns the mean over the scenarios of MAPE, the mean absolute percentage error.
func meanError(list []*Comparison) float64 {
	sum := 0.0
	for _, c := range list {
		sum += c.MAPE
	}
	return sum / float64(max(len(list), 1))
}

func abs(v float64) float64 { return max(v, -v) }
