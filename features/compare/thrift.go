package compare

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/test/deeds"
)

// readsAtLeast copies a log and adds actions to its tracks of reads, so that each has at least as
// many as the same track of the log in open that has the fewest. Tracks with more actions stay as
// they are. The time between actions never changes.
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

// leastReads merges a track of reads from all logs in open: the result has the smallest number of
// actions in any of them, and the latest first action. If one of the logs lacks the track, it
// returns nil.
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

// topUp gives a track at least as many actions as least has. tracks are sorted by name. If the
// track is missing, least itself is added. If it has too few actions, its first action also becomes
// no later than that of least, and its number of actions in between (Deed.Between) no smaller.
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
