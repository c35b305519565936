package session

import "github.com/monosim/monosim/engine/env"

// Monitored is a session with hooks around it, which ends at the first error
// (tf.compat.v1.train.SingularMonitoredSession). What is called in which order:
// Begin of all hooks; AfterCreateSession of all; for each step BeforeRun of all, the step,
// AfterRun of all; at the end End of all, unless there was an error.
type Monitored struct {
	s      Session
	hooks  []Hook
	coord  *Coordinator
	failed bool
	closed bool
	step   bool // a hook asked to stop
	// reads are how many reads each hook has in the step that goes on, and ops all of them.
	reads   []int
	ops     []Op
	values  []any // of the last step's
	context RunContext
}

// NewMonitored begins the hooks and tells them of the session. After an error the
// coordinator was asked to stop, and the tasks that hooks have started are waited for.
func NewMonitored(e *env.Env, s Session, hooks []Hook) (*Monitored, error) {
	m := &Monitored{s: s, hooks: hooks, coord: NewCoordinator(e.Tasks)}
	for _, h := range hooks {
		if err := h.Begin(); err != nil {
			return nil, m.fail(err)
		}
	}
	for _, h := range hooks {
		if err := h.AfterCreateSession(s, m.coord); err != nil {
			return nil, m.fail(err)
		}
	}
	return m, nil
}

// fail ends the tasks of the hooks, as the coordinator's context does around an exception.
func (m *Monitored) fail(err error) error {
	m.failed, m.closed = true, true
	m.coord.RequestStop()
	m.coord.Join()
	return err
}

// Session returns the session without hooks.
func (m *Monitored) Session() Session { return m.s }

// ShouldStop reports whether training is over.
func (m *Monitored) ShouldStop() bool { return m.closed || m.step || m.coord.ShouldStop() }

// Run makes a step: train is what the step does.
func (m *Monitored) Run(train func(s Session) error) error {
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

// Coast makes the steps that follow the last one and are as it was ([Link.Coast]), where no
// hook has anything to do with such. rest is what the link is told of their rest.
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

// Close ends the hooks, unless there was an error before, and then the tasks that they have
// started. The error is the first of an End; later hooks are not ended then.
func (m *Monitored) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	var err error
	for _, h := range m.hooks {
		if err = h.End(m.s); err != nil {
			break
		}
	}
	m.coord.RequestStop()
	m.coord.Join()
	return err
}
