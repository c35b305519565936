package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// leastRate is the percentage of mutants that have to be killed.
const leastRate = 90.0

// tally counts verdicts.
type tally struct {
	Mutants    int          `json:"mutants"` // number of mutants, without those that change nothing
	Killed     int          `json:"killed"`
	By         map[kind]int `json:"by"`
	Endless    int          `json:"endless"` // number of killed mutants that did not end
	Unreached  int          `json:"unreached"`
	Equivalent int          `json:"equivalent"`
}

func (t *tally) add(v verdict) {
	if t.By == nil {
		t.By = map[kind]int{}
	}
	if v.Reason != "" {
		t.Equivalent++
		return
	}
	t.Mutants++
	if v.Killed != "" {
		t.Killed++
		t.By[v.Killed]++
	}
	if v.Endless {
		t.Endless++
	}
	if !v.Reached {
		t.Unreached++
	}
}

// rate returns the percentage of killed mutants, 100 without mutants.
func (t *tally) rate() float64 {
	if t.Mutants == 0 {
		return 100
	}
	return 100 * float64(t.Killed) / float64(t.Mutants)
}

// report holds the results of a run.
type report struct {
	Seconds    float64             `json:"seconds"`
	Sample     int                 `json:"sample,omitempty"` // size of the random sample; 0 for all mutants
	Seed       uint64              `json:"seed,omitempty"`
	Rate       float64             `json:"rate"`
	Total      tally               `json:"total"`
	ByPackage  map[string]*tally   `json:"by_package"`
	ByOperator map[operator]*tally `json:"by_operator"`
	Verdicts   []verdict           `json:"verdicts"`
	Stale      []string            `json:"stale_equivalents,omitempty"`
}

func newReport(verdicts []verdict, stale []string, took time.Duration) *report {
	r := &report{Seconds: took.Seconds(), ByPackage: map[string]*tally{}, ByOperator: map[operator]*tally{}, Verdicts: verdicts, Stale: stale}
	for _, v := range verdicts {
		r.Total.add(v)
		count(r.ByPackage, strings.TrimPrefix(v.Mutant.Package, modulePath+"/"), v)
		count(r.ByOperator, v.Mutant.Operator, v)
	}
	r.Rate = r.Total.rate()
	return r
}

func count[K comparable](tallies map[K]*tally, key K, v verdict) {
	if tallies[key] == nil {
		tallies[key] = &tally{}
	}
	tallies[key].add(v)
}

// good reports whether enough mutants were killed and every reason still holds.
func (r *report) good() bool { return r.Rate >= leastRate && len(r.Stale) == 0 }

func (r *report) writeJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *report) writeText(out io.Writer) error {
	for _, s := range r.Stale {
		fmt.Fprintf(out, "%s: %s\n", equivalentFile, s)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "mutants\tkilled\tvectors\tscenarios\ttests\tstories\tendless\tunreached\tequivalent\t%\t\t")
	for _, name := range slices.Sorted(maps.Keys(r.ByPackage)) {
		r.ByPackage[name].row(w, name)
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t\t\t\t\t\t")
	for _, o := range slices.SortedFunc(maps.Keys(r.ByOperator), cmp.Compare[operator]) {
		r.ByOperator[o].row(w, string(o))
	}
	fmt.Fprintln(w, "\t\t\t\t\t\t\t\t\t\t\t")
	r.Total.row(w, "all")
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d of %d mutants killed, %.1f %% (want %.0f), in %v\n",
		r.Total.Killed, r.Total.Mutants, r.Rate, leastRate, time.Duration(r.Seconds*float64(time.Second)).Round(time.Second))
	return err
}

func (t *tally) row(w io.Writer, name string) {
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%s\t\n", t.Mutants, t.Killed, t.By[byVectors], t.By[byScenarios], t.By[byTests], t.By[byStories],
		t.Endless, t.Unreached, t.Equivalent, t.rate(), " "+name)
}
