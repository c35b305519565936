package hooks

import "github.com/monosim/monosim/engine/training/session"

// BeforeSaveListener passes on what comes before a save, and nothing else
// (hook_utils.py:18).
type BeforeSaveListener struct {
	session.NoListener
	Listener session.Listener
}

// BeforeSave calls the listener.
func (l *BeforeSaveListener) BeforeSave(s session.Session, globalStep int64) error {
	return l.Listener.BeforeSave(s, globalStep)
}

// AfterSaveListener passes on what comes after a save, and nothing else: not even that
// training is to stop (hook_utils.py:31).
type AfterSaveListener struct {
	session.NoListener
	Listener session.Listener
}

// AfterSave calls the listener and forgets its answer.
func (l *AfterSaveListener) AfterSave(s session.Session, globalStep int64) (bool, error) {
	_, err := l.Listener.AfterSave(s, globalStep)
	return false, err
}
