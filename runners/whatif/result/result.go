// Package result holds the answer to a capacity question, which is written as JSON and
// formatted by reports. Values are in base units: integer nanoseconds, bytes, fractions of
// one, per second, per hour. Nothing depends on the wall clock or the host, so that a plan
// and a seed give the same bytes everywhere. What does depend on them is in [RunInfo],
// which has a file of its own.
//
// Two things to use first:
//
//   - [Result] is the whole answer; [Result.Write] writes it and [Read] reads it.
//   - [Result.Find] returns one of its estimates.
//
// To change:
//
//   - the parts of an answer: result.go
//   - estimates and verdicts: estimate.go
//   - the outcome of single replications: record.go
//   - findings of solve and sweep: search.go
//   - uncertain inputs: worlds.go
//   - timelines, rollouts and incidents: series.go
//   - what happens second by second: axis.go
//   - the load on ZooKeeper: zookeeper.go
//   - how two results are compared: diff.go
//
// Unstable: any commit may change it.
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

// Format is the identifier and version of the JSON format, as written in Result.Format.
const Format = "monosim.whatif/v1"

// Result is the answer to one command on one plan.
type Result struct {
	Format  string `json:"format"`
	Command string `json:"command"` // the command that was run: run, solve, sweep, theory or validate
	Plan    string `json:"plan"`    // name of the plan
	// ScenarioHash is the SHA-256 of the plan's canonical form.
	ScenarioHash string `json:"scenario_hash"`
	Seed         uint64 `json:"seed"`
	// Version is the version of the model. It changes whenever the model gives other numbers for
	// some plan.
	Version      string `json:"version"`
	Architecture string `json:"architecture"` // GOARCH, since results of floating point may depend on it
	Currency     string `json:"currency"`

	// Estimates describe the plan as written (run) or the answer (solve).
	Estimates []Estimate `json:"estimates"`
	Verdicts  []Verdict  `json:"verdicts"`
	Windows   []Window   `json:"windows"`
	Tiers     []Tier     `json:"tiers"`
	// Breakdown describes the window BreakdownOf, which has the highest p99. Errors describes the
	// window ErrorsOf, which has the largest share of failed requests.
	Breakdown   []Part  `json:"breakdown"`
	BreakdownOf string  `json:"breakdown_of,omitempty"`
	Errors      []Cause `json:"errors_by_cause"`
	ErrorsOf    string  `json:"errors_of,omitempty"`
	// Saturation says whether the fleet is overloaded.
	Saturation Saturation      `json:"saturation"`
	CDF        []CDFPoint      `json:"cdf"`
	Timeline   []TimelinePoint `json:"timeline"`
	Series     []Series        `json:"series,omitempty"` // time series of the windows that contain events
	Rollouts   []Rollout       `json:"rollouts"`
	Incidents  []Incident      `json:"incidents"`
	Theory     []ClosedForm    `json:"closed_forms"`
	Load       *LoadCurve      `json:"load_curve,omitempty"` // nil if the plan has a closed loop
	Scaled     *Scaled         `json:"scaled,omitempty"`     // nil if the number of containers never changes
	Scalers    []Scaler        `json:"autoscalers,omitempty"`
	ZooKeeper  *ZooKeeper      `json:"zookeeper"`
	Checks     Checks          `json:"checks"`

	Answer      *Answer      `json:"answer,omitempty"`
	Certificate *Certificate `json:"certificate,omitempty"`
	Neighbours  []Cell       `json:"why_not_less,omitempty"`
	Alternative []Cell       `json:"alternatives,omitempty"`
	Pareto      []Cell       `json:"pareto,omitempty"`
	Regret      []Regret     `json:"regret,omitempty"` // regrets of configurations, the smallest first
	Sensitivity []Tornado    `json:"sensitivity,omitempty"`
	Sweeps      []Sweep      `json:"sweeps,omitempty"`

	// Records holds the outcome of every replication.
	Records []Record `json:"records,omitempty"`

	// Worlds holds the results over uncertain inputs, nil for a plan without uncertain inputs.
	Worlds *Worlds `json:"worlds,omitempty"`

	// Calibration is the profile from which the service times come. It is nil when the plan
	// itself gives the service times.
	Calibration *plan.Profile `json:"calibration,omitempty"`
	// Device is the profile of the device on which batches of dense were measured. It is nil
	// where the plan itself gives their time.
	Device *plan.DeviceProfile `json:"device,omitempty"`

	// Stopped says why the simulation ended: precision reached, verdicts decided,
	// max_replications, budget requests, budget wall, proved minimal or maximal, undecided
	// cells, infeasible, or bracket not found.
	Stopped string `json:"stopped"`
	// Marked is true if budget.wall ended the simulation. Such a result cannot be reproduced.
	Marked   bool          `json:"not_reproducible,omitempty"`
	Problems plan.Problems `json:"errors"`
	Warnings plan.Problems `json:"warnings"`
	Exit     int           `json:"exit"`
}

// RunInfo holds what depends on the wall clock and the host.
type RunInfo struct {
	WallSec     float64 `json:"wall_s"`
	CPUs        int     `json:"cpus"`
	GoVersion   string  `json:"go"`
	Requests    int64   `json:"requests"`     // number of simulated requests, with those of the warm-up
	SubRequests int64   `json:"sub_requests"` // calls, counted likewise
	Events      uint64  `json:"events"`
}

// Exit codes of the commands (CAP-1.4).
const (
	ExitMet       = 0
	ExitMissed    = 1
	ExitBadInput  = 2
	ExitUndecided = 3
)

// Write writes the result as JSON. Equal results give equal bytes.
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

// SHA256 returns the hash of the bytes that Write writes, in hexadecimal.
func (r *Result) SHA256() string {
	data, err := r.bytes()
	if err != nil {
		panic(err) // happens only if a value is NaN or infinite
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Read reads a result that [Result.Write] wrote.
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
