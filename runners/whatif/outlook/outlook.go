// Package outlook says of a run that lasts how far it is, what it has cost, and what it
// will need, and of one that cannot fit into memory says so before it does not.
//
// Two things to use first:
//
//   - [New] makes an [Outlook] for the size of a cluster, which [Outlook.Warning] speaks
//     about before the run.
//   - [Outlook.At] is told now and then how far the run is; its error is that of a run
//     that cannot fit. [Outlook.Line] is the line to show.
//
// What grows with a cluster is the reference's own doing: an agent of version 1 reads
// every replica of every other agent once a minute, and of version 3 each start is read
// by all. So a start is measured by the reads that it consists of, and what comes after it
// by the time it takes. To change what is expected of a size look in growth.go; how
// memory is counted, in memory.go.
package outlook

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// Size is how large a run is. Models are those of one agent.
type Size struct {
	Version, Agents, Models int
	For                     time.Duration
}

// Far is how far a run is: its virtual time, the wall time that it took, and what was
// counted up to there. Counting takes time, so that it is not done whenever memory is looked at.
type Far struct {
	Counted       bool // Events and Reads are known
	Now, Wall     time.Duration
	Events, Reads uint64
	Memory        Memory
}

// Outlook looks ahead from how far a run is. The zero value is not ready: use New.
type Outlook struct {
	size     Size
	maxBytes int64
	last     Far
	base     Memory // of the program without the run
	// recent are how far the run was at instants of wall time that are recentWall apart,
	// of which the rate of now is taken.
	recent []Far
	needs  int64 // bytes, 0 while unknown

	// collect frees what nobody uses any more, so that it is not taken for growth; next is
	// the part of the start at which it does so the next time.
	collect func() Memory
	next    float64
}

// recentWall and recentKept bound the time that the rate of now is taken from.
const (
	recentWall = time.Second
	recentKept = 10
)

// New makes an outlook. maxBytes is the memory that the run may take, 0 for any.
func New(size Size, maxBytes int64) *Outlook {
	return &Outlook{size: size, maxBytes: maxBytes, base: ReadMemory(), next: 2 * leastStarted, collect: func() Memory {
		runtime.GC()
		return ReadMemory()
	}}
}

// At takes note of how far the run is. The error says that it does not fit into memory,
// or will not, and why.
func (o *Outlook) At(far Far) error {
	if started := o.size.started(far); o.maxBytes > 0 && started >= o.next {
		far.Memory = o.collect()
		o.next = 2 * started
	}
	o.last = far
	if n := len(o.recent); n == 0 || far.Wall-o.recent[n-1].Wall >= recentWall {
		o.recent = append(o.recent, far)
		if len(o.recent) > recentKept {
			o.recent = o.recent[1:]
		}
	}
	o.needs = o.forecast(far)
	if o.maxBytes == 0 {
		return nil
	}
	if used := far.Memory.Used(); used > o.maxBytes {
		return fmt.Errorf("memory: found %s used at t+%v, want at most %s (--max-memory); %s",
			Bytes(used), far.Now.Round(time.Millisecond), Bytes(o.maxBytes), o.size.grows())
	}
	if o.needs > o.maxBytes {
		return fmt.Errorf("memory: found %s used after %.0f %% of the start, so it would need about %s, want at most %s (--max-memory); %s",
			Bytes(far.Memory.Used()), 100*o.size.started(far), Bytes(o.needs), Bytes(o.maxBytes), o.size.grows())
	}
	return nil
}

// The part of a start in which its memory foretells what all of it needs: before it is
// noise.
const leastStarted, leastGrown = 0.05, 32 << 20

// forecast returns the memory that the run will need, 0 while nobody knows. Memory grows with
// the reads of the start, whose results agents keep, and hardly after it.
func (o *Outlook) forecast(far Far) int64 {
	used, base := far.Memory.Used(), o.base.Used()
	started := o.size.started(far)
	switch {
	case started >= 1:
		return max(used, o.needs*9/10) // what was collected may come again
	case started < leastStarted || used-base < leastGrown:
		return 0
	}
	return base + int64(float64(used-base)/started)
}

// Left returns the wall time that the run still takes, false while nobody knows.
func (o *Outlook) Left() (left time.Duration, known bool) {
	from := o.last
	for _, f := range slices.Backward(o.recent) { // none of the start, which tells nothing of what comes
		if o.size.started(f) == 1 {
			from = f
		}
	}
	virtual, wall := o.last.Now-from.Now, o.last.Wall-from.Wall
	if virtual <= 0 || wall <= 0 {
		return 0, false
	}
	return time.Duration(float64(wall) / float64(virtual) * float64(o.size.For-o.last.Now)), true
}

// rates returns events and reads in a second of the wall time of now.
func (o *Outlook) rates() (events, reads float64) {
	from := Far{}
	if len(o.recent) > 0 && o.recent[0].Wall < o.last.Wall {
		from = o.recent[0]
	}
	seconds := (o.last.Wall - from.Wall).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(o.last.Events-from.Events) / seconds, float64(o.last.Reads-from.Reads) / seconds
}

// Line says it all on one line.
func (o *Outlook) Line() string {
	far := o.last
	events, reads := o.rates()
	line := fmt.Sprintf("t+%v of %v after %v: %s events/s, %s reads/s, %s (%s an agent, %s of it stacks)",
		far.Now.Round(time.Second), o.size.For, far.Wall.Round(time.Second), Count(events), Count(reads),
		Bytes(far.Memory.Used()), Bytes(o.eachOf(far.Memory.Used()-o.base.Used())), Bytes(o.eachOf(far.Memory.Stacks-o.base.Stacks)))
	if started := o.size.started(far); started < 1 {
		line += fmt.Sprintf("; %.0f %% of the start", 100*started)
	}
	if left, known := o.Left(); known {
		line += fmt.Sprintf("; about %v left", left.Round(time.Second))
	}
	if o.needs > 0 {
		line += fmt.Sprintf("; needs about %s", Bytes(o.needs))
	}
	return line
}

func (o *Outlook) eachOf(bytes int64) int64 { return max(bytes, 0) / int64(max(o.size.Agents, 1)) }

// Count writes a number in three digits, as 12.3 M.
func Count(v float64) string {
	const step = 1000
	for _, unit := range []string{"", " k", " M", " G"} {
		if v < step {
			return digits(v) + unit
		}
		v /= step
	}
	return digits(v) + " T"
}

// Bytes writes an amount of memory in three digits, as 1.23 GiB.
func Bytes(n int64) string {
	const step = 1024
	v := float64(n)
	for _, unit := range []string{" B", " KiB", " MiB"} {
		if v < step {
			return digits(v) + unit
		}
		v /= step
	}
	return digits(v) + " GiB"
}

// digits writes three that count.
func digits(v float64) string {
	switch {
	case v == math.Trunc(v) || v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
