package compare

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/test/deeds"
)

// readsAtLeast copies a log and adds acts to its tracks of reads. Each of these tracks then has at
// least as many acts as in the open log that has the fewest. Tracks that have more acts already
// stay unchanged. The period of the acts is never changed.
func readsAtLeast(got *deeds.Log, open deeds.Open) *deeds.Log {
	whole := &deeds.Log{Tracks: slices.Clone(got.Tracks), Ended: got.Ended}
	if len(open) == 0 {
		return whole
	}
	for _, t := range open[0].Tracks { // a track that exists for every seed also exists for the first one
		if t.Topic() != deeds.ReadsTopic {
			continue
		}
		if least := leastReads(open, t.Name); least != nil {
			whole.Tracks = topUp(whole.Tracks, least)
		}
	}
	return whole
}

// withoutUnread copies logs without the tracks of reads that got lacks.
func withoutUnread(open deeds.Open, got *deeds.Log) deeds.Open {
	return lists.MapOrNil(open, func(l *deeds.Log) *deeds.Log {
		kept := slices.DeleteFunc(slices.Clone(l.Tracks), func(t *deeds.Track) bool {
			return t.Topic() == deeds.ReadsTopic && got.Track(t.Name) == nil
		})
		return &deeds.Log{Tracks: kept, Ended: l.Ended}
	})
}

// leastReads merges one track of reads from all open logs. The result has the fewest acts and the
// latest first act of these logs. If one of the logs lacks the track, it returns nil.
func leastReads(open deeds.Open, name string) *deeds.Track {
	var least *deeds.Track
	for _, l := range open {
		t := l.Track(name)
		if t == nil {
			return nil
		}
		if least == nil {
			least = &deeds.Track{Name: name, Deeds: slices.Clone(t.Deeds)}
			continue
		}
		d, o := &least.Deeds[0], t.Deeds[0]
		d.Times, d.Between, d.First = min(d.Times, o.Times), min(d.Between, o.Between), max(d.First, o.First)
	}
	return least
}

// topUp gives a track at least as many acts as least has. tracks are sorted by name. If the track
// is missing, topUp adds least itself. If the track has fewer acts, topUp also makes its first act
// no later, and its number of acts in between (Deed.Between) no smaller, than in least.
func topUp(tracks []*deeds.Track, least *deeds.Track) []*deeds.Track {
	i, ok := slices.BinarySearchFunc(tracks, least.Name, func(t *deeds.Track, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return slices.Insert(tracks, i, least)
	}
	d, want := tracks[i].Deeds[0], least.Deeds[0]
	if d.Times < want.Times {
		d.Times, d.Between, d.First = want.Times, max(d.Between, want.Between), min(d.First, want.First)
		tracks[i] = &deeds.Track{Name: least.Name, Deeds: []deeds.Deed{d}}
	}
	return tracks
}
