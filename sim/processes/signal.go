package processes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
)

// ErrFinished is what a signal to an ended process gives.
var ErrFinished = errors.New("no such process")

// Signal sends a signal: the process's handler runs in a task of its own, or the
// default action ends the process.
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

// Notify sets the handler of a signal. SIGKILL cannot have one.
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
