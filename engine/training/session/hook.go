package session

// Hook is called around a training session and its steps (tf.estimator.SessionRunHook).
// Embed [NoHook] and write the methods that do something.
type Hook interface {
	// Begin is called once, before there is a session.
	Begin() error
	// AfterCreateSession is called for each new session, including one made after a failure.
	AfterCreateSession(s Session, coord *Coordinator) error
	// BeforeRun returns reads that are to be made together with the step.
	BeforeRun(run *RunContext) ([]Op, error)
	// AfterRun receives the values of BeforeRun's reads, in their order.
	AfterRun(run *RunContext, values []any) error
	// End is called when training ends without an error.
	End(s Session) error
}

// NoHook implements [Hook] by doing nothing.
type NoHook struct{}

func (NoHook) Begin() error                                   { return nil }
func (NoHook) AfterCreateSession(Session, *Coordinator) error { return nil }
func (NoHook) BeforeRun(*RunContext) ([]Op, error)            { return nil, nil }
func (NoHook) AfterRun(*RunContext, []any) error              { return nil }
func (NoHook) End(Session) error                              { return nil }

// RunContext gives hooks the session of the current step, and lets them stop training. It is valid
// until the step is over.
type RunContext struct {
	Session Session
	stop    bool
}

// RequestStop ends training after this step.
func (r *RunContext) RequestStop() { r.stop = true }

// StopRequested reports whether a hook has called RequestStop in this step.
func (r *RunContext) StopRequested() bool { return r.stop }

// Steady is an optional interface of a [Hook]. If all hooks have it and are steady, steps are
// counted without being run one by one.
type Steady interface {
	// Steady reports whether the hook would make the same reads as last time, and would do nothing
	// if they find the same values.
	Steady() bool
}
