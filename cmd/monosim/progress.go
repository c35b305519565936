package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a long run is: a bar on a terminal, elsewhere a line
// every 10 s. Short runs show nothing.
type progress struct {
	out  io.Writer
	line func(done int64) string
	bar  *progressbar.ProgressBar
	next time.Time
	// beside says that the line stands beside the bar, too.
	beside bool
}

const (
	progressLine   = 10 * time.Second
	progressBeside = time.Second
)

// newProgress makes one of total things; line is what to write where there is no
// terminal.
func newProgress(out io.Writer, total int64, things string, line func(done int64) string) *progress {
	p := &progress{out: out, line: line, next: time.Now().Add(progressLine)}
	if isTerminal(out) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(out), progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetDescription(things), progressbar.OptionClearOnFinish())
	}
	return p
}

func (p *progress) at(done int64) {
	if p.bar != nil {
		if now := time.Now(); p.beside && now.After(p.next) {
			p.next = now.Add(progressBeside)
			p.bar.Describe(p.line(done))
		}
		_ = p.bar.Set64(done) // a bar that cannot be drawn is no reason to stop
		return
	}
	if time.Now().After(p.next) {
		p.next = time.Now().Add(progressLine)
		fmt.Fprintln(p.out, p.line(done))
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
