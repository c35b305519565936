package processes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
)

// ErrFinished is the error of a signal to a process that has ended.
var ErrFinished = errors.New("no such process")

// Signal sends a signal. Where the process has set a handler that runs in a task of
// its own; otherwise the process ends at once with the exit code -sig. It returns
// ErrFinished for a process that has ended.
func (p *Process) Signal(sig env.Signal) error {
	if p.done {
		return ErrFinished
	}
	if handler := p.handlers[sig]; handler != nil {
		p.life.Go("handler of "+sig.String(), handler)
		return nil
	}
	p.die(-int(sig))
	return nil
}

// Notify sets the handler of a signal, in place of an earlier one. It does nothing for
// SIGKILL, which cannot have one.
func (p *Process) Notify(sig env.Signal, handler func()) {
	p.life.Check()
	if sig == env.SIGKILL {
		return
	}
	if p.handlers == nil {
		p.handlers = map[env.Signal]func(){}
	}
	p.handlers[sig] = handler
}
