package hooks

import (
	"cmp"

	"github.com/monosim/monosim/engine/training/session"
)

// CurrentSession is a hook that keeps the session a process trains in, for those who ask for it
// (session_hooks.py:21).
type CurrentSession struct {
	session.NoHook
	// Default is returned while there is no session: TensorFlow's default session, or nil.
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

// Get returns the session, or the default one (session_hooks.py:37).
func (c *CurrentSession) Get() session.Session {
	return cmp.Or(c.current, c.Default)
}
