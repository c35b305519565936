package session

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Monitored runs hooks around a session's steps, and ends at the first error
// (tf.compat.v1.train.MonitoredSession in a with statement). At the start it calls Begin of all
// hooks, then AfterCreateSession. Around each step it calls BeforeRun and AfterRun. At the end it
// calls End, unless there was an error, and closes the session. Anyone who still uses the closed
// session gets a RuntimeError (TRN-8.16).
type Monitored struct {
	e     *env.Env
	s     *closable
	hooks []Hook
	coord *Coordinator
	// create, when set, makes a session again after one that was aborted.
	create func() (Session, error)
	step   bool // whether a hook has asked to stop
	// reads[i] is the number of reads that hook i has in the current step. ops holds the reads of
	// all hooks.
	reads   []int
	ops     []Op
	values  []any // values that the reads of the last step have found
	context RunContext
}

// NewMonitored calls Begin and AfterCreateSession of all hooks. If one of these calls fails, the
// session stays open and the tasks that hooks have started keep running, as in TensorFlow. Hooks
// that already have the session can still use it.
func NewMonitored(e *env.Env, s Session, hooks []Hook) (*Monitored, error) {
	m := &Monitored{e: e, hooks: hooks}
	if err := m.begin(); err != nil {
		return nil, err
	}
	if err := m.open(s); err != nil {
		return nil, err
	}
	return m, nil
}

// NewRecovered is NewMonitored with a function that makes the session. If a session is aborted
// while it is made or during a step, a new one is made with the same hooks (TRN-8.17). Their Begin
// is not called again. An interrupted step is repeated.
func NewRecovered(e *env.Env, hooks []Hook, create func() (Session, error)) (*Monitored, error) {
	m := &Monitored{e: e, hooks: hooks, create: create}
	if err := m.begin(); err != nil {
		return nil, err
	}
	if err := m.again(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Monitored) begin() error {
	for _, h := range m.hooks {
		if err := h.Begin(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Monitored) open(s Session) error {
	m.s, m.coord = newClosable(m.e.Tasks, s), NewCoordinator(m.e.Tasks)
	for _, h := range m.hooks {
		if err := h.AfterCreateSession(m.s, m.coord); err != nil {
			return err
		}
	}
	return nil
}

// again makes sessions until one is not aborted while it is made.
func (m *Monitored) again() error {
	for {
		s, err := m.create()
		if err == nil {
			err = m.open(s)
		}
		if !aborted(err) {
			return err
		}
	}
}

// aborted reports whether err is one of TensorFlow's _PREEMPTION_ERRORS. monolith/utils.py:27
// reduces these to AbortedError.
func aborted(err error) bool { return err != nil && pysem.TypeOf(err) == "AbortedError" }

// fail closes the session after an error and returns that error.
func (m *Monitored) fail(err error) error {
	m.end()
	return err
}

// end asks the hooks' tasks to stop, waits for them, and closes the session.
func (m *Monitored) end() {
	m.coord.RequestStop()
	m.coord.Join()
	m.s.close()
}

// Session returns the underlying session. Its Run calls no hooks.
func (m *Monitored) Session() Session { return m.s }

// ShouldStop reports whether training is over.
func (m *Monitored) ShouldStop() bool { return m.s.closed || m.step || m.coord.ShouldStop() }

// Run makes one step with the hooks around it. train does the work of the step. Once the session is
// closed, Run returns an AttributeError.
func (m *Monitored) Run(train func(s Session) error) error {
	if m.s.closed {
		return errNoSession
	}
	err := m.run(train)
	for m.create != nil && aborted(err) {
		if err = m.again(); err == nil {
			err = m.run(train)
		}
	}
	return err
}

func (m *Monitored) run(train func(s Session) error) error {
	m.context = RunContext{Session: m.s}
	context := &m.context
	m.reads, m.ops = m.reads[:0], m.ops[:0]
	for _, h := range m.hooks {
		ops, err := h.BeforeRun(context)
		if err != nil {
			return m.fail(err)
		}
		m.reads = append(m.reads, len(ops))
		m.ops = append(m.ops, ops...)
	}
	values, err := m.s.Run(m.ops...)
	m.values = values
	if err == nil {
		err = train(m.s)
	}
	if err != nil {
		return m.fail(err)
	}
	for i, h := range m.hooks {
		n := m.reads[i]
		if err := h.AfterRun(context, values[:n]); err != nil {
			return m.fail(err)
		}
		values = values[n:]
	}
	m.step = m.step || context.StopRequested()
	return nil
}

// Coast counts steps that do what the last one did ([Link.Coast]), if all hooks are steady
// ([Steady]). rest describes what a step does after the reads of the hooks.
func (m *Monitored) Coast(link Link, rest Steps) {
	if m.ShouldStop() || m.coord.began {
		return
	}
	for _, h := range m.hooks {
		if s, ok := h.(Steady); !ok || !s.Steady() {
			return
		}
	}
	rest.Ops, rest.Values = m.ops, m.values
	link.Coast(rest)
}

// Close calls End of the hooks, waits for the tasks that they have started, and closes the session.
// It returns the error of the first End that fails, and calls no later End. If the session is
// already closed, because of an earlier Close or a failed step, the hooks get no session and Close
// returns a RuntimeError.
func (m *Monitored) Close() error {
	if m.s.closed {
		_ = m.callEnd(noSession{})
		return pysem.Raise("RuntimeError", "Session is already closed.")
	}
	err := m.callEnd(m.s)
	m.end()
	return err
}

func (m *Monitored) callEnd(s Session) error {
	for _, h := range m.hooks {
		if err := h.End(s); err != nil {
			return err
		}
	}
	return nil
}
