package prefetch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/prefetch"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a queue holds up whoever fills a full one or empties an empty one, and closes as
// documented. Recordings cannot show this, because no operation waits in them. The benchmark
// measures what a row costs (TRN-2.23).

func TestAFullQueueHoldsUp(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		q, began := prefetch.NewFIFOQueue(c.Env.Tasks, 2, "q"), c.Env.Clock.Now()
		c.Env.Tasks.Go("consumer", func() {
			for range 4 {
				c.Env.Tasks.Sleep(time.Second)
				_, err := q.Dequeue()
				c.Must(err)
			}
		})
		for i, after := range []time.Duration{0, 0, time.Second, 2 * time.Second} {
			c.Must(q.Enqueue([]any{i}))
			want(c, fmt.Sprintf("row %d went in after", i), after, c.Env.Clock.Now().Sub(began))
		}
	})
}

func TestClosing(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		for _, cancel := range []bool{false, true} {
			q, class := prefetch.NewFIFOQueue(c.Env.Tasks, 1, "q"), "still waiting"
			c.Must(q.Enqueue([]any{1}))
			waiting := c.Env.Tasks.Go("producer", func() { class = pysem.TypeOf(q.Enqueue([]any{2})) })
			c.Env.Tasks.Sleep(time.Second)
			q.Close(cancel)
			_, err := q.Dequeue()
			c.Must(err)
			waiting.Join()
			_, err = q.Dequeue()
			if cancel != (class == "CancelledError") || cancel != (pysem.TypeOf(err) == "OutOfRangeError") {
				t.Errorf("cancelled %v: enqueuing ended with %q, dequeuing with %v", cancel, class, err)
			}
			if err := q.Enqueue(nil); pysem.TypeOf(err) != "CancelledError" {
				t.Errorf("enqueuing to a closed queue: got %v, want CancelledError", err)
			}
		}
	})
}

// Goal: closing a queue wakes a consumer that waits for a row, though no row comes.
func TestClosingWakesWhoWaitsForRows(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		q, class := prefetch.NewFIFOQueue(c.Env.Tasks, 1, "q"), ""
		waiting := c.Env.Tasks.Go("consumer", func() {
			_, err := q.Dequeue()
			class = pysem.TypeOf(err)
		})
		c.Env.Tasks.Sleep(time.Second)
		q.Close(false)
		c.Env.Tasks.Sleep(time.Second)
		if !waiting.Done() || class != "OutOfRangeError" {
			t.Errorf("got %q, want an OutOfRangeError at once", class)
		}
	})
}

func TestManyAtOnceAreNotImplemented(t *testing.T) {
	q := &prefetch.FIFOQueue{}
	_, err := q.DequeueMany(2)
	if pysem.TypeOf(q.EnqueueMany(nil)) != "NotImplementedError" || pysem.TypeOf(err) != "NotImplementedError" {
		t.Errorf("got %v and %v, want NotImplementedError", q.EnqueueMany(nil), err)
	}
}

// Goal: a step that finds the queue empty works on the row that the step itself has enqueued.
func TestAPrimedHookWaitsForItsStep(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, input(9), 1, "q")
		c.Must(err)
		s, got := session.NewMemory(), []int{}
		hook := prefetch.NewAsyncPushHook(q, func(s session.Session) error {
			got = append(got, value(c, s, out).(int))
			return nil
		})
		m, err := session.NewMonitored(c.Env, s, []session.Hook{hook})
		c.Must(err)
		c.Must(m.Run(q.Enqueue))
		c.Must(q.Dequeue()) // the row is taken by another consumer
		c.Must(m.Run(q.Enqueue))
		want(c, "worked on", []int{1}, got)
	})
}

func TestAnErrorOfTheInputStopsTraining(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		_, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, &prefetch.Tensor{Eval: func(session.Session) (any, error) {
			return nil, session.Raise("DataLossError", "corrupted record at 0")
		}}, 1, "q")
		c.Must(err)
		m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{&prefetch.EnqueueHook{Queue: q, Log: c.Env.Log}})
		c.Must(err)
		c.Env.Tasks.Sleep(time.Second)
		if !m.ShouldStop() {
			t.Error("training goes on, want it to stop")
		}
	})
}

// stillTasks is the tasks for a queue on which nobody ever waits.
type stillTasks struct{ env.Tasks }

func (stillTasks) NewCond(string) env.Cond { return stillCond{} }

type stillCond struct{ env.Cond }

func (stillCond) Broadcast() {}

// BenchmarkPrefetch measures what it costs to pass a row through a queue, by the number of tensors
// in the row.
func BenchmarkPrefetch(b *testing.B) {
	for _, tensors := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(tensors), func(b *testing.B) {
			var list []any
			for range tensors {
				list = append(list, prefetch.Constant(1.0))
			}
			_, q, err := prefetch.EnqueueDicts(stillTasks{}, quirks.Python, list, 4, "q")
			if err != nil {
				b.Fatal(err)
			}
			s := session.NewMemory()
			b.ReportAllocs()
			for b.Loop() {
				if q.Enqueue(s) != nil || q.Dequeue() != nil {
					b.Fatal("the queue is closed")
				}
			}
		})
	}
}

// A step takes from the queue the values that an earlier step has computed.
func Example() {
	out, q, err := prefetch.EnqueueDicts(stillTasks{}, quirks.Python, dict("loss", prefetch.Constant(0.5), "name", "m"), 2, "q")
	s := session.NewMemory()
	if err == nil {
		err = q.Enqueue(s)
	}
	if err == nil {
		err = q.Dequeue()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	loss, err := get(out, "loss").(*prefetch.Tensor).Eval(s)
	fmt.Println(loss, get(out, "name"), q.Size(), err)
	// Output:
	// 0.5 m 0 <nil>
}

// Goal (TRN-5.21): the queue of the Rust port holds 1024 calls, and the next call waits until a
// step has run one.
func TestTheQueueOfThePortIsLong(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		ran := 0
		mgr := prefetch.NewPortFunctionMgr(c.Env.Tasks, true)
		call := mgr.Add(func() { ran++ }, pysem.None[bool]())
		for range 1024 {
			c.Must(call())
		}
		late := c.Env.Tasks.Go("one more", func() { c.Must(call()) })
		c.Env.Tasks.Sleep(time.Hour)
		if late.Done() {
			t.Error("call 1025: got room, want it to wait")
		}
		c.Must(mgr.Hooks()[0].BeforeStep())
		late.Join()
		c.Must(mgr.Hooks()[0].End())
		if ran != 1025 {
			t.Errorf("got %d runs, want 1025", ran)
		}
	})
}
