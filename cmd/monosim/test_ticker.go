package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/monosim/monosim/features/steps"
)

// How often a long run says how far it is.
const (
	tickOnTerminal = time.Second
	tickElsewhere  = 10 * time.Second
)

// ticker tells how far a run is: a line every 10 s, on a terminal one line that
// changes every second.
type ticker struct {
	out      io.Writer
	terminal bool
	end      chan struct{}
	ended    sync.WaitGroup

	mu            sync.Mutex
	runs, failed  int
	virtual       time.Duration
	wroteOnScreen bool
}

func startTicker(out io.Writer) *ticker {
	t := &ticker{out: out, terminal: isTerminal(out), end: make(chan struct{})}
	every := tickElsewhere
	if t.terminal {
		every = tickOnTerminal
	}
	t.ended.Go(func() {
		clock := time.NewTicker(every)
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
	return t
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// done counts a result.
func (t *ticker) done(r steps.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs++
	t.virtual += r.Stats.Virtual
	if r.Status == steps.Failed {
		t.failed++
	}
}

func (t *ticker) say() {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := fmt.Sprintf("%d scenarios so far (%d failed), %v virtual", t.runs, t.failed, t.virtual.Round(time.Second))
	if !t.terminal {
		fmt.Fprintln(t.out, text)
		return
	}
	fmt.Fprintf(t.out, "\r\x1b[K%s", text)
	t.wroteOnScreen = true
}

// stop ends it and takes its line from the screen.
func (t *ticker) stop() {
	close(t.end)
	t.ended.Wait()
	if t.wroteOnScreen {
		fmt.Fprint(t.out, "\r\x1b[K")
	}
}
