package vtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// TraceConfig says what a world keeps of its run. Checkpoints are always kept.
type TraceConfig struct {
	// Record keeps a Record of every event whose number is at least From and below To. A To of 0
	// means no end.
	Record   bool
	From, To uint64
	// EveryEvents is the number of events between two checkpoints. 0 means 1024. It doubles
	// whenever there are more than 4096 checkpoints.
	EveryEvents uint64
	// Origins makes every event inherit the cause of the event that scheduled it, until
	// [World.SetOrigin] sets another. Then [World.Origin] tells what led to the current event, over
	// any number of events. Records show the origin in place of the cause. Origins change no hash.
	Origins bool
	// steps is set in a world with Config.NoLeaps, which also records the steps of loops.
	steps bool
}

// Record is one event that happened.
type Record struct {
	// Number counts events from 1.
	Number uint64 `json:"number"`
	// ID identifies the event. Cause is the ID of the event during which this one was scheduled, 0
	// if there was none.
	ID    uint64        `json:"id"`
	Cause uint64        `json:"cause"`
	At    time.Duration `json:"at_ns"`
	Node  string        `json:"node"`
	Kind  string        `json:"kind"`
	Arg   uint64        `json:"arg"`
	// Hash is the world's hash when the event began. Notes made during the event show only in the
	// hash of the next record.
	Hash uint64 `json:"hash"`
	// Labels holds the texts that were noted during the event.
	Labels []string `json:"labels,omitempty"`
	// Step marks a step of a loop. A step has no ID, and its Number is that of the event before it.
	// Steps are recorded only in a world with Config.NoLeaps.
	Step bool `json:"step,omitempty"`
}

func (r Record) String() string {
	number := fmt.Sprintf("#%d", r.Number)
	if r.Step {
		number += "+"
	}
	s := fmt.Sprintf("%s t+%.6fs %s %s(%d)", number, r.At.Seconds(), r.Node, r.Kind, r.Arg)
	for _, l := range r.Labels {
		s += " " + l
	}
	return s
}

// Checkpoint is the world's hash after a number of events. Steps of loops are not in the hash.
type Checkpoint struct {
	Events uint64
	At     time.Duration
	Hash   uint64
}

// Trace is what a world has kept of its run.
type Trace struct {
	Seed   uint64
	Events uint64
	End    time.Duration
	Hash   uint64
	Nodes  []NodeHash
	// Loops holds the digests of all loops, node by node.
	Loops       []LoopDigest
	Checkpoints []Checkpoint
	Records     []Record

	cfg      TraceConfig
	nextMark uint64
}

// NodeHash is the rolling hash of one node.
type NodeHash struct {
	Node string
	Hash uint64
}

const maxCheckpoints = 4096

func (tr *Trace) init(cfg TraceConfig) {
	cfg.EveryEvents = cmp.Or(cfg.EveryEvents, 1024)
	cfg.To = cmp.Or(cfg.To, ^uint64(0))
	tr.cfg = cfg
	tr.nextMark = cfg.EveryEvents
	if cfg.Record {
		tr.nextMark = min(tr.nextMark, max(cfg.From, 1))
	}
}

func (tr *Trace) recording(number uint64) bool {
	return tr.cfg.Record && number >= tr.cfg.From && number < tr.cfg.To
}

// mark records an event and takes checkpoints. It is called only when the number of events has
// reached nextMark, so that other events cost one comparison.
func (tr *Trace) mark(w *World, id uint64, n *Node, kind Kind, cause, arg uint64) {
	if tr.recording(w.events) {
		tr.Records = append(tr.Records, Record{Number: w.events, ID: id, Cause: cause, At: w.Now(), Node: n.name, Kind: kind.String(), Arg: arg, Hash: w.hash})
	}
	if w.events%tr.cfg.EveryEvents == 0 {
		tr.Checkpoints = append(tr.Checkpoints, Checkpoint{Events: w.events, At: w.Now(), Hash: w.hash})
		if len(tr.Checkpoints) > maxCheckpoints {
			tr.thin()
		}
	}
	next := (w.events/tr.cfg.EveryEvents + 1) * tr.cfg.EveryEvents
	if tr.cfg.Record && w.events+1 < tr.cfg.To {
		next = min(next, max(tr.cfg.From, w.events+1))
	}
	tr.nextMark = next
}

// step records a step of a loop, which happens only in a world with Config.NoLeaps.
func (tr *Trace) step(w *World, e *slot, cause uint64) {
	tr.Records = append(tr.Records, Record{
		Number: w.events, Cause: cause, At: time.Duration(e.at), Node: e.node.name, Kind: e.kind().String(), Arg: e.arg, Hash: w.hash, Step: true,
	})
}

// thin drops every other checkpoint, so that even a long run keeps few.
func (tr *Trace) thin() {
	tr.cfg.EveryEvents *= 2
	kept := tr.Checkpoints[:0]
	for _, c := range tr.Checkpoints {
		if c.Events%tr.cfg.EveryEvents == 0 {
			kept = append(kept, c)
		}
	}
	tr.Checkpoints = kept
}

// Origin returns the origin of the current event or task, as [World.SetOrigin] set it, or 0. It
// needs TraceConfig.Origins. Between two calls of Run it is 0 until SetOrigin is called.
func (w *World) Origin() uint64 { return w.cause }

// SetOrigin makes n the origin of everything that the current event or task schedules from now on,
// and of all that follows from these events. Between two calls of Run it applies to events
// scheduled there. Without TraceConfig.Origins it does nothing.
func (w *World) SetOrigin(n uint64) {
	if w.cfg.Trace.Origins {
		w.cause = n
	}
}

// label adds s to the record of the current event, if that event is recorded.
func (tr *Trace) label(number uint64, s string) {
	if n := len(tr.Records); n > 0 && tr.Records[n-1].Number == number {
		tr.Records[n-1].Labels = append(tr.Records[n-1].Labels, s)
	}
}

func (tr *Trace) finish(w *World) {
	tr.Seed, tr.Events, tr.End, tr.Hash = w.cfg.Seed, w.events, w.Now(), w.Hash()
	tr.Nodes, tr.Loops = tr.Nodes[:0], tr.Loops[:0]
	for _, n := range w.nodes {
		tr.Nodes = append(tr.Nodes, NodeHash{Node: n.name, Hash: n.Hash()})
		for _, t := range n.loops {
			tr.Loops = append(tr.Loops, LoopDigest{Node: n.name, Name: t.name, Steps: t.steps, Digest: t.digest})
		}
	}
}

// WriteJSON writes the records as JSON lines.
func (tr *Trace) WriteJSON(out io.Writer) error {
	enc := json.NewEncoder(out)
	for i := range tr.Records {
		if err := enc.Encode(&tr.Records[i]); err != nil {
			return err
		}
	}
	return nil
}
