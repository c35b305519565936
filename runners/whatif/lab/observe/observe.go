// Package observe runs the fleet of a capacity plan for real: a cluster of processes on the
// loopback, with ZooKeeper, agents and `monosim tfserving`, under an open load. The
// simulation of the same plan can be calibrated with the measurements and compared to them.
//
// Two things to use first:
//
//   - [Run] observes a plan and returns an [Observation].
//   - [Read] reads an observation from a file, and [Observation.Write] writes it.
//
// Requests come at the instants of the simulation. Their latency counts from the intended
// instant, even if the servers do not keep up (no coordinated omission). The load generator
// is the entry of the fleet: it chooses among the replicas that agents list, calls all PS,
// retries, and waits for the last answer. Each call is recorded with how long it waited and
// was worked on, as the server reports it; a plain load tester would not say where
// latencies come from.
//
// To change:
//
//   - what is measured: observe.go
//   - what the processes are: cluster.go
//   - events: story.go and slow.go
//   - how requests are made: load.go and call.go
//   - how they are paced: pace.go
//   - how other users of the machine are noticed: machine.go
package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/monosim/monosim/runners/whatif/model"
)

// Format is the name and version of the file format, which every observation states in its field
// Format.
const Format = "monosim.observation/v1"

// Observation is the measurement of one plan. Times are in nanoseconds.
type Observation struct {
	Format string `json:"format"`
	Plan   string `json:"plan"` // name of the plan
	// ScenarioHash is the hash of the plan without its service times and network delays.
	ScenarioHash string    `json:"scenario_hash"`
	Began        time.Time `json:"began"`
	Machine      Machine   `json:"machine"`
	Servers      []string  `json:"servers"` // pods of each server; the indexes in Calls.Server refer to this list
	// ReadyNs is how long it took, from the start of the pods, until all were listed.
	ReadyNs int64 `json:"ready"`
	// Threads is how many requests a server works on at the same time.
	Threads int `json:"threads"`
	// RoundTrip is the delay that was added to every call, in nanoseconds for both directions
	// together.
	RoundTrip int64 `json:"round_trip,omitempty"`
	// Shares holds the share of a request's items that each PS gets. It is nil if items do not
	// matter.
	Shares []float64 `json:"shares,omitempty"`
	Load   Load      `json:"load"`
	// Saturated is a run with a load above the servers' capacity, nil if there was none.
	Saturated *Load `json:"saturated,omitempty"`
	// Detected holds, for each killed container, how long after the kill it was still listed.
	Detected []int64 `json:"detected,omitempty"`
	// Rollouts holds a list for each published version, in order. For each container still running
	// at the end of the load, the list holds how long after the publish it served the version.
	Rollouts [][]int64 `json:"rollouts,omitempty"`
	// Memory holds the resident memory of each model server at the end, in bytes.
	Memory []int64 `json:"memory"`
}

// Machine describes the machine of the measurement, and how much other programs used it.
type Machine struct {
	CPUs int `json:"cpus"`
	// Others is the share of all processors that other programs used during the load. It is -1
	// if unknown.
	Others float64 `json:"others"`
	// Ours is the share of all processors that the load generator and the cluster used.
	Ours float64 `json:"ours"`
	// Late is the 99th percentile of how late requests were sent, in nanoseconds. It tells how
	// long the load generator, and thus the servers too, had to wait for the machine.
	Late int64 `json:"late"`
}

// disturbedBy is the lateness beyond which a measurement counts as disturbed.
const disturbedBy = 2 * time.Millisecond

// IsDisturbed reports whether other programs delayed the measurement.
func (m Machine) IsDisturbed() bool { return m.Late > int64(disturbedBy) }

// Load holds the requests and calls of one load. Requests before Warm do not count, and no
// request is sent from Until on.
type Load struct {
	Warm     int64    `json:"warm"`
	Until    int64    `json:"until"`
	Requests Requests `json:"requests"`
	Calls    Calls    `json:"calls"`
}

// Requests is a table of requests in order of arrival, with a slice for each column. Times
// count from the start of the run, in nanoseconds.
type Requests struct {
	Intended []int64 `json:"intended"` // time at which the request should have been sent
	Sent     []int64 `json:"sent"`     // time at which the request's calls began
	Done     []int64 `json:"done"`     // time at which its last call ended, -1 if the run ended before
	OK       []bool  `json:"ok"`
	Items    []int32 `json:"items,omitempty"` // number of items of each request; nil if they do not matter
}

