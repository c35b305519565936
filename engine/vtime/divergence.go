package vtime

import (
	"fmt"
	"sort"
	"strings"
)

// Divergence is where two runs that should be equal part.
type Divergence struct {
	// A and B are the first differing events; one is nil when that run had
	// already ended. Both are nil when the traces hold no records of the place:
	// then the first difference lies in events From+1 to To.
	A, B     *Record
	From, To uint64
	// CausesA and CausesB lead from the differing event back to what scheduled
	// it, as far as the records reach; nearest first.
	CausesA, CausesB []Record
	// Nodes are the nodes whose own hashes differ at the end, sorted.
	Nodes []string
}

func (d *Divergence) String() string {
	var b strings.Builder
	if d.A == nil && d.B == nil {
		fmt.Fprintf(&b, "first difference within events %d to %d", d.From+1, d.To)
	} else {
		fmt.Fprintf(&b, "first differing event:\n")
		describe(&b, "a", d.A, d.CausesA)
		describe(&b, "b", d.B, d.CausesB)
	}
	if len(d.Nodes) > 0 {
		fmt.Fprintf(&b, "\nnodes that differ at the end: %s", strings.Join(d.Nodes, ", "))
	}
	return b.String()
}

func describe(b *strings.Builder, run string, r *Record, causes []Record) {
	if r == nil {
		fmt.Fprintf(b, "  %s: (ended)\n", run)
		return
	}
	fmt.Fprintf(b, "  %s: %s\n", run, r)
	for _, c := range causes {
		fmt.Fprintf(b, "     because of %s\n", c)
	}
}

const maxCauses = 8

// FirstDivergence compares two runs. It returns nil when they are equal. With
// records it names the first differing event and its causes, without it the
// stretch between two checkpoints: run both again recording just that stretch.
func FirstDivergence(a, b *Trace) *Divergence {
	if a.Hash == b.Hash && a.Events == b.Events && a.End == b.End {
		return nil
	}
	d := &Divergence{Nodes: differingNodes(a, b)}
	d.From, d.To = stretch(a, b)
	i, j := alignRecords(a.Records, b.Records)
	for i < len(a.Records) && j < len(b.Records) && sameRecord(&a.Records[i], &b.Records[j]) {
		i, j = i+1, j+1
	}
	if unrecorded(a, i, b, j) || unrecorded(b, j, a, i) {
		return d
	}
	if i < len(a.Records) {
		d.A, d.CausesA = &a.Records[i], causes(a.Records[:i], &a.Records[i])
	}
	if j < len(b.Records) {
		d.B, d.CausesB = &b.Records[j], causes(b.Records[:j], &b.Records[j])
	}
	return d
}

// unrecorded reports whether a has no record i although it went on as far as b's
// record j: then nothing is known about the place.
func unrecorded(a *Trace, i int, b *Trace, j int) bool {
	return i == len(a.Records) && j < len(b.Records) && b.Records[j].Number <= a.Events
}

// alignRecords finds the first event that both recorded.
func alignRecords(a, b []Record) (i, j int) {
	for i < len(a) && j < len(b) && a[i].Number != b[j].Number {
		if a[i].Number < b[j].Number {
			i++
		} else {
			j++
		}
	}
	return i, j
}

func sameRecord(a, b *Record) bool {
	if a.At != b.At || a.Node != b.Node || a.Kind != b.Kind || a.Arg != b.Arg || a.Hash != b.Hash || len(a.Labels) != len(b.Labels) {
		return false
	}
	for i := range a.Labels {
		if a.Labels[i] != b.Labels[i] {
			return false
		}
	}
	return true
}

// stretch finds the checkpoints around the first difference.
func stretch(a, b *Trace) (from, to uint64) {
	to = max(a.Events, b.Events)
	hashes := make(map[uint64]uint64, len(a.Checkpoints))
	for _, c := range a.Checkpoints {
		hashes[c.Events] = c.Hash
	}
	for _, c := range b.Checkpoints {
		h, ok := hashes[c.Events]
		if !ok {
			continue
		}
		if h != c.Hash {
			return from, c.Events
		}
		from = c.Events
	}
	return from, to
}

func causes(before []Record, r *Record) []Record {
	var chain []Record
	for id := r.Cause; id != 0 && len(chain) < maxCauses; {
		found := false
		for i := len(before) - 1; i >= 0; i-- {
			if before[i].ID == id {
				chain = append(chain, before[i])
				id, found = before[i].Cause, true
				break
			}
		}
		if !found {
			break
		}
	}
	return chain
}

func differingNodes(a, b *Trace) []string {
	hashes := make(map[string]uint64, len(a.Nodes))
	for _, n := range a.Nodes {
		hashes[n.Node] = n.Hash
	}
	var names []string
	for _, n := range b.Nodes {
		if h, ok := hashes[n.Node]; !ok || h != n.Hash {
			names = append(names, n.Node)
		}
		delete(hashes, n.Node)
	}
	for name := range hashes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
