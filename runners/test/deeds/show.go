package deeds

import (
	"fmt"
	"strings"
	"time"
)

// around is how many deeds are shown before and after one that differs.
const around = 2

// longestDeed is the length in characters beyond which a shown deed is cut.
const longestDeed = 400

// Lines shows a difference: the track, and what both sides did in it. The differing deed is
// marked and shown between its neighbours. want and got are the names of the two sides.
func (d *Difference) Lines(want, got string) []string {
	lines := []string{d.heading()}
	for _, side := range []struct {
		name  string
		deeds []Deed
	}{{want, d.Want}, {got, d.Got}} {
		lines = append(lines, "  "+side.name+":")
		lines = append(lines, d.window(side.deeds)...)
	}
	return lines
}

// Brief shows a difference in one line: the track, and the first deed that differs on both sides.
func (d *Difference) Brief() string {
	switch d.Kind {
	case ByTime:
		return fmt.Sprintf("%s: %s at t+%.1fs, want t+%.1fs to t+%.1fs", d.Track, d.Got[d.At].Text, d.Got[d.At].First.Seconds(), max(d.From, 0).Seconds(), d.Until.Seconds())
	case ByCount, ByPeriod, ByBetween, ByOrder:
		return d.heading() // the heading shows both sides already
	}
	return fmt.Sprintf("%s: %s, want %s", d.Track, told(d.Got, d.At), told(d.Want, d.At))
}

// told returns the text of deed i of the list, "nothing" past its end.
func told(list []Deed, i int) string {
	if i >= len(list) {
		return "nothing"
	}
	return list[i].Text
}

func (d *Difference) heading() string {
	switch d.Kind {
	case ByTime:
		return fmt.Sprintf("%s: deed %d is at another time, want t+%.1fs to t+%.1fs", d.Track, d.At+1, max(d.From, 0).Seconds(), d.Until.Seconds())
	case ByCount:
		return fmt.Sprintf("%s: comes %d times, want %d to %d", d.Track, times(d.Got), d.From, d.Until)
	case ByPeriod:
		return fmt.Sprintf("%s: comes every %.2fs, want every %.2fs to %.2fs", d.Track, d.Got[0].Every.Seconds(), d.From.Seconds(), d.Until.Seconds())
	case ByBetween:
		return fmt.Sprintf("%s: nothing comes between its acts, want what comes at a longer period of its own", d.Track)
	case ByOrder:
		return fmt.Sprintf("%s: comes before %s, want the other way round", d.Track, d.Other)
	}
	return fmt.Sprintf("%s: deed %d is another", d.Track, d.At+1)
}

// TooOften reports, for a difference in count, whether the acts of the compared log are too many.
// Otherwise they are too few.
func (d *Difference) TooOften() bool { return time.Duration(times(d.Got)) > d.Until }

// times sums how often the deeds of a list were done.
func times(list []Deed) (n int) {
	for _, d := range list {
		n += d.Times
	}
	return n
}

// window formats the deeds around the differing one, or all of them for a difference in order.
func (d *Difference) window(list []Deed) []string {
	from, until := max(d.At-around, 0), min(d.At+around+1, len(list))
	if d.Kind == ByOrder {
		from, until = 0, len(list)
	}
	var lines []string
	if from > 0 {
		lines = append(lines, fmt.Sprintf("      (%d before)", from))
	}
	for i := from; i < until; i++ {
		mark := "  "
		if i == d.At && d.Kind != ByOrder {
			mark = "> "
		}
		lines = append(lines, "    "+mark+d.marked(list[i].String()))
	}
	switch {
	case len(list) <= d.At && d.Kind != ByOrder:
		lines = append(lines, "    > nothing")
	case until < len(list):
		lines = append(lines, fmt.Sprintf("      (%d after)", len(list)-until))
	}
	return lines
}

// marked shortens a long line to the part around the first character where the two deeds
// differ.
func (d *Difference) marked(line string) string {
	if len(line) <= longestDeed {
		return line
	}
	at := 0
	if d.Kind == ByDeed && d.At < len(d.Want) && d.At < len(d.Got) {
		a, b := d.Want[d.At].Text, d.Got[d.At].Text
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
	}
	from := min(max(at-longestDeed/2, 0), len(line)-longestDeed)
	text := strings.ToValidUTF8(line[from:from+longestDeed], "")
	if from > 0 {
		text = line[:strings.IndexByte(line, ' ')] + " ..." + text
	}
	return text + "..."
}
