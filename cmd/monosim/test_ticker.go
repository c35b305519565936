package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/steps"
)

// ticker shows how far a run is and when it will end: on a terminal by a bar, elsewhere by
// a line every 10 s.
type ticker struct {
	out    io.Writer
	screen *screen
	bar    *progressbar.ProgressBar // nil without a terminal

	end   chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex
	begin time.Time
	far   far
}

// far is the progress of a run.
type far struct {
	total, runs, failed int // total is 0 for a run that only time ends
	virtual             time.Duration
}

// Begin begins.
func (t *ticker) Begin(p steps.Plan) error {
	t.begin, t.far.total = time.Now(), p.Runs
	if p.Seeds == steps.Endless {
		t.far.total, p.Runs = 0, -1 // which the bar takes for no end
	}
	if command.IsTerminal(t.out) {
		t.bar = progressbar.NewOptions(p.Runs,
			progressbar.OptionSetWriter(&late{out: t.out, from: t.begin.Add(time.Second)}), progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetDescription("runs"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		t.screen.bar = t.bar
		return nil
	}
	t.end = make(chan struct{})
	t.ended.Go(func() {
		clock := time.NewTicker(command.LineEvery)
		defer clock.Stop()
		for {
			select {
			case <-clock.C:
				t.say()
			case <-t.end:
				return
			}
		}
	})
	return nil
}

func (t *ticker) say() {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(t.out, t.screen.newLine()+t.far.line(time.Since(t.begin)))
}

// line describes the progress after that time.
func (f far) line(after time.Duration) string {
	if f.total == 0 {
		return fmt.Sprintf("%d runs, %d failed, %v virtual", f.runs, f.failed, f.virtual.Round(time.Second))
	}
	text := fmt.Sprintf("%d of %d runs (%d %%), %d failed, %v virtual", f.runs, f.total, f.runs*100/max(f.total, 1), f.failed, f.virtual.Round(time.Second))
	if f.runs == 0 {
		return text
	}
	left := time.Duration(float64(after) / float64(f.runs) * float64(f.total-f.runs))
	return fmt.Sprintf("%s, about %v left", text, left.Round(time.Second))
}

// Add counts a run.
func (t *ticker) Add(r *steps.Result) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.far.runs++
	t.far.virtual += r.Stats.Virtual
	if r.Status == steps.Failed {
		t.far.failed++
	}
	if t.bar == nil {
		return nil
	}
	if r.Status == steps.Failed {
		t.bar.Describe(fmt.Sprintf("runs, %d failed", t.far.failed))
	}
	_ = t.bar.Add(1) // a bar that cannot be drawn is no reason to stop
	return nil
}

// End removes the bar from the screen.
func (t *ticker) End(*steps.Summary) error {
	if t.bar != nil {
		return t.screen.end()
	}
	if t.end != nil {
		close(t.end)
		t.ended.Wait()
	}
	return nil
}

// late drops all writes before its time, so that short runs show no bar.
type late struct {
	out  io.Writer
	from time.Time
}

// Write writes, or before its time only reports success.
func (l *late) Write(p []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(p), nil
	}
	return l.out.Write(p)
}
