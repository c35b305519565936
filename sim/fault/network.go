package fault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/world"
)

var networkKinds = []Kind{
	{
		FaultKind: cluster.FaultKind{
			Name:  "network.one-way-partition",
			Help:  "Everything that one group of hosts sends to another is lost; the way back is whole.",
			Lasts: "{places} cannot reach {places}",
			Onset: "{places} can no longer reach {places}",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().Partition) },
		End:   func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().Heal) },
	},
	// The end also heals a one-way partition between the same two groups.
	{
		FaultKind: cluster.FaultKind{
			Name:  "network.partition",
			Help:  "Two groups of hosts cannot reach each other: all that is sent between them is lost.",
			Lasts: "{places} is/are cut off from {places}",
			Ends:  "{places} reach(es) {places} again",
			Onset: "{places} get(s) cut off from {places}",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().PartitionBoth) },
		End:   func(w *world.World, f cluster.Fault) error { return between(w, f, w.Network().HealBoth) },
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "network.slow",
			Help:  "What is sent between two groups of hosts takes longer, both ways.",
			Lasts: "the network between {places} and {places} is slower by {duration}",
			Onset: "the network between {places} and {places} becomes slower by {duration}",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return slow(w, f, f.Duration) },
		End:   func(w *world.World, f cluster.Fault) error { return slow(w, f, 0) },
	},
}

// slow adds extra latency in both directions between the fault's two groups of places.
func slow(w *world.World, f cluster.Fault, extra time.Duration) error {
	return between(w, f, func(a, b []string) error {
		if err := w.Network().Slow(a, b, extra); err != nil {
			return err
		}
		return w.Network().Slow(b, a, extra)
	})
}

// hostsAt converts places, such as pods or "idc:NAME", to the names of their hosts.
func hostsAt(w *world.World, places []string) ([]string, error) {
	var hosts []string
	for _, place := range places {
		idc, isIDC := strings.CutPrefix(place, "idc:")
		switch {
		case place == world.ZooKeeperHost:
			hosts = append(hosts, place)
		case isIDC:
			found := len(hosts)
			for _, p := range w.Pods() {
				if !p.Bare() && p.Location.IDC == idc {
					hosts = append(hosts, p.Name)
				}
			}
			if len(hosts) == found {
				return nil, fmt.Errorf("place: found %q, want the idc of a pod", place)
			}
		case isTrainer(w, place):
			hosts = append(hosts, place)
		default:
			if _, err := w.FindPod(place); err != nil {
				return nil, err
			}
			hosts = append(hosts, place)
		}
	}
	return hosts, nil
}

// isTrainer reports whether a place is a process of the training job.
func isTrainer(w *world.World, place string) bool {
	_, err := w.FindTrainer(place)
	return err == nil
}

// between passes the host names of the fault's two groups of places to the function do.
func between(w *world.World, f cluster.Fault, do func(from, to []string) error) error {
	from, err := hostsAt(w, f.From)
	if err != nil {
		return err
	}
	to, err := hostsAt(w, f.To)
	if err != nil {
		return err
	}
	for _, places := range [][2][]string{{from, to}, {to, from}} {
		for _, place := range places[0] {
			other := slices.IndexFunc(places[1], func(o string) bool { return isTrainer(w, o) || o == world.ZooKeeperHost })
			if isTrainer(w, place) && other >= 0 {
				return fmt.Errorf("place: found %s beside %s, want a pod on one side: a process of the job is \"unreachable\" to the others, or \"without ZooKeeper\"", place, places[1][other])
			}
		}
	}
	return do(from, to)
}
