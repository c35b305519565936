package steps

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// watched marks a sentence as being about invariants, so that the cluster checks them.
func watched(s *Sentence) *Sentence {
	s.watches = true
	return s
}

// lasts marks a sentence that needs "for 3m" before it, because it says nothing about a single
// instant.
func lasts(s *Sentence) *Sentence {
	s.lasts = true
	s.check = func(args []string) error {
		if args[0] != "for" {
			return errors.New("found no time all of which it is so, want one, as \"for 3m " + s.text + "\"")
		}
		return nil
	}
	s.waits = "with \"for 3m\" before it, which it needs, all that time"
	return s
}

// watchEvery is the time between two calls of a check that reports everything seen since its
// previous call.
const watchEvery = 30 * time.Second

// watchFor lets time pass and calls a check at intervals. The check reports everything that
// happened since it was last called, so that nothing is missed between two calls.
func (w *World) watchFor(duration string, c check) error {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	begin := w.cluster.Now()
	for {
		if err := c(); err != nil || w.cluster.Failure() != "" {
			return err
		}
		left := d - (w.cluster.Now() - begin)
		if left <= 0 {
			return nil
		}
		if _, err := w.cluster.Pass(min(left, watchEvery), nil); err != nil {
			return err
		}
	}
}

// onWatched makes a check of a cluster whose runner checks the invariants of its agents.
func (w *World) onWatched(fn func(c runners.Watched) error) check {
	return func() error {
		c, ok := w.cluster.(runners.Watched)
		if !ok {
			return runners.ErrUnsupported
		}
		return fn(c)
	}
}

// kept makes a check of an invariant that must hold at any time.
func (w *World) kept(invariant string) check {
	return w.onWatched(func(c runners.Watched) error { return c.Kept(invariant) })
}

func (w *World) noGhost() check          { return w.kept("ghost") }
func (w *World) ownRegistrations() check { return w.kept("owner") }
func (w *World) entriesLast() check      { return w.kept("order") }
func (w *World) addresses() check        { return w.kept("address") }
func (w *World) noLock() check           { return w.kept("locks") }
func (w *World) noneLate() check         { return w.kept("late") }
func (w *World) noneEarly() check        { return w.kept("early") }
func (w *World) noGap() check            { return w.kept("gap") }
func (w *World) historyKept() check      { return w.kept("history") }
func (w *World) isWhole() check          { return w.onWatched(runners.Watched.Whole) }

// isQuiet makes a check that the cluster has been quiet since this call.
func (w *World) isQuiet() check {
	c, ok := w.cluster.(runners.Watched)
	if !ok {
		return func() error { return runners.ErrUnsupported }
	}
	return c.Quiet()
}

// isBroken makes a check that an invariant is broken. It looks among the invariants that must hold
// at any time, the invariants of a whole cluster, and the invariants of a cluster that is quiet
// from now on.
func (w *World) isBroken(invariant string) check {
	quiet := w.isQuiet()
	return w.onWatched(func(c runners.Watched) error {
		var first error
		for _, err := range []error{c.Kept(invariant), c.Whole(), quiet()} {
			if broken, ok := errors.AsType[runners.Broken](err); ok && broken.Invariant == invariant {
				return nil
			}
			first = cmp.Or(first, err)
		}
		return fmt.Errorf("invariant %s, want it broken, got %w", invariant, cmp.Or(first, errors.New("none that is")))
	})
}

// leaveNothingToChance sets every random choice to its default, except the choices that the method
// choose fixes.
func (w *World) leaveNothingToChance() error {
	w.spec.Chance = runners.ChanceNone
	return nil
}

// choose fixes the value of a random choice, which is given as node/site#k.
func (w *World) choose(site string, value int64) error {
	c, err := choiceAt(site)
	if err == nil {
		c.Value = uint64(value)
		w.spec.Choices = append(w.spec.Choices, c)
	}
	return err
}

// choiceAt reads node/site#k.
func choiceAt(text string) (c runners.Choice, err error) {
	last := strings.LastIndexByte(text, '#')
	c.Node, c.Site, _ = strings.Cut(text[:last], "/")
	c.K, err = strconv.ParseUint(text[last+1:], 10, 64)
	return c, err
}
