package calibrate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// manyThreads is the number of threads that the profile gives the entry. It is so large because the
// load generator, which takes the place of the entry in a measurement, never waits for a thread.
const manyThreads = 10_000

// Write writes the profile, for the plan's field service.profile, to a file atomically. A
// histogram goes into another file beside it.
func (p *Profile) Write(path string) error {
	law, err := p.lawText(path)
	if err != nil {
		return err
	}
	more, items, err := p.itemsText(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	c := p.Calibrated
	fmt.Fprintf(&b, "# Written by monosim-lab calibrate: how long work took, as it was measured.\nprofile: %s\n", plan.ProfileFormat)
	fmt.Fprintf(&b, "calibrated: {on: %s, runs: %d, calls: %d, disturbed: %d}\n", c.On, c.Runs, c.Calls, c.Disturbed)
	fmt.Fprintf(&b, "service:\n  entry: {cpu: %q, threads: %d}\n  ps: {cpu: %q%s, threads: %d}\n%s  contention: {model: none}\n", p.Entry.Text, manyThreads, law, more, p.Threads, items)
	fmt.Fprintf(&b, "network:\n  overhead_per_rpc: %s\n  same_cluster: %q\n", span(p.PerRPC.Value), p.Link.Text)
	b.WriteString("fitted: # with intervals of 95 %\n")
	for _, one := range p.All() {
		fmt.Fprintf(&b, "  - {what: %s, value: %s, low: %s, high: %s, unit: %q}\n", one.What, number(one.Value), number(one.Low), number(one.High), one.Unit)
	}
	return wholefile.Write(path, []byte(b.String()))
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "0"
	}
	return fmt.Sprintf("%.5g", v)
}

// lawText returns the law of PS as text for the profile. A histogram is written to a file of
// its own.
func (p *Profile) lawText(path string) (string, error) {
	if p.PS.Law.Kind != law.Hist {
		return p.PS.Text, nil
	}
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".ps.hist"
	var b strings.Builder
	b.WriteString("# Times of PS, by quantiles: a value and a weight a line.\n")
	for i, v := range p.PS.Law.Values {
		fmt.Fprintf(&b, "%s %g\n", span(v), p.PS.Law.Weights[i])
	}
	return fmt.Sprintf("hist(%s)", filepath.Base(file)), wholefile.Write(file, []byte(b.String()))
}

// itemsText returns the profile's texts for the noise of PS and for the items of requests.
func (p *Profile) itemsText(path string) (noise, items string, err error) {
	if p.Items == nil {
		return "", "", nil
	}
	if !p.Noise.Law.IsZero() {
		noise = fmt.Sprintf(", noise: %q", p.Noise.Text)
	}
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".items.hist"
	var b strings.Builder
	b.WriteString("# Items of requests, by quantiles: a value and a weight a line.\n")
	for _, v := range p.Items {
		fmt.Fprintf(&b, "%g 1\n", v)
	}
	return noise, fmt.Sprintf("  items: \"hist(%s)\"\n", filepath.Base(file)), wholefile.Write(file, []byte(b.String()))
}

// All returns all parameters.
func (p *Profile) All() []Parameter {
	list := append(append([]Parameter{}, p.PS.Parameters...), p.Noise.Parameters...)
	list = append(list, p.Entry.Parameters...)
	return append(append(list, p.PerRPC), p.Link.Parameters...)
}

// Record adds comparisons to a profile's file. It fails if the file is not a profile.
func Record(path string, list []*Comparison) error {
	if _, err := plan.ReadProfile(path); err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.Write(text)
	if !strings.Contains(string(text), "\nheld_out:") {
		b.WriteString("held_out: # what it was not made of\n")
	}
	for _, c := range list {
		h := c.HeldOut()
		fmt.Fprintf(&b, "  - {plan: %q, p50: %s, p99: %s, goodput: %s, knee: %s, disturbed: %v, missed: %q}\n",
			h.Plan, number(h.P50), number(h.P99), number(h.Goodput), number(h.Knee), h.Disturbed, h.Missed)
	}
	return wholefile.Write(path, []byte(b.String()))
}
