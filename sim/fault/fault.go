// Package fault has the faults of a simulated cluster, with a file for each part of the cluster that
// they hit. The descriptor of a kind has everything about it: its name, its sentences, and what
// begins and ends it.
//
// Two things to use first:
//
//   - [Begin] begins a fault in a world, and [End] ends it.
//   - [Kinds] lists the kinds.
//
// To change:
//
//   - to add a kind: write its descriptor into the list of the file that its name begins with, such
//     as zookeeper.go. Scenarios can then use its sentences, and every list shows it.
//   - the words of sentences, and the fields of a fault that they fill: engine/cluster
//
// Unstable: any commit may change it.
package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

// Kind is a kind of fault, with its description for scenarios and its effect on a world. Begin and
// End must be called between two events of the world, never during an event. If the fault is not
// applicable, they return an error and leave the world unchanged.
type Kind struct {
	cluster.FaultKind
	Begin action
	// End ends the fault. It is nil for a fault without duration, such as a kill.
	End action
}

// action begins or ends a fault.
type action = func(w *world.World, f cluster.Fault) error

// kinds has every kind, sorted by name.
var kinds = sorted(agentKinds, consulKinds, modelServerKinds, networkKinds, storeKinds, trainerKinds, versionKinds, zooKeeperKinds)

func sorted(lists ...[]Kind) []*Kind {
	var all []*Kind
	for _, list := range lists {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	slices.SortFunc(all, func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Kinds lists the kinds, sorted by name.
func Kinds() []*Kind { return slices.Clone(kinds) }

// Find returns the kind with a name. The error for an unknown name lists all kinds.
func Find(name string) (*Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("fault: found %q, want one of %s", name, strings.Join(names, ", "))
}

// Begin begins a fault.
func Begin(w *world.World, f cluster.Fault) error {
	k, err := Find(f.Kind)
	if err != nil {
		return err
	}
	return k.Begin(w, f)
}

// End ends a fault that was begun. It returns an error for a kind without an end.
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
