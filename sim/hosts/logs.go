package hosts

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/processes"
)

// Logs receives the log lines of a world's processes. Lines below Level are dropped before they
// are formatted.
type Logs struct {
	// Level is the least severe level to keep.
	Level env.Level
	// Keep, when true, stores the lines in Lines.
	Keep  bool
	Lines []Line
	// OnLine, when set, is called for each line, by the task that logs it. It must not wait.
	OnLine func(Line)
}

// Line is one log line.
type Line struct {
	At      time.Duration // At is virtual time
	Host    string
	Process string
	Pid     int
	Level   env.Level
	Text    string
}

func (l Line) String() string {
	return fmt.Sprintf("t+%.3fs %s %s[%d] %s %s", l.At.Seconds(), l.Host, l.Process, l.Pid, l.Level, l.Text)
}

func (l *Logs) wants(level env.Level) bool {
	return l != nil && level >= l.Level && (l.Keep || l.OnLine != nil)
}

func (l *Logs) add(line Line) {
	if l.Keep {
		l.Lines = append(l.Lines, line)
	}
	if l.OnLine != nil {
		l.OnLine(line)
	}
}

// fileLevel is the least severe level that is written to a process's output file, as in absl's
// default.
const fileLevel = env.Info

type logView struct {
	m *Machine
	p *processes.Process
}

func (l *logView) Enabled(level env.Level) bool {
	l.p.Life().Check()
	return l.m.Logs.wants(level) || l.toFile(level)
}

func (l *logView) Logf(level env.Level, format string, args ...any) {
	if !l.Enabled(level) {
		return
	}
	l.p.Life().Acts()
	text := fmt.Sprintf(format, args...)
	if l.m.Logs.wants(level) {
		l.m.Logs.add(Line{
			At: l.p.Life().Elapsed(), Host: l.m.Net.Name(),
			Process: l.p.Name(), Pid: l.p.Pid(), Level: level, Text: text,
		})
	}
	if l.toFile(level) {
		// This is absl's format without the source line.
		l.p.Print(fmt.Sprintf("%c%s %d] %s", level.String()[0], l.p.Life().Now().Format("0102 15:04:05.000000"), l.p.Pid(), text))
	}
}

func (l *logView) toFile(level env.Level) bool { return l.p.Output() != "" && level >= fileLevel }

var _ env.Log = (*logView)(nil)
