package session

// Hook is called around a training session and its steps (tf.estimator.SessionRunHook).
// Embed [NoHook] and write the methods that do something.
type Hook interface {
	// Begin is called once, before there is a session.
	Begin() error
	// AfterCreateSession is called when a session was made, also when it was made again
	// after a failure.
	AfterCreateSession(s Session, coord *Coordinator) error
	// BeforeRun answers what to read together with the step.
	BeforeRun(run *RunContext) ([]Op, error)
	// AfterRun is told what those reads found.
	AfterRun(run *RunContext, values []any) error
	// End is called when training ends without an error.
	End(s Session) error
}

// NoHook does nothing.
type NoHook struct{}

func (NoHook) Begin() error                                   { return nil }
func (NoHook) AfterCreateSession(Session, *Coordinator) error { return nil }
func (NoHook) BeforeRun(*RunContext) ([]Op, error)            { return nil, nil }
func (NoHook) AfterRun(*RunContext, []any) error              { return nil }
func (NoHook) End(Session) error                              { return nil }

// RunContext is what hooks know of the step that goes on, and by which they stop training.
// It is theirs until the step is over.
type RunContext struct {
	Session Session
	stop    bool
}

// RequestStop has training stop after this step.
func (r *RunContext) RequestStop() { r.stop = true }

// StopRequested reports whether some hook asked for it.
func (r *RunContext) StopRequested() bool { return r.stop }

// Steady is an optional interface of a [Hook].
type Steady interface {
	// Steady reports whether the hook asks with the next step what it has asked with the last
	// one, and does nothing when that finds the same.
	Steady() bool
}
