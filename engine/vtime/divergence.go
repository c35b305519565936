package vtime

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// Divergence describes where two runs that should be equal differ.
type Divergence struct {
	// A and B are the first events that differ. One is nil if its run had ended before. Both are
	// nil if the traces have no records of that part of the run. The first difference then is one
	// of the events From+1 to To.
	A, B     *Record
	From, To uint64
	// CausesA and CausesB list the events that led to A and to B, nearest first, as far back as the
	// records go.
	CausesA, CausesB []Record
	// Nodes lists, sorted, the nodes whose own hashes differ at the end.
	Nodes []string
	// Loops says how the numbers of steps of loops differ at the end, such as "host model update:
	// 12 steps against 13". The texts are sorted.
	Loops []string
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
	if len(d.Loops) > 0 {
		fmt.Fprintf(&b, "\nloops that differ at the end: %s", strings.Join(d.Loops, ", "))
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

// FirstDivergence compares two runs, and returns nil if they are equal. From records it finds the
// first event that differs, and its causes. Without records it finds the two checkpoints around the
// difference. Then run both again and record the events between these checkpoints.
func FirstDivergence(a, b *Trace) *Divergence {
	if a.Hash == b.Hash && a.Events == b.Events && a.End == b.End {
		return nil
	}
	d := &Divergence{Nodes: differingNodes(a, b), Loops: differingLoops(a, b)}
	d.From, d.To = stretch(a, b)
	as, bs := a.Records, b.Records
	if a.cfg.steps != b.cfg.steps {
		as, bs = withoutSteps(as), withoutSteps(bs)
	}
	i, j := 0, 0
	if a.cfg.From != b.cfg.From {
		i, j = alignRecords(as, bs)
	}
	for i < len(as) && j < len(bs) && sameRecord(&as[i], &bs[j]) {
		i, j = i+1, j+1
	}
	if unrecorded(a, as[i:], bs[j:]) || unrecorded(b, bs[j:], as[i:]) {
		return d
	}
	if i < len(as) {
		d.A, d.CausesA = &as[i], causes(as[:i], &as[i])
	}
	if j < len(bs) {
		d.B, d.CausesB = &bs[j], causes(bs[:j], &bs[j])
	}
	return d
}

// withoutSteps leaves out the records of loops' steps. They cannot be compared, because a world
// with leaps (see Config.NoLeaps) does not record them.
func withoutSteps(records []Record) []Record {
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Step })
}

// unrecorded reports whether run a has no record of the next event in other, although it was at
// least that long. Then the records do not tell whether the runs differ there.
func unrecorded(a *Trace, left, other []Record) bool {
	return len(left) == 0 && len(other) > 0 && other[0].Number <= a.Events && !other[0].Step
}

// alignRecords returns the indices of the first event that both runs have recorded.
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
	if a.At != b.At || a.Node != b.Node || a.Kind != b.Kind || a.Arg != b.Arg || a.Hash != b.Hash || a.Step != b.Step {
		return false
	}
	return slices.Equal(a.Labels, b.Labels)
}

// stretch returns the event numbers of the two checkpoints around the first difference.
func stretch(a, b *Trace) (from, to uint64) {
	to = max(a.Events, b.Events)
	hashes := lists.ToMap(a.Checkpoints, func(c Checkpoint) (uint64, uint64) { return c.Events, c.Hash })
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
	hashes := lists.ToMap(a.Nodes, func(n NodeHash) (string, uint64) { return n.Node, n.Hash })
	var names []string
	for _, n := range b.Nodes {
		if h, ok := hashes[n.Node]; !ok || h != n.Hash {
			names = append(names, n.Node)
		}
		delete(hashes, n.Node)
	}
	names = append(names, slices.Sorted(maps.Keys(hashes))...)
	slices.Sort(names)
	return names
}

func differingLoops(a, b *Trace) []string {
	type key struct{ node, name string }
	loops := lists.ToMap(a.Loops, func(l LoopDigest) (key, LoopDigest) { return key{l.Node, l.Name}, l })
	var texts []string
	differ := func(a, b LoopDigest) {
		text := fmt.Sprintf("%s %s: %d steps against %d", a.Node, a.Name, a.Steps, b.Steps)
		if a.Steps == b.Steps {
			text = fmt.Sprintf("%s %s: %d steps at other instants", a.Node, a.Name, a.Steps)
		}
		texts = append(texts, text)
	}
	for _, l := range b.Loops {
		k := key{l.Node, l.Name}
		if have := loops[k]; have.Steps != l.Steps || have.Digest != l.Digest {
			differ(LoopDigest{l.Node, l.Name, have.Steps, have.Digest}, l)
		}
		delete(loops, k)
	}
	//lint:ordered texts are sorted
	for _, l := range loops {
		differ(l, LoopDigest{})
	}
	sort.Strings(texts)
	return texts
}
