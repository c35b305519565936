package vtime

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// crowd is a world whose events schedule further events, and schedule and cancel some.
type crowd struct {
	t      *rapid.T
	w      *World
	n      *Node
	random *rand.Rand
	number int // of events that were set
	last   crowdEvent
	left   int // events that are still to happen
}

type crowdEvent struct {
	at     int64
	number int
}

func (c *crowd) add(d time.Duration) Timer {
	c.number++
	c.left++
	e := crowdEvent{at: c.w.in(d), number: c.number}
	return c.n.After(d, kindSleep, func() { c.happens(e) })
}

func (c *crowd) happens(e crowdEvent) {
	if e.at != c.w.now || e.at < c.last.at || e.at == c.last.at && e.number < c.last.number {
		c.t.Fatalf("event %+v happens at %d after %+v", e, c.w.now, c.last)
	}
	c.last = e
	c.left--
	switch c.random.IntN(4) {
	case 0: // no event follows this one
	case 1:
		c.cancel(c.add(c.delay(1e9)))
		c.cancel(c.add(time.Hour))
	default:
		c.add(c.delay(1e8))
	}
}

func (c *crowd) cancel(timer Timer) {
	if timer.Cancel() {
		c.left--
	}
}

func (c *crowd) delay(mean float64) time.Duration { return time.Duration(mean * c.random.ExpFloat64()) }

// Goal: any number of events, however far apart, happen in order, and their memory is reused.
// Method: crowds of near and distant events by turns, most of which schedule others. Meanwhile the
// heap is once given all events.
func TestCrowdsOfEventsHappenInOrder(t *testing.T) {
	spread := 0
	rapid.Check(t, func(t *rapid.T) {
		w := New(Config{})
		defer w.Close()
		c := &crowd{t: t, w: w, n: w.Node("node"), random: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
		c.add(time.Hour) // first the heap is spread over a long time, then very many near events follow
		for i := range rapid.IntRange(2, 5).Draw(t, "crowds") {
			mean, size := 0.0, 1
			switch i {
			case 0:
			case 1:
				mean, size = 1e7, 3000
			default:
				mean = rapid.SampledFrom([]float64{0, 1e3, 1e7, 1e9, 1e12}).Draw(t, "mean")
				size = rapid.SampledFrom([]int{3, 300, 3000}).Draw(t, "size")
			}
			limit := w.far.limit
			for range size {
				c.add(c.delay(mean))
			}
			if w.far.limit < limit {
				spread++
			}
			if _, err := w.Run(Limits{Until: w.Now() + time.Duration(rapid.Int64Range(1, 3e8).Draw(t, "ns"))}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Run(Limits{}); err != nil {
			t.Fatal(err)
		}
		free := 0
		for i := w.free; i != 0; i = w.slots[i-1].next {
			free++
		}
		if c.left != 0 || w.live != 0 || free != len(w.slots) {
			t.Fatalf("%d events did not happen, %d are counted; %d of %d slots are free", c.left, w.live, free, len(w.slots))
		}
	})
	if spread == 0 {
		t.Error("the heap was never crowded")
	}
}
