package batch

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// stillHost is a host on which no time passes.
type stillHost struct{}

func (stillHost) Now() time.Duration                          { return 0 }
func (stillHost) After(time.Duration, func()) (cancel func()) { return func() {} }

// recordedQueue runs a line of testdata/scheduler.txt: the profile, max_batch_size, max_enqueued_batches,
// enable_large_batch_splitting, max_execution_batch_size, and then +N for a task of size N and a dot
// for the end of the batch that the only thread runs.
type recordedQueue struct {
	out  strings.Builder
	done func() // done ends the batch that runs; nil if none does
	ran  string // ran is a batch that was taken and not yet written to out
	next int    // next is the number of the next task
}

func (r *recordedQueue) run(t *testing.T, line string) string {
	words := strings.Fields(line)
	number := func(text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	limits := Limits{Input: number(words[1]), Enqueued: number(words[2]), Splits: words[3] == "1", Execution: number(words[4]), Head: words[0] == "tfs-head"}
	if err := limits.Check(); err != nil {
		return err.Message
	}
	q := New[int](timerqueue.New(stillHost{}), 1).AddQueue(limits, r.process, func(int) *env.RPCError { return nil })
	for _, op := range words[5:] {
		if op == "." {
			r.release()
			continue
		}
		r.next++
		if err := q.Schedule(r.next-1, number(op[1:])); err != nil {
			r.out.WriteString(err.Message + ";")
			continue
		}
		r.out.WriteString("ok;")
		r.write()
	}
	for r.done != nil {
		r.release()
	}
	return r.out.String()
}

func (r *recordedQueue) process(b *Batch[int], done func()) {
	tasks := lists.Map(b.Tasks, func(t Task[int]) string { return fmt.Sprintf("%d:%d", t.Of, t.To-t.From) })
	r.done, r.ran = done, "["+strings.Join(tasks, " ")+"];"
}

// release ends the batch that runs, if there is one.
func (r *recordedQueue) release() {
	done := r.done
	if done == nil {
		r.out.WriteString("-;")
		return
	}
	r.done = nil
	done()
	r.write()
}

func (r *recordedQueue) write() {
	r.out.WriteString(r.ran)
	r.ran = ""
}

// TestBatchesAreThoseOfTheRealScheduler compares what a queue accepts, refuses and puts together with
// TensorFlow's own scheduler (core/kernels/batching_util/shared_batch_scheduler.h: AddQueue,
// ScheduleBatch, and ScheduleWithoutSplit and ScheduleWithSplit of 2.4, or
// ScheduleWithoutOrEagerSplitImpl and ValidateBatchTaskQueueCapacity). Tasks are split as
// batching/batching_session.cc does (SplitInputTask).
func TestBatchesAreThoseOfTheRealScheduler(t *testing.T) {
	data, err := os.ReadFile("testdata/scheduler.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")[1:]
	for i := 0; i+1 < len(lines); i += 2 {
		if got := new(recordedQueue).run(t, lines[i]); got != lines[i+1] {
			t.Errorf("%s\n got %s\nwant %s", lines[i], got, lines[i+1])
		}
	}
}
