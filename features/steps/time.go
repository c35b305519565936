package steps

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
)

// pass lets time pass.
func (w *World) pass(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	_, err = w.cluster.Pass(d, nil)
	return err
}

// last begins something. With a duration it lets that time pass and ends it.
func (w *World) last(duration string, l lasting) error {
	if err := l.begin(); err != nil || duration == "" {
		return err
	}
	if err := w.pass(duration); err != nil {
		return err
	}
	return l.end()
}

// hold makes a check once, or waits until it succeeds ("within"), or repeats it all the
// time ("for").
func (w *World) hold(mode, duration string, c check) error {
	if mode == "" && runners.Tolerance(w.cluster) > 0 {
		return runners.Within(w.cluster, 0, c)
	}
	if mode == "" {
		err := c()
		if err != nil {
			err = fmt.Errorf("%s: %w", runners.Stamp(w.cluster.Now()), err)
		}
		return err
	}
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	if mode == "for" {
		return runners.Throughout(w.cluster, d, c)
	}
	return runners.Within(w.cluster, d, c)
}
