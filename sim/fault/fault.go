// Package fault has what can go wrong in a simulated cluster, a file per kind of
// fault. The descriptor in that file is all there is of a kind: its name, its
// sentences and what begins and ends it.
//
// Two things to use first:
//
//   - [Begin] brings a fault about in a world, [End] ends it.
//   - [Kinds] lists what there is.
//
// To add a kind write one file with one descriptor, as zookeeper_down.go: scenarios
// can say its sentences, and every list shows it, from then on. The words of which
// sentences are made, and the fields of a fault that they fill, are described in
// engine/cluster; what several kinds need is in target.go.
package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

// Kind is a kind of fault: what people and scenarios know of it, and what it does to
// a world. Both functions are called between two events of the world, never inside of
// one. They return an error, and leave the world as it was, for a fault that makes no
// sense there.
type Kind struct {
	cluster.FaultKind
	Begin func(w *world.World, f cluster.Fault) error
	// End is nil for a fault that is over as soon as it has happened.
	End func(w *world.World, f cluster.Fault) error
}

// kinds has every kind, in no order.
var kinds []*Kind

// register adds the descriptor of a file to the list.
func register(k Kind) *Kind {
	kinds = append(kinds, &k)
	return &k
}

// Kinds lists the kinds, sorted by name.
func Kinds() []*Kind {
	return slices.SortedFunc(slices.Values(kinds), func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// Find returns the kind of that name. The error for an unknown one lists all.
func Find(name string) (*Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("fault: found %q, want one of %s", name, strings.Join(names, ", "))
}

// Begin brings a fault about.
func Begin(w *world.World, f cluster.Fault) error {
	k, err := Find(f.Kind)
	if err != nil {
		return err
	}
	return k.Begin(w, f)
}

// End ends a fault that was begun. A fault of a kind without an end is an error.
func End(w *world.World, f cluster.Fault) error {
	k, err := Find(f.Kind)
	if err != nil {
		return err
	}
	if k.End == nil {
		return fmt.Errorf("fault %s: found no end, want none to be asked for: it is over as soon as it has happened", k.Name)
	}
	return k.End(w, f)
}
