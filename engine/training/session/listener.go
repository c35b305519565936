package session

// Listener is called around saves (tf.estimator.CheckpointSaverListener). Embed [NoListener] and
// write only the methods that do something.
type Listener interface {
	Begin() error
	BeforeSave(s Session, globalStep int64) error
	// AfterSave is called when a save is complete. It reports whether training has to stop.
	AfterSave(s Session, globalStep int64) (stop bool, err error)
	End(s Session, globalStep int64) error
}

// NoListener implements [Listener] by doing nothing.
type NoListener struct{}

func (NoListener) Begin() error                           { return nil }
func (NoListener) BeforeSave(Session, int64) error        { return nil }
func (NoListener) AfterSave(Session, int64) (bool, error) { return false, nil }
func (NoListener) End(Session, int64) error               { return nil }
