package hooks

import (
	"cmp"

	"github.com/monosim/monosim/engine/training/session"
)

// CurrentSession is a hook that provides the session in which a process trains
// (session_hooks.py:21).
//
// Cost: its memory does not grow, because it keeps only one session.
type CurrentSession struct {
	session.NoHook
	// Default is what Get returns without a session: TensorFlow's default session or nil.
	Default session.Session

	current session.Session
}

// AfterCreateSession keeps the session.
func (c *CurrentSession) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	c.current = s
	return nil
}

// End forgets the session.
func (c *CurrentSession) End(session.Session) error {
	c.current = nil
	return nil
}

// Get returns the current session or the default one (session_hooks.py:37).
func (c *CurrentSession) Get() session.Session {
	return cmp.Or(c.current, c.Default)
}
