package consul

import (
	"fmt"
	"slices"
	"time"
)

// Faults are what is wrong with an agent. The zero value is nothing.
type Faults struct {
	// Status is that of every answer, with Text as its body; the request is not carried out. 0
	// means none.
	Status int
	// Text takes the place of every body, also of answers that are good otherwise; "" means none.
	Text string
	// Cut breaks every answer off in the middle of its body.
	Cut bool
	// Delay is added before every answer.
	Delay time.Duration
	// Lag is how long after its registration a service is not listed yet.
	Lag time.Duration
	// Hidden are hosts whose services are accepted and never listed, or ids of services.
	Hidden []string
}

// Check says what in them makes no sense.
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

// Faults are those that last; they may be changed.
func (a *Agent) Faults() *Faults { return &a.faults }
