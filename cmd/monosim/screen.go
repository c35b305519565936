package main

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/schollz/progressbar/v3"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/colour"
)

// screen is standard output with a progress bar below it. On a terminal the bar is removed
// for whole lines, and an unfinished line waits.
type screen struct {
	out    io.Writer
	shared bool                     // whether the bar is on the same terminal
	bar    *progressbar.ProgressBar // nil for none
	rest   []byte
	// open reports that the last line of out is unfinished. log says that what goes to standard error
	// comes behind it in the same file, as in the log of a job.
	open atomic.Bool
	log  bool
}

func newScreen(out, errs io.Writer) *screen {
	return &screen{out: out, shared: command.IsTerminal(out) && command.IsTerminal(errs), log: command.SameFile(out, errs)}
}

// newLine returns what a line of standard error has to begin with, so that it does not stand in the
// middle of one of standard output.
func (s *screen) newLine() string {
	if s.log && s.open.Load() {
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
	_ = s.bar.Clear() // the next update draws it again
	_, err := s.out.Write(s.rest[:end])
	s.rest = append(s.rest[:0], s.rest[end:]...)
	return len(p), err
}

// Coloured reports whether standard output takes colours; see colour.For.
func (s *screen) Coloured() bool { return colour.For(s.out).On() }

// end removes the bar and writes the unfinished line.
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
