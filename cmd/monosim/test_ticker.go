package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/colour"
)

// ticker shows the progress of a run and when it will end. On a terminal it shows a bar, elsewhere
// a line now and then.
type ticker struct {
	out    io.Writer
	screen *screen
	bar    *progressbar.ProgressBar // nil if the output is not a terminal

	end   chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex
	begin time.Time
	far   far
}

// far is the progress of a run.
type far struct {
	total, runs, failed int // total is 0 for a run that ends only after a given time
	virtual             time.Duration
}

// Begin begins.
func (t *ticker) Begin(p steps.Plan) error {
	t.begin, t.far.total = time.Now(), p.Runs
	if p.Seeds == steps.Endless {
		t.far.total, p.Runs = 0, -1 // -1 stands for a run of unknown length
	}
	if command.IsTerminal(t.out) {
		t.bar = progressbar.NewOptions(p.Runs,
			progressbar.OptionSetWriter(&late{out: t.out, from: t.begin.Add(time.Second)}), progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetDescription("runs"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		t.screen.bar = t.bar
		return nil
	}
	t.end = make(chan struct{})
	lines := command.NewLines(int64(t.far.total), t.begin)
	t.ended.Go(func() {
		clock := time.NewTicker(command.Look)
		defer clock.Stop()
		for {
			select {
			case now := <-clock.C:
				t.tell(lines, now)
			case <-t.end:
				return
			}
		}
	})
	return nil
}

// tell writes a line of progress, if one is due.
func (t *ticker) tell(lines *command.Lines, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := lines.At(now, int64(t.far.runs), func() string { return t.far.line(now.Sub(t.begin)) }); text != "" {
		fmt.Fprintln(t.out, t.screen.newLine()+text)
	}
}

// line describes the progress of a run. The parameter after is how long the run has lasted.
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

// late is a writer that drops everything written before the time in from, so that a short run shows
// no bar.
type late struct {
	out  io.Writer
	from time.Time
}

// Write passes the text on. Before the time in from it drops the text and reports success.
func (l *late) Write(p []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(p), nil
	}
	return l.out.Write(p)
}

// screen is standard output with a progress bar below it. On a terminal the bar is removed while
// whole lines are written. An unfinished line is held back until it is complete.
type screen struct {
	out    io.Writer
	shared bool                     // whether the output of the tests and the bar are on the same terminal
	bar    *progressbar.ProgressBar // nil for none
	rest   []byte
	// open means that the last line of out is unfinished. log means that standard output and
	// standard error go to one file, such as the log of a job.
	open atomic.Bool
	log  bool
}

func newScreen(out, errs io.Writer) *screen {
	return &screen{out: out, shared: command.IsTerminal(out) && command.IsTerminal(errs), log: command.SameFile(out, errs)}
}

// newLine returns "\n" if a line of standard error would otherwise begin in the middle of a line of
// standard output. The caller has to write the result.
func (s *screen) newLine() string {
	if s.log && s.open.Swap(false) {
		return "\n"
	}
	return ""
}

// Write writes lines above the bar.
func (s *screen) Write(p []byte) (int, error) {
	if len(p) > 0 {
		s.open.Store(p[len(p)-1] != '\n')
	}
	if s.bar == nil || !s.shared {
		return s.out.Write(p)
	}
	s.rest = append(s.rest, p...)
	end := bytes.LastIndexByte(s.rest, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	_ = s.bar.Clear() // the next update draws the bar again
	_, err := s.out.Write(s.rest[:end])
	s.rest = append(s.rest[:0], s.rest[end:]...)
	return len(p), err
}

// Coloured reports whether standard output can show colours (see colour.For).
func (s *screen) Coloured() bool { return colour.For(s.out).On() }

// end removes the bar and writes the unfinished line that was held back.
func (s *screen) end() error {
	if s.bar == nil {
		return nil
	}
	_ = s.bar.Clear()
	s.bar = nil
	_, err := s.out.Write(s.rest)
	s.rest = nil
	return err
}
