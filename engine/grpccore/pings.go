package grpccore

import "time"

// strikes counts the pings of a client that come too early, as C-core does (ping_abuse_policy.cc). It is
// for limits other than that of grpc-go, which is two.
type strikes struct {
	most     int           // more end the connection; 0 leaves it to grpc-go
	interval time.Duration // between pings during calls
	always   bool          // the same interval holds without calls
	last     time.Time
	count    int
	// owed is set once data has come for which no window was given back. The next write does so, that of
	// the answer to a ping too, and what is written forgives.
	owed bool
}

const (
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
