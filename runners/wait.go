package runners

import (
	"errors"
	"fmt"
	"time"
)

// looks is how often a check is made while waiting, at most: each look at an agent
// or a model server is a call over the network.
const looks = 150

// Stamp writes a cluster time as messages have it: "t+11.000s".
func Stamp(t time.Duration) string { return fmt.Sprintf("t+%.3fs", t.Seconds()) }

// Tolerant is a cluster on the wall clock of a machine that has other things to do.
type Tolerant interface {
	// Tolerance is the cluster time by which something may come late, or something that
	// lasts be late and over early.
	Tolerance() time.Duration
}

// Tolerance is that of a cluster, 0 for one that is exact.
func Tolerance(c Cluster) time.Duration {
	if t, ok := c.(Tolerant); ok {
		return t.Tolerance()
	}
	return 0
}

// Within makes check now, and again while cluster time passes, until it returns nil
// or limit is over; it lets no more time pass than that takes. It looks every
// Resolution, or as seldom as makes 150 looks, or ten while a Tolerant cluster may be
// late. The error is that of the last look,
// with the cluster time before it and how long was waited behind it. What waiting
// cannot mend, ErrUnsupported or a cluster that broke, is returned at once as it is.
// check may call the cluster, which can take cluster time of its own. The limit of a
// Tolerant cluster is so much longer.
func Within(c Cluster, limit time.Duration, check func() error) error {
	limit += Tolerance(c)
	return wait(c, limit, check, func(err error, waited time.Duration) (bool, error) {
		switch {
		case err == nil:
			return true, nil
		case waited >= limit:
			return true, fmt.Errorf("%s: %w (waited %v)", Stamp(c.Now()), err, limit)
		}
		return false, nil
	})
}

// Throughout makes check now, and again while length of cluster time passes, and
// returns nil when it returned nil every time. The error is that of the first look
// that failed, with the cluster time before it and for how long check held behind
// it. How often it looks, and what it returns as it is, is as with Within.
func Throughout(c Cluster, length time.Duration, check func() error) error {
	return wait(c, length, check, func(err error, waited time.Duration) (bool, error) {
		if err != nil {
			return true, fmt.Errorf("%s: %w (held for %v of %v)", Stamp(c.Now()), err, waited, length)
		}
		return waited >= length, nil
	})
}

// wait looks and lets time pass until judge has an answer.
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
