package processes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
)

// ErrFinished is the error for a signal to a process that has ended.
var ErrFinished = errors.New("no such process")

// Signal sends a signal. If the process has a handler for it, a new task runs the handler.
// Otherwise the process ends at once with the exit code -sig. For an ended process Signal returns
// ErrFinished.
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

// Notify sets the handler of a signal and replaces an earlier one. For SIGKILL, which cannot be
// handled, it does nothing.
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
