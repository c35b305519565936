package steps

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
)

// ofParameters makes a check of the parameters that each of the named model servers has.
func (w *World) ofParameters(who, model string, fn func(what string, age time.Duration, missing int64) error) check {
	return func() error {
		fresh, ok := w.cluster.(runners.Fresh)
		if !ok {
			return runners.ErrUnsupported
		}
		servers, err := w.servers(who)
		if err != nil {
			return err
		}
		if len(servers) == 0 {
			return differ("model servers", "some running", "none")
		}
		for _, s := range servers {
			age, missing, err := fresh.ParametersAge(s.pod, model)
			if err != nil {
				return differ(fmt.Sprintf("%s: parameters of %s", s, model), "some", err)
			}
			if err := fn(fmt.Sprintf("%s: parameters of %s", s, model), age, missing); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *World) parametersAtMost(who, model, text string) check {
	return w.parametersAged(who, model, text, "at most", func(age, limit time.Duration) bool { return age <= limit })
}

func (w *World) parametersAtLeast(who, model, text string) check {
	return w.parametersAged(who, model, text, "at least", func(age, limit time.Duration) bool { return age >= limit })
}

func (w *World) parametersAged(who, model, text, word string, fits func(age, limit time.Duration) bool) check {
	limit, failed := time.ParseDuration(text)
	return w.ofParameters(who, model, func(what string, age time.Duration, _ int64) error {
		if failed != nil {
			return failed
		}
		if !fits(age, limit) {
			return differ(what, fmt.Sprintf("%s %v old", word, limit), age.Round(time.Millisecond))
		}
		return nil
	})
}

func (w *World) lacksUpdates(who, model string) check {
	return w.ofParameters(who, model, func(what string, _ time.Duration, missing int64) error {
		if missing == 0 {
			return differ(what, "updates that it lacks", "none")
		}
		return nil
	})
}

func (w *World) lacksNoUpdates(who, model string) check {
	return w.ofParameters(who, model, func(what string, _ time.Duration, missing int64) error {
		if missing > 0 {
			return differ(what, "no updates that it lacks", fmt.Sprintf("those of %d steps", missing))
		}
		return nil
	})
}

// hasPushed makes a check that a PS has pushed to each of the named model servers.
func (w *World) hasPushed(trainer, who string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		fresh, ok := w.cluster.(runners.Fresh)
		if !ok {
			return runners.ErrUnsupported
		}
		servers, err := w.servers(who)
		if err != nil {
			return err
		}
		if len(servers) == 0 {
			return differ("model servers", "some running", "none")
		}
		for _, s := range servers {
			if fresh.Pushes(trainer, s.pod) == 0 {
				return differ(fmt.Sprintf("pushes of %s to %s", trainer, s), "one at least", "none")
			}
		}
		return nil
	})
}

func (w *World) syncGoesOn(trainer string) check { return w.times(trainer, "sync-ended", "", 0) }
