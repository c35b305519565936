// Package result has what a capacity question was answered with, as JSON and for the
// reports that are made of it. All values are in base units: integer nanoseconds, bytes,
// fractions of one, per second, per hour. Nothing in it depends on the wall clock or the
// host, so that one plan and seed give the same bytes everywhere; what does is in
// [RunInfo], which goes into a file of its own.
//
// Two things to use first:
//
//   - [Result] is the whole answer; [Result.Write] writes it, [Read] reads it back.
//   - [Result.Find] is one of its estimates.
//
// To change what an answer has look in result.go; its estimates and verdicts are in
// estimate.go, what every replication gave in record.go, what belongs to solve and sweep in search.go, timelines and breakdowns in
// series.go, what ZooKeeper bears in zookeeper.go, how two are compared in diff.go.
package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Format is the value of Result.Format.
const Format = "monosim.whatif/v1"

// Result is the answer to one command on one plan.
type Result struct {
	Format  string `json:"format"`
	Command string `json:"command"` // run, solve, sweep, theory or validate
	Plan    string `json:"plan"`    // its name
	// ScenarioHash is the SHA-256 of the plan's canonical form.
	ScenarioHash string `json:"scenario_hash"`
	Seed         uint64 `json:"seed"`
	// Version is the program's model version: it changes with what the model computes.
	Version      string `json:"version"`
	Architecture string `json:"architecture"` // of Go, as floating point may differ
	Currency     string `json:"currency"`

	// Estimates are of the plan as written (run), of the answer (solve).
	Estimates []Estimate `json:"estimates"`
	Verdicts  []Verdict  `json:"verdicts"`
	Windows   []Window   `json:"windows"`
	Tiers     []Tier     `json:"tiers"`
	// Breakdown is of the window BreakdownOf, in which requests take longest, Errors are of the
	// window ErrorsOf, in which most fail.
	Breakdown   []Part  `json:"breakdown"`
	BreakdownOf string  `json:"breakdown_of,omitempty"`
	Errors      []Cause `json:"errors_by_cause"`
	ErrorsOf    string  `json:"errors_of,omitempty"`
	// Saturation is STABLE, BACKLOGGED, OVERLOADED or METASTABLE, or UNKNOWN.
	Saturation Saturation      `json:"saturation"`
	CDF        []CDFPoint      `json:"cdf"`
	Timeline   []TimelinePoint `json:"timeline"`
	Rollouts   []Rollout       `json:"rollouts"`
	Incidents  []Incident      `json:"incidents"`
	Theory     []ClosedForm    `json:"closed_forms"`
	Load       *LoadCurve      `json:"load_curve,omitempty"` // nil for a closed loop
	Scaled     *Scaled         `json:"scaled,omitempty"`     // nil where the number of containers does not change
	ZooKeeper  *ZooKeeper      `json:"zookeeper"`
	Checks     Checks          `json:"checks"`

	Answer      *Answer      `json:"answer,omitempty"`
	Certificate *Certificate `json:"certificate,omitempty"`
	Neighbours  []Cell       `json:"why_not_less,omitempty"`
	Alternative []Cell       `json:"alternatives,omitempty"`
	Pareto      []Cell       `json:"pareto,omitempty"`
	Regret      []Regret     `json:"regret,omitempty"` // the least first
	Sensitivity []Tornado    `json:"sensitivity,omitempty"`
	Sweeps      []Sweep      `json:"sweeps,omitempty"`

	// Records holds what every replication gave.
	Records []Record `json:"records,omitempty"`

	// Worlds are what came of values that are not known for sure, nil for a plan that has
	// none.
	Worlds *Worlds `json:"worlds,omitempty"`

	// Calibration is the profile of the plan's service times, nil for a plan that has its own.
	Calibration *plan.Profile `json:"calibration,omitempty"`

	// Stopped says why no more was simulated: precision reached, verdicts decided,
	// max_replications, budget requests, budget wall, proved minimal or maximal, undecided cells,
	// infeasible, bracket not found.
	Stopped string `json:"stopped"`
	// Marked is set when budget.wall ended it: the result is then not reproducible.
	Marked   bool          `json:"not_reproducible,omitempty"`
	Problems plan.Problems `json:"errors"`
	Warnings plan.Problems `json:"warnings"`
	Exit     int           `json:"exit"`
}

// RunInfo is what depends on wall clock and host.
type RunInfo struct {
	WallSec     float64 `json:"wall_s"`
	CPUs        int     `json:"cpus"`
	GoVersion   string  `json:"go"`
	Requests    int64   `json:"requests"`     // simulated, warm-up included
	SubRequests int64   `json:"sub_requests"` // likewise
	Events      uint64  `json:"events"`
}

// Exit codes of the commands (CAP-1.4).
const (
	ExitMet       = 0
	ExitMissed    = 1
	ExitBadInput  = 2
	ExitUndecided = 3
)

// Write writes the result as JSON: the same bytes for the same result.
func (r *Result) Write(w io.Writer) error {
	data, err := r.bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (r *Result) bytes() ([]byte, error) {
	var buffer bytes.Buffer
	e := json.NewEncoder(&buffer)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return buffer.Bytes(), err
}

// SHA256 returns the hash of what Write writes.
func (r *Result) SHA256() string {
	data, err := r.bytes()
	if err != nil {
		panic(err) // a number that is none
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Read reads a result that was written by [Result.Write].
func Read(r io.Reader) (*Result, error) {
	var out Result
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		return nil, fmt.Errorf("found no result, want a file of monosim whatif with --json: %w", err)
	}
	if out.Format != Format {
		return nil, fmt.Errorf("found the format %q, want %s, as monosim whatif writes it with --json", out.Format, Format)
	}
	return &out, nil
}
