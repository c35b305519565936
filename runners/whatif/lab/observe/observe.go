// Package observe runs the fleet of a capacity plan for real: a cluster of processes on the
// loopback, ZooKeeper, agents and `monosim tfserving`, under an open load, and writes down
// what was measured, so that the simulation of the same plan can be calibrated by it and
// held to it.
//
// Two things to use first:
//
//   - [Run] observes a plan and gives an [Observation].
//   - [Read] reads one from a file, [Observation.Write] writes it.
//
// Requests come at the instants at which those of the simulation come, and their latency
// counts from the instant at which they were to come, whether the servers keep up or not
// (no coordinated omission). The load generator is the entry of the fleet: it chooses
// replicas among those that agents list, calls all PS, tries again, and waits for the last
// answer. Latencies that a library for load would give alone do not say where they come
// from: here each call has how long it waited and was worked on, by the server's account.
//
// To change:
//
//   - what is measured: observe.go
//   - what the processes are: cluster.go
//   - how requests are made: load.go and call.go
//   - how they are paced: pace.go
//   - how it is found out whether others had the machine: machine.go
package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/monosim/monosim/runners/whatif/model"
)

// Format is the value of Observation.Format.
const Format = "monosim.observation/v1"

// Observation is what was measured of one plan. Times are in nanoseconds.
type Observation struct {
	Format string `json:"format"`
	Plan   string `json:"plan"` // its name
	// ScenarioHash is that of the plan without its service times.
	ScenarioHash string    `json:"scenario_hash"`
	Began        time.Time `json:"began"`
	Machine      Machine   `json:"machine"`
	Servers      []string  `json:"servers"` // pods, by their number in Calls
	// ReadyNs is from the start of the pods until each was listed and answered.
	ReadyNs int64 `json:"ready"`
	// Threads is how many requests a server works on at once.
	Threads int `json:"threads"`
	// RoundTrip is what was added to the network's, of every call.
	RoundTrip int64 `json:"round_trip,omitempty"`
	// Shares are, by the PS of a call, its part of the items of a request; nil where items
	// do not count.
	Shares []float64 `json:"shares,omitempty"`
	Load   Load      `json:"load"`
	// Saturated is a run in which more is asked than can be done; nil for none.
	Saturated *Load `json:"saturated,omitempty"`
	// Detected is for each container that was killed how long it was still listed.
	Detected []int64 `json:"detected,omitempty"`
	// Rollouts are for each version that was published, in order, how long after it each
	// container served it, of those that live.
	Rollouts [][]int64 `json:"rollouts,omitempty"`
	// Memory is what the model servers had of resident memory, by server, at the end.
	Memory []int64 `json:"memory"`
}

// Machine is where it was measured, and whether others had it meanwhile.
type Machine struct {
	CPUs int `json:"cpus"`
	// Others is the share of all processors that others than the cluster and the load
	// generator took during the load, -1 where that is not known.
	Others float64 `json:"others"`
	// Ours is that of the load generator and the cluster.
	Ours float64 `json:"ours"`
	// Late is by how much one request in a hundred began late: what the load generator had
	// to wait for the machine, and so the servers had to.
	Late int64 `json:"late"`
}

// disturbedBy is the lateness beyond which a measurement is called disturbed.
const disturbedBy = 2 * time.Millisecond

// IsDisturbed reports whether others had the machine when it was needed.
func (m Machine) IsDisturbed() bool { return m.Late > int64(disturbedBy) }

// Load is one load. Requests before Warm are made and do not count, none come from Until on.
type Load struct {
	Warm     int64    `json:"warm"`
	Until    int64    `json:"until"`
	Requests Requests `json:"requests"`
	Calls    Calls    `json:"calls"`
}

// Requests are columns, in the order of arrival; instants are since the begin of the run.
type Requests struct {
	Intended []int64 `json:"intended"` // when it was to come
	Sent     []int64 `json:"sent"`     // when its calls were begun
	Done     []int64 `json:"done"`     // when the last answer came, -1 for never
	OK       []bool  `json:"ok"`
	Items    []int32 `json:"items,omitempty"` // nil where they do not count
}

// Calls are columns, one row for each attempt, in the order of their end.
type Calls struct {
	Request []int32 `json:"request"`
	Slot    []int16 `json:"slot"` // which of the calls of a request: the PS
	Attempt []uint8 `json:"attempt"`
	Server  []int16 `json:"server"`
	Sent    []int64 `json:"sent"`
	Done    []int64 `json:"done"`
	// Waited and Worked are by the server's own account, -1 where it gave none.
	Waited []int64 `json:"waited"`
	Worked []int64 `json:"worked"`
	// Outcome is how it ended: see the Outcomes.
	Outcome []uint8 `json:"outcome"`
}

// Outcomes of calls.
const (
	Answered = iota
	TimedOut
	Refused // nobody listened, or the connection was reset
	Failed
	Open    // the run was over before
	GivenUp // the other one of the call and its hedge was faster
)

// Counts reports whether what was at an instant counts.
func (l *Load) Counts(at int64) bool { return at >= l.Warm && at < l.Until }

// late returns the 99th percentile of how late requests began.
func (l *Load) late() int64 {
	h := model.NewHist(3)
	for i, at := range l.Requests.Intended {
		if at >= l.Warm {
			h.Record(l.Requests.Sent[i] - at)
		}
	}
	return h.Quantile(0.99)
}

// Len returns how many there are.
func (c *Calls) Len() int { return len(c.Request) }

// String says in a line what there is.
func (o *Observation) String() string {
	text := fmt.Sprintf("%d requests and %d calls in %v, one request in a hundred began %v late", len(o.Load.Requests.Intended), o.Load.Calls.Len(),
		time.Duration(o.Load.Until), time.Duration(o.Machine.Late))
	if o.Machine.IsDisturbed() {
		text += fmt.Sprintf("; disturbed: others had %.0f %% of the machine", 100*o.Machine.Others)
	}
	return text
}

// Summary is what String says, for programs.
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

// Summary returns the observation in short; file is where all of it is.
func (o *Observation) Summary(file string) Summary {
	return Summary{File: file, Plan: o.Plan, ScenarioHash: o.ScenarioHash, Requests: len(o.Load.Requests.Intended), Calls: o.Load.Calls.Len(), LengthNs: o.Load.Until,
		Machine: o.Machine, Disturbed: o.Machine.IsDisturbed()}
}

// Write writes it as JSON.
func (o *Observation) Write(w io.Writer) error { return json.NewEncoder(w).Encode(o) }

// Read reads a file. The error says what it is instead of an observation.
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

// check refuses columns of different lengths.
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
