// Package outlook forecasts a long run: how far it has come, and how much time and memory it will
// need. It stops a run early if the run will not fit into memory.
//
// Two things to use first:
//
//   - [New] returns an [Outlook] for the size of a cluster. [Outlook.Warning] speaks about it before the run.
//   - [Outlook.At] takes note of how far the run is; it fails when the run cannot fit. [Outlook.Line] returns the line to
//     show.
//
// The number of reads grows with the square of the number of agents, as in the reference: an agent of
// version 1 reads every replica of every other agent once a minute, and at the start of each agent of
// version 3 all others read. So progress is measured by reads during the start, and by time after it.
//
// To change:
//
//   - what is expected of a size: growth.go
//   - how memory is counted: memory.go
//   - what is written about a finished run: cost.go
//
// Unstable: any commit may change it.
package outlook

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// Size is the size of a run. Models is the number of models that each agent has.
type Size struct {
	Version, Agents, Models int
	For                     time.Duration
}

// Far says how far a run has come: its virtual time, the wall time spent, and the counts so
// far. Counting takes time, so counts are not always read.
type Far struct {
	Counted       bool // whether Events and Reads have been counted
	Now, Wall     time.Duration
	Events, Reads uint64
	Memory        Memory
}

// Outlook forecasts the rest of a run from its progress so far. Use New to create one.
type Outlook struct {
	size     Size
	maxBytes int64
	last     Far
	base     Memory // the program's memory before the run
	// recent holds the latest measurements of the progress, taken every recentWall of wall time.
	// The present rate is computed from them.
	recent []Far
	needs  int64 // bytes that the run needs; 0 while unknown

	// collect frees unused memory, so that it is not mistaken for growth. next is the fraction
	// of the start at which collect is called next.
	collect func() Memory
	next    float64
}

// The present rate is computed over the latest recentKept measurements, which are recentWall
// apart.
const (
	recentWall = time.Second
	recentKept = 10
)

// New returns an outlook for a run. maxBytes is the memory that the run may use, 0 for no
// limit.
func New(size Size, maxBytes int64) *Outlook {
	return &Outlook{size: size, maxBytes: maxBytes, base: ReadMemory(), next: 2 * leastStarted, collect: func() Memory {
		runtime.GC()
		return ReadMemory()
	}}
}

// At updates the outlook with the progress of the run. It returns an error if the run does
// not fit into memory, or is expected not to.
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

// forecast gives no forecast until the fraction leastStarted of the start is done and memory has
// grown by leastGrown bytes. Until then the growth is only noise.
const leastStarted, leastGrown = 0.05, 32 << 20

// forecast returns the memory that the run will need, 0 while that is unknown. Memory grows while
// agents start, because they keep what they read. After the start it hardly grows.
func (o *Outlook) forecast(far Far) int64 {
	used, base := far.Memory.Used(), o.base.Used()
	started := o.size.started(far)
	switch {
	case started >= 1:
		return max(used, o.needs*9/10) // collected memory may be needed again
	case started < leastStarted || used-base < leastGrown:
		return 0
	}
	return base + int64(float64(used-base)/started)
}

// Left returns how much wall time the run will still take, and false while that is unknown.
func (o *Outlook) Left() (left time.Duration, known bool) {
	from := o.last
	for _, f := range slices.Backward(o.recent) { // the rate during the start says nothing about the rest
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

// rates returns the present events and reads per second of wall time.
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

// Line describes the progress in one line.
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

// Count formats a number with three significant digits, such as 12.3 M.
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

// Bytes formats an amount of memory with three significant digits, such as 1.23 GiB.
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

// digits formats a number to three significant digits.
func digits(v float64) string {
	switch {
	case v == math.Trunc(v) || v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
