package operator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Endings holds the scheduled ends of faults, in order of time. The zero value is empty.
type Endings struct{ list []ending }

type ending struct {
	at    time.Duration
	fault runners.Fault
}

// Add schedules the end of a fault.
func (e *Endings) Add(f runners.Fault, at time.Duration) {
	e.list = append(e.list, ending{at, f})
	slices.SortStableFunc(e.list, func(a, b ending) int { return int(a.at - b.at) })
}

// Forget removes the scheduled end of a fault, because the fault was ended in another way.
func (e *Endings) Forget(f runners.Fault) {
	e.list = slices.DeleteFunc(e.list, func(e ending) bool { return e.fault.Kind == f.Kind && Hit(e.fault) == Hit(f) })
}

// Until returns the time of the next scheduled end or the time end, whichever is earlier.
func (e *Endings) Until(end time.Duration) time.Duration {
	if len(e.list) > 0 {
		return min(end, e.list[0].at)
	}
	return end
}

// EndDue calls the function end for each fault whose end is due at the time now, in order, and
// stops at the first error.
func (e *Endings) EndDue(now time.Duration, end func(f runners.Fault) error) error {
	for len(e.list) > 0 && e.list[0].at <= now {
		f := e.list[0].fault
		e.list = e.list[1:]
		if err := end(f); err != nil {
			return err
		}
	}
	return nil
}

// Hit describes in a few words what a fault affects, such as a pod or a path.
func Hit(f runners.Fault) string {
	words := []string{f.Pod, f.Server, f.BasePath, strings.Join(f.From, ", ")}
	if len(f.To) > 0 {
		words = append(words, "and "+strings.Join(f.To, ", "))
	}
	if f.N != 0 {
		words = append(words, strconv.FormatInt(f.N, 10))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
