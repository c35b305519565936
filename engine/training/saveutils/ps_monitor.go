package saveutils

import (
	"fmt"

	"github.com/monosim/monosim/engine/training/session"
)

// PSMonitor tells which PS have started since a session was last set up. It sets a variable in each
// PS as a mark. A PS that restarts loses its mark (save_utils.py:433).
type PSMonitor struct{ marks []*session.Variable }

// NewPSMonitor makes a monitor of numPS parameter servers.
func NewPSMonitor(numPS int) *PSMonitor {
	m := &PSMonitor{}
	for i := range numPS {
		m.marks = append(m.marks, &session.Variable{Name: fmt.Sprintf("ps_monitor_%d", i), Device: PSDevice(i), First: int64(0)})
	}
	return m
}

// PSDevice returns the device name of the PS with an index (utils.py:40).
func PSDevice(index int) string { return fmt.Sprintf("/job:ps/task:%d/device:CPU:0", index) }

// IsPSUninitialized reports whether the PS of a device has lost its mark. It is false for a device
// that is not on a PS.
func (m *PSMonitor) IsPSUninitialized(s session.Session, device string) (bool, error) {
	for _, mark := range m.marks {
		if mark.Device == device {
			n, err := session.Get[int64](s, session.Read(mark))
			return n == 0, err
		}
	}
	return true, nil
}

// SetupPSInitializedState marks all PS, one after the other.
func (m *PSMonitor) SetupPSInitializedState(s session.Session) error {
	for _, mark := range m.marks {
		if err := session.Do(s, session.Assign(mark, int64(1))); err != nil {
			return err
		}
	}
	return nil
}
