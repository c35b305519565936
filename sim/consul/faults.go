package consul

import (
	"fmt"
	"slices"
	"time"
)

// Faults holds the present faults of an agent. The zero value has none.
type Faults struct {
	// Status, when not 0, is the HTTP status with which every request is answered instead of being
	// executed. Text is then the body.
	Status int
	// Text replaces the body of every answer, even of a successful one; "" replaces none.
	Text string
	// Cut breaks off every answer in the middle of its body by closing the connection.
	Cut bool
	// Delay is added before every answer.
	Delay time.Duration
	// Lag is the time from the registration of a service until look-ups list it.
	Lag time.Duration
	// Hidden holds host names and service ids. Look-ups never list a service on such a host or with
	// such an id, although its registration is accepted.
	Hidden []string
}

// Check returns an error for invalid values.
func (f Faults) Check() error {
	switch {
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status: found %d, want 200 to 599, or 0 for no fault", f.Status)
	case f.Delay < 0:
		return fmt.Errorf("delay: found %v, want 0s or more", f.Delay)
	case f.Lag < 0:
		return fmt.Errorf("lag: found %v, want 0s or more", f.Lag)
	}
	return nil
}

func (f *Faults) hides(s *service) bool {
	return slices.Contains(f.Hidden, s.host) || slices.Contains(f.Hidden, s.id)
}

// Faults returns the present faults, which the caller may change.
func (a *Agent) Faults() *Faults { return &a.faults }
