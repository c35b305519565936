package whatif

import (
	"fmt"
	"io"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/judge"
)

// far shows how much of a simulation is done, and an upper bound of the remaining time. The
// simulation can end earlier, once it is precise enough or decided.
type far struct {
	bar      *command.Progress
	begin    time.Time // time at which the present phase began
	deadline time.Time
	last     judge.Far
}

func newFar(out io.Writer, deadline time.Time) *far {
	f := &far{begin: time.Now(), deadline: deadline}
	f.bar = command.NewProgress(out, -1, "requests", func(int64) string { return f.line(time.Now()) })
	f.bar.Beside = true
	return f
}

func (f *far) at(now judge.Far) {
	if now.Done <= f.last.Done || now.Most != f.last.Most {
		f.begin = time.Now() // another phase of the work has begun, for another plan or condition
	}
	f.last = now
	f.bar.At(now.Requests)
}

// line describes the progress at the time now.
func (f *far) line(now time.Time) string {
	text := fmt.Sprintf("%d requests simulated", f.last.Requests)
	if f.last.Most > 0 {
		text += fmt.Sprintf(", %d of at most %d replications", f.last.Done, f.last.Most)
	}
	if left, known := f.left(now); known {
		text += fmt.Sprintf(", at most %s left", left.Round(time.Second))
	}
	return text
}

// left returns an upper bound of the remaining time. It assumes the speed so far, and is never more
// than what is left of the budget.
func (f *far) left(now time.Time) (left time.Duration, known bool) {
	if f.last.Done > 1 { // how long the first sample took is unknown: the clock starts when it is done
		each := float64(now.Sub(f.begin)) / float64(f.last.Done-1)
		left, known = time.Duration(each*float64(f.last.Most-f.last.Done)), true
	}
	if budget := f.deadline.Sub(now); !f.deadline.IsZero() && (!known || budget < left) {
		left, known = max(budget, 0), true
	}
	return left, known
}
