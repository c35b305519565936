package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a long run is: a bar on a terminal, elsewhere a line every 10 s.
// Short runs show nothing.
type Progress struct {
	out  io.Writer
	line func(done int64) string
	bar  *progressbar.ProgressBar
	next time.Time
	// Beside shows the text of line beside the bar as well.
	Beside bool
}

const (
	// LineEvery is the time between two progress lines when the output is not a terminal.
	LineEvery      = 10 * time.Second
	progressBeside = time.Second
)

// NewProgress shows progress toward total, counted in units that things names. The function line
// makes the text to print when the output is not a terminal.
func NewProgress(out io.Writer, total int64, things string, line func(done int64) string) *Progress {
	p := &Progress{out: out, line: line, next: time.Now().Add(LineEvery)}
	if IsTerminal(out) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(out), progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetDescription(things), progressbar.OptionClearOnFinish())
	}
	return p
}

// At updates the progress: done is how many units are done so far.
func (p *Progress) At(done int64) {
	if p.bar != nil {
		if now := time.Now(); p.Beside && now.After(p.next) {
			p.next = now.Add(progressBeside)
			p.bar.Describe(p.line(done))
		}
		_ = p.bar.Set64(done) // a bar that cannot be drawn is no reason to stop
		return
	}
	if time.Now().After(p.next) {
		p.next = time.Now().Add(LineEvery)
		fmt.Fprintln(p.out, p.line(done))
	}
}

// Done removes the bar.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// IsTerminal reports whether a writer writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// SameFile reports whether two writers write to one file or pipe.
func SameFile(a, b io.Writer) bool {
	f, g := fileOf(a), fileOf(b)
	if f == nil || g == nil {
		return false
	}
	one, err := f.Stat()
	other, err2 := g.Stat()
	return err == nil && err2 == nil && os.SameFile(one, other)
}

// fileOf unwraps a writer down to the file that it writes to. It returns nil if there is none.
func fileOf(w io.Writer) *os.File {
	for {
		inner, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		w = inner.Unwrap()
	}
	f, _ := w.(*os.File)
	return f
}
