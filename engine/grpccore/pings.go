package grpccore

import "time"

// strikes counts the pings of a client that come too early, as C-core does (ping_abuse_policy.cc).
// It replaces grpc-go's count, whose limit is always two, and which a message that arrives does not reset.
type strikes struct {
	most     int           // number of early pings that are allowed; 0 allows any number
	interval time.Duration // shortest allowed time between two pings during calls
	always   bool          // whether the interval also holds when there are no calls
	last     time.Time
	count    int
	// owed is set once data has come for which no window update was sent. The next write sends the
	// update, even if that write only answers a ping. Like any window update, it forgives the early
	// pings.
	owed bool
}

const (
	usualStrikes  = 2
	usualInterval = 5 * time.Minute
	idleInterval  = 2 * time.Hour
)

// ping counts a ping, and reports whether there were too many early ones.
func (s *strikes) ping(now time.Time, calls bool) (tooMany bool) {
	interval := s.interval
	if !calls && !s.always {
		interval = idleInterval
	}
	if !s.last.IsZero() && now.Before(s.last.Add(interval)) {
		s.count++
	}
	s.last = now
	tooMany = s.count > s.most
	if s.owed {
		s.forgive()
	}
	return tooMany
}

// forgive is called when the server sends headers, data or a window.
func (s *strikes) forgive() { s.last, s.count, s.owed = time.Time{}, 0, false }
