package steps

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
)

// pass lets time go by.
func (w *World) pass(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	_, err = w.cluster.Pass(d, nil)
	return err
}

// last begins something and, when a duration is given, lets that time pass and
// ends it.
func (w *World) last(duration string, l lasting) error {
	if err := l.begin(); err != nil || duration == "" {
		return err
	}
	if err := w.pass(duration); err != nil {
		return err
	}
	return l.end()
}

// looks is how often a check is made while waiting, at most: each look at an
// agent or a model server is a call over the network.
const looks = 150

// hold makes a check now, or waits until it holds ("within"), or sees to it that
// it holds all the time ("for").
func (w *World) hold(mode, duration string, c check) error {
	if mode == "" {
		return w.stamped(c(), "")
	}
	limit, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	pause := max(limit/looks, runners.Resolution).Truncate(runners.Resolution)
	begin := w.cluster.Now()
	for {
		err := c()
		if errors.Is(err, runners.ErrUnsupported) || w.cluster.Failure() != "" {
			return err // waiting does not help
		}
		waited := w.cluster.Now() - begin
		switch {
		case mode == "within" && err == nil:
			return nil
		case mode == "within" && waited >= limit:
			return w.stamped(err, fmt.Sprintf(" (waited %v)", limit))
		case mode == "for" && err != nil:
			return w.stamped(err, fmt.Sprintf(" (held for %v of %v)", waited, limit))
		case mode == "for" && waited >= limit:
			return nil
		}
		if _, err := w.cluster.Pass(min(pause, limit-waited), nil); err != nil {
			return err
		}
	}
}

// stamped adds when it was seen, and how long it was waited for.
func (w *World) stamped(err error, waited string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w%s", stamp(w.cluster.Now()), err, waited)
}
