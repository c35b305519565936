package runners

import (
	"errors"
	"fmt"
	"time"
)

// looks is roughly the most times that a wait calls its check. The number is limited because each look
// at an agent or a model server is a call over the network.
const looks = 150

// Stamp formats a cluster time for messages, for example "t+11.000s".
func Stamp(t time.Duration) string { return fmt.Sprintf("t+%.3fs", t.Seconds()) }

// Tolerant is a cluster that runs on the wall clock of a host which also does other work.
type Tolerant interface {
	// Tolerance returns the cluster time by which an event may be late. A lasting state may
	// begin late or end early by the same time.
	Tolerance() time.Duration
}

// Delayed is a cluster that measures how far its host is behind.
type Delayed interface {
	// Late returns how far the host is behind, in cluster time. tooBusy says that the delay
	// exceeds what a scenario can tolerate, so that a failure means nothing.
	Late() (late time.Duration, tooBusy bool)
}

// Tolerance returns the tolerance of a cluster. It is 0 for a cluster that is not Tolerant.
func Tolerance(c Cluster) time.Duration {
	if t, ok := c.(Tolerant); ok {
		return t.Tolerance()
	}
	return 0
}

// Within repeats check until it returns nil or limit of cluster time is over. It checks now
// and then every Resolution, but at most 150 times, and ten more times within the Tolerance
// that it adds to the limit. check may call the cluster, which may take cluster time.
//
// If the limit is over, the error is that of the last check, with its cluster time in front
// and the time waited behind. ErrUnsupported and a failure of the cluster are returned at
// once, unchanged.
func Within(c Cluster, limit time.Duration, check func() error) error {
	limit += Tolerance(c)
	return wait(c, limit, check, func(err error, waited time.Duration) (bool, error) {
		switch {
		case err == nil:
			return true, nil
		case waited >= limit:
			return true, fmt.Errorf("%s: %w (waited %v)", Stamp(c.Now()), err, limit.Round(time.Millisecond))
		}
		return false, nil
	})
}

// plain rounds a duration to about three digits, for messages.
func plain(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}

// Throughout repeats check while length of cluster time passes, and returns nil if check never
// fails. Otherwise it returns the first error of check, together with the cluster time and with how
// long check had held. It checks as often as Within, and returns the same kinds of errors
// unchanged.
func Throughout(c Cluster, length time.Duration, check func() error) error {
	return wait(c, length, check, func(err error, waited time.Duration) (bool, error) {
		if err != nil {
			return true, fmt.Errorf("%s: %w (held for %v of %v)", Stamp(c.Now()), err, plain(waited), length)
		}
		return waited >= length, nil
	})
}

// wait repeats check and passes time in between, until judge says that it is done or limit
// is reached.
func wait(c Cluster, limit time.Duration, check func() error, judge func(err error, waited time.Duration) (done bool, result error)) error {
	pause := max(limit/looks, Resolution, Tolerance(c)/10).Truncate(Resolution)
	begin := c.Now()
	for {
		err := check()
		if errors.Is(err, ErrUnsupported) || c.Failure() != "" {
			return err
		}
		waited := c.Now() - begin
		if done, result := judge(err, waited); done {
			return result
		}
		if _, err := c.Pass(min(pause, limit-waited), nil); err != nil {
			return err
		}
	}
}
