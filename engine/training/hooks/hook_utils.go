package hooks

import "github.com/monosim/monosim/engine/training/session"

// BeforeSaveListener calls its listener before saves but not after them (hook_utils.py:18).
//
// Cost: the cost of a call does not grow, because a call goes on to a single listener.
type BeforeSaveListener struct {
	session.NoListener
	Listener session.Listener
}

// BeforeSave calls the listener.
func (l *BeforeSaveListener) BeforeSave(s session.Session, globalStep int64) error {
	return l.Listener.BeforeSave(s, globalStep)
}

// AfterSaveListener calls its listener after saves but not before them. It ignores the listener's
// request to stop training (hook_utils.py:31).
type AfterSaveListener struct {
	session.NoListener
	Listener session.Listener
}

// AfterSave calls the listener and ignores its result.
func (l *AfterSaveListener) AfterSave(s session.Session, globalStep int64) (bool, error) {
	_, err := l.Listener.AfterSave(s, globalStep)
	return false, err
}
