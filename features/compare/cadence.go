package compare

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/test/deeds"
)

// By how much the period of equal writes may differ from that of the first runner with some seed: by
// the fraction periodPart, and by periodLeast, which counts for all intervals together.
const (
	periodPart  = 0.1
	periodLeast = time.Second
)

// periods finds znodes that a pod writes again and again with equal data, as an agent tells of itself,
// at a period that the first runner has with no seed in open. Such a difference takes the place of a
// difference in time of that znode, and is found before the times are far enough apart.
func periods(open deeds.Open, got *deeds.Log, late time.Duration) (found []deeds.Difference) {
	for _, t := range got.Tracks {
		for _, rewritten := range rewrites(t) {
			var wanted []time.Duration
			var example deeds.Deed
			for _, l := range open {
				want := lists.Find(rewrites(l.Track(t.Name)), func(d deeds.Deed) bool { return d.Who == rewritten.Who && d.Text == rewritten.Text })
				if want.Times > 0 {
					wanted, example = append(wanted, want.Every), want
				}
			}
			far := time.Duration(periodPart*float64(rewritten.Every)) + (periodLeast+2*late)/time.Duration(rewritten.Times)
			if len(wanted) == 0 || slices.ContainsFunc(wanted, func(w time.Duration) bool { return (w - rewritten.Every).Abs() <= far }) {
				continue
			}
			found = append(found, deeds.Difference{
				Kind: deeds.ByPeriod, Track: t.Name, From: slices.Min(wanted), Until: slices.Max(wanted),
				Want: []deeds.Deed{example}, Got: []deeds.Deed{rewritten},
			})
			break
		}
	}
	return found
}

// rewrites lists the deeds of a znode's track that write what the same pod wrote there before. Every is
// the mean interval between these writes, Times the number of intervals.
func rewrites(t *deeds.Track) (list []deeds.Deed) {
	if t == nil || t.Topic() != "znode" {
		return nil
	}
	for i, d := range t.Deeds {
		data, writes := strings.CutPrefix(d.Text, "writes ")
		if !writes {
			continue
		}
		begin, intervals := d.First, d.Times-1
		if i > 0 && t.Deeds[i-1].Who == d.Who && t.Deeds[i-1].Times == 1 && strings.HasSuffix(t.Deeds[i-1].Text, " "+data) {
			begin, intervals = t.Deeds[i-1].First, d.Times // the pod's own creation of the znode counts as a write
		}
		if intervals > 0 {
			d.Every, d.Times = (d.Last-begin)/time.Duration(intervals), intervals
			list = append(list, d)
		}
	}
	return list
}
