package steps

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/monosim/monosim/features/steps/answer"
	"github.com/monosim/monosim/runners"
)

// operation is a golden case and the last answer to it. A golden case is one operation of the
// agents' code with the answer of the reference.
type operation struct {
	id     string
	answer *runners.Answer // nil before the first operation
	// quirks holds, for each answer so far, the choice of quirks in effect when it was made, in the
	// form of runners.Spec.
	quirks []string
	// hash is the rolling hash of all answers so far.
	hash uint64
}

// recordedCase sets the golden case that the scenario is about.
func (w *World) recordedCase(id string) error {
	if w.operation != nil {
		return fmt.Errorf("found a second recorded case, %s after %s: want a scenario for each", id, w.operation.id)
	}
	w.operation = &operation{id: id}
	return nil
}

// answeredAsRecorded runs the case with all faults of the reference, and returns an error unless
// the answer is the recorded one.
func (w *World) answeredAsRecorded() error {
	if err := w.answered("python"); err != nil {
		return err
	}
	if text := w.operation.answer.Differs; text != "" {
		return fmt.Errorf("%s: the answer is not the recorded one (-recorded +got):\n%s", w.operation.id, text)
	}
	return nil
}

// answeredRepaired runs the case with some faults repaired, and returns an error if the answer is
// the recorded one.
func (w *World) answeredRepaired(faults string) error {
	ids := list(faults)
	if err := w.answered("-" + strings.Join(ids, ",-")); err != nil {
		return err
	}
	if w.operation.answer.Differs == "" {
		return fmt.Errorf("%s: with %s repaired the answer is still the recorded one: %s", w.operation.id, faults, w.operation.answer.JSON)
	}
	return nil
}

func (w *World) answered(quirks string) error {
	if w.operation == nil {
		return errors.New("found no recorded case to answer: name one before")
	}
	runner, ok := w.runner.(runners.Operations)
	if !ok {
		return runners.ErrUnsupported
	}
	answer, err := runner.Operation(w.operation.id, quirks)
	if err != nil {
		return err
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%016x%s", w.operation.hash, answer.JSON)
	w.operation.answer, w.operation.hash = &answer, h.Sum64()
	w.operation.quirks = append(w.operation.quirks, quirks)
	return nil
}

// found makes a check that the answer has this JSON at a place.
func (w *World) found(place, want string) check {
	return w.looking(place, func(found any) error {
		wanted, err := answer.Parse([]byte(want))
		if err != nil {
			return fmt.Errorf("the scenario's JSON %s: %w", want, err)
		}
		if !answer.Same(wanted, answer.Returned(found)) {
			return differ("the answer"+at(place), want, answer.Text(found))
		}
		return nil
	})
}

func (w *World) answerIs(want string) check { return w.found("", want) }

func (w *World) stepReturns(n int, want string) check {
	return w.found(fmt.Sprintf("steps > %d", n), want)
}

// raises makes a check that the call at a place of the answer raised this type of exception.
func (w *World) raises(place, exception string) check {
	return w.looking(place, func(found any) error {
		if got := answer.Raised(found); got != exception {
			return differ("the answer"+at(place), "it to raise "+exception, answer.Text(found))
		}
		return nil
	})
}

func (w *World) answerRaises(exception string) check { return w.raises("", exception) }

func (w *World) stepRaises(n int, exception string) check {
	return w.raises(fmt.Sprintf("steps > %d", n), exception)
}

// has makes a check of how often a value occurs at a place of the answer: as a member of a list, as
// a key of an object or of rows, or as part of a text.
func (w *World) has(place, want string, times int) check {
	return w.looking(place, func(found any) error {
		wanted, err := answer.Parse([]byte(want))
		if err != nil {
			return fmt.Errorf("the scenario's JSON %s: %w", want, err)
		}
		got, ok := answer.Count(found, wanted)
		if !ok {
			got, ok = answer.Count(answer.Returned(found), wanted)
		}
		if !ok {
			return fmt.Errorf("the answer%s: found %s, which can never have %s", at(place), answer.Text(found), want)
		}
		if got != times {
			return differ(fmt.Sprintf("%s in the answer%s", want, at(place)), fmt.Sprintf("%d times", times), fmt.Sprintf("%d times in %s", got, answer.Text(found)))
		}
		return nil
	})
}

func (w *World) hasNo(place, want string) check { return w.has(place, want, 0) }

// looking makes a check that calls fn with the value at a place of the last answer.
func (w *World) looking(place string, fn func(found any) error) check {
	return func() error {
		if w.operation == nil || w.operation.answer == nil {
			return errors.New("found no answer to look at: have a recorded case answered before")
		}
		whole, err := answer.Parse(w.operation.answer.JSON)
		if err != nil {
			return fmt.Errorf("%s: %w", w.operation.id, err)
		}
		found, err := answer.At(whole, place)
		if err != nil {
			return fmt.Errorf("%s: %w", w.operation.id, err)
		}
		return fn(found)
	}
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}
