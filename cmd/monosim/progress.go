package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a long run is: a bar on a terminal, elsewhere a line
// every 10 s. Short runs show nothing.
type progress struct {
	out  io.Writer
	end  time.Duration
	bar  *progressbar.ProgressBar
	next time.Time
}

const progressLine = 10 * time.Second

func newProgress(out io.Writer, end time.Duration) *progress {
	p := &progress{out: out, end: end, next: time.Now().Add(progressLine)}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(int64(end/time.Second),
			progressbar.OptionSetWriter(f), progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetDescription("virtual seconds"), progressbar.OptionClearOnFinish())
	}
	return p
}

func (p *progress) at(now time.Duration) {
	if p.bar != nil {
		_ = p.bar.Set64(int64(now / time.Second)) // a bar that cannot be drawn is no reason to stop
		return
	}
	if time.Now().After(p.next) {
		p.next = time.Now().Add(progressLine)
		fmt.Fprintf(p.out, "t+%s of %s\n", now.Round(time.Second), p.end)
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
