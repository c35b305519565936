package machine

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/monosim/monosim/engine/env"
)

// errFinished is the error of a signal to a process that has ended.
var errFinished = errors.New("no such process")

// Signal sends a signal to the child.
func (c *child) Signal(sig env.Signal) error {
	c.s.m.p.Check()
	if _, done := c.Poll(); done {
		return errFinished
	}
	if err := c.process.Signal(syscall.Signal(sig)); err != nil {
		if errors.Is(err, os.ErrProcessDone) {
			return errFinished
		}
		return err
	}
	return nil
}

func (s *processes) Pid() int { return os.Getpid() }

// Exit ends the program at once. A negative code -n ends it by signal n.
func (s *processes) Exit(code int) {
	s.m.p.Check()
	if code < 0 {
		dieOf(syscall.Signal(-code))
	}
	os.Exit(code)
}

// Notify sets the handler for a signal to the program. In a forked copy that has not reached its
// fork it does nothing.
func (s *processes) Notify(sig env.Signal, handler func()) {
	s.m.p.Check()
	if sig == env.SIGKILL || s.fork.replaying() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[sig] = handler
	if s.signals == nil {
		s.signals = make(chan os.Signal, signalsHeld)
		go s.listen(s.signals)
	}
	signal.Notify(s.signals, syscall.Signal(sig))
}

// signalsHeld is how many signals can wait to be handled. Further signals are dropped, as the
// system drops a signal that is already pending.
const signalsHeld = 16

// listen starts a task for each arriving signal, which runs the signal's handler.
func (s *processes) listen(signals <-chan os.Signal) {
	for sig := range signals {
		number, ok := sig.(syscall.Signal)
		if !ok {
			continue
		}
		s.mu.Lock()
		handler := s.handlers[env.Signal(number)]
		s.mu.Unlock()
		if handler != nil {
			s.m.p.Go("handler of "+env.Signal(number).String(), handler)
		}
	}
}

// ignoreSignals stops handling signals. It is called when the process has ended.
func (s *processes) ignoreSignals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signals != nil {
		signal.Stop(s.signals)
		close(s.signals)
		s.signals = nil
	}
}
