package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a long run is: a bar on a terminal, elsewhere a line now and then
// ([Lines]). Short runs show nothing.
type Progress struct {
	out   io.Writer
	line  func(done int64) string
	lines *Lines
	bar   *progressbar.ProgressBar
	next  time.Time // when the text beside the bar has to be renewed
	// Beside makes a terminal show the text that the function line returns as well, beside the bar.
	Beside bool
}

const progressBeside = time.Second

// NewProgress shows progress toward total. things is the name of the units that are counted. The
// function line makes the text to print when the output is not a terminal.
func NewProgress(out io.Writer, total int64, things string, line func(done int64) string) *Progress {
	now := time.Now()
	p := &Progress{out: out, line: line, lines: NewLines(total, now), next: now.Add(Look)}
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
	if text := p.lines.At(time.Now(), done, func() string { return p.line(done) }); text != "" {
		fmt.Fprintln(p.out, text)
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
