package surroundings

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// LogOptions says which log lines are written, and where to.
type LogOptions struct {
	// Output receives one write for each line. nil means standard error.
	Output io.Writer
	// Verbosity is the least severe level to write.
	Verbosity Verbosity
}

// Verbosity is the least severe level that is written. The zero value is INFO, absl's
// default once flags are parsed.
type Verbosity int8

// The verbosities, by absl's numbers.
const (
	VerbosityDebug   Verbosity = 1
	VerbosityInfo    Verbosity = 0
	VerbosityWarning Verbosity = -1
	VerbosityError   Verbosity = -2
)

// wants reports whether lines of a level are written.
func (v Verbosity) wants(level env.Level) bool { return Verbosity(env.Info)-Verbosity(level) <= v }

// log is the env.Log of a process, in the form of absl but without the source line.
type log struct {
	p    *walltime.Process
	o    LogOptions
	fork *machine.Fork
	mu   sync.Mutex
}

func newLog(p *walltime.Process, o LogOptions, fork *machine.Fork) *log {
	return &log{p: p, o: o, fork: fork}
}

// Enabled returns false in a forked copy that still replays the time before its fork,
// because the original program has written those lines already.
func (l *log) Enabled(level env.Level) bool {
	l.p.Check()
	return l.o.Verbosity.wants(level) && !l.fork.Replaying()
}

func (l *log) Logf(level env.Level, format string, args ...any) {
	if !l.Enabled(level) {
		return
	}
	head := fmt.Sprintf("%c%s %d] ", level.String()[0], l.p.Now().Format("0102 15:04:05.000000"), os.Getpid())
	line := head + strings.TrimSuffix(fmt.Sprintf(format, args...), "\n") + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.o.Output, line) // the error is not looked at: there is no place to report it
}

var _ env.Log = (*log)(nil)