// Calls is a table of call attempts in the order in which they ended, with a slice for each
// column.
type Calls struct {
	Request []int32 `json:"request"`
	Slot    []int16 `json:"slot"` // index of the PS
	Attempt []uint8 `json:"attempt"`
	Server  []int16 `json:"server"`
	Sent    []int64 `json:"sent"`
	Done    []int64 `json:"done"`
	// Waited and Worked are the server's report on the call in nanoseconds, -1 if there is none.
	Waited []int64 `json:"waited"`
	Worked []int64 `json:"worked"`
	// Outcome says how each call ended: Answered, TimedOut, Refused, Failed, Open or GivenUp.
	Outcome []uint8 `json:"outcome"`
}

// Outcomes of calls.
const (
	Answered = iota
	TimedOut
	Refused // no process listened, or the connection was reset
	Failed
	Open    // the run ended before the call did
	GivenUp // another attempt of the call was faster
)

// Counts reports whether a time lies in the part of the run that counts.
func (l *Load) Counts(at int64) bool { return at >= l.Warm && at < l.Until }

// late returns the 99th percentile of how late requests were sent, in nanoseconds.
func (l *Load) late() int64 {
	h := model.NewHist(3)
	for i, at := range l.Requests.Intended {
		if at >= l.Warm {
			h.Record(l.Requests.Sent[i] - at)
		}
	}
	return h.Quantile(0.99)
}

// Len returns the number of calls.
func (c *Calls) Len() int { return len(c.Request) }

// String describes the observation in one line.
func (o *Observation) String() string {
	text := fmt.Sprintf("%d requests and %d calls in %v, one request in a hundred began %v late", len(o.Load.Requests.Intended), o.Load.Calls.Len(),
		time.Duration(o.Load.Until), time.Duration(o.Machine.Late))
	if o.Machine.IsDisturbed() {
		text += fmt.Sprintf("; disturbed: others had %.0f %% of the machine", 100*o.Machine.Others)
	}
	return text
}

// Summary is a short form of an observation, for programs.
type Summary struct {
	File         string  `json:"file"`
	Plan         string  `json:"plan"`
	ScenarioHash string  `json:"scenario_hash"`
	Requests     int     `json:"requests"`
	Calls        int     `json:"calls"`
	LengthNs     int64   `json:"length"`
	Machine      Machine `json:"machine"`
	Disturbed    bool    `json:"disturbed"`
}

// Summary returns the observation's short form. file is the path of the complete observation.
func (o *Observation) Summary(file string) Summary {
	return Summary{File: file, Plan: o.Plan, ScenarioHash: o.ScenarioHash, Requests: len(o.Load.Requests.Intended), Calls: o.Load.Calls.Len(), LengthNs: o.Load.Until,
		Machine: o.Machine, Disturbed: o.Machine.IsDisturbed()}
}

// Write writes the observation as JSON.
func (o *Observation) Write(w io.Writer) error { return json.NewEncoder(w).Encode(o) }

// Read reads an observation from a file.
func Read(path string) (*Observation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var o Observation
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s: found no observation, want a file of monosim-lab observe: %w", path, err)
	}
	if o.Format != Format {
		return nil, fmt.Errorf("%s: found the format %q, want %s, as monosim-lab observe writes it", path, o.Format, Format)
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &o, nil
}

// check returns an error if the columns of a table differ in length.
func (o *Observation) check() error {
	runs := []*Load{&o.Load}
	if o.Saturated != nil {
		runs = append(runs, o.Saturated)
	}
	for _, r := range runs {
		q, c := &r.Requests, &r.Calls
		n, m := len(q.Intended), len(c.Request)
		if q.Items != nil && len(q.Items) != n || (q.Items == nil) != (o.Shares == nil) {
			return fmt.Errorf("requests: found items of %d of %d requests and %d shares of them, want all or none", len(q.Items), n, len(o.Shares))
		}
		for _, slot := range c.Slot {
			if q.Items != nil && (slot < 0 || int(slot) >= len(o.Shares)) {
				return fmt.Errorf("calls: found slot %d, want one of %d, which have shares of items", slot, len(o.Shares))
			}
		}
		if len(q.Sent) != n || len(q.Done) != n || len(q.OK) != n {
			return fmt.Errorf("requests: found columns of %d, %d, %d and %d values, want as many in each", n, len(q.Sent), len(q.Done), len(q.OK))
		}
		for _, k := range []int{len(c.Slot), len(c.Attempt), len(c.Server), len(c.Sent), len(c.Done), len(c.Waited), len(c.Worked), len(c.Outcome)} {
			if k != m {
				return fmt.Errorf("calls: found a column of %d values beside one of %d, want as many in each", k, m)
			}
		}
	}
	return nil
}
