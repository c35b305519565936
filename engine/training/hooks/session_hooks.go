package hooks

import "github.com/monosim/monosim/engine/training/session"

// CurrentSession is the session that a process trains in (session_hooks.py:21): a hook that
// keeps it, and who asks for it.
type CurrentSession struct {
	session.NoHook
	// Default is the answer while the hook has none: TensorFlow's default session, or nil.
	Default session.Session

	current session.Session
}

// AfterCreateSession keeps the session.
func (c *CurrentSession) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	c.current = s
	return nil
}

// End forgets it.
func (c *CurrentSession) End(session.Session) error {
	c.current = nil
	return nil
}

// Get returns the session, or the default one (session_hooks.py:37).
func (c *CurrentSession) Get() session.Session {
	if c.current != nil {
		return c.current
	}
	return c.Default
}
