package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/session"
)

// Wait describes what a process waits for.
type Wait struct {
	// In is the name of the reference's module that waits, such as "cluster_manager".
	In string
	// For describes who or what is missing, such as "ps 0, 1, 3 of 4".
	For string
	// Every is the interval between checks. 0 means that the process is woken instead.
	Every time.Duration
	// Limit is the time after which the process gives up. 0 means never.
	Limit time.Duration
	// Since is the virtual time at which the wait began.
	Since time.Duration
	// Serves is true for a PS, which waits only for its own end.
	Serves bool
	// Lost is set if the server has given up the answer that the process waits for (TRN-8.15).
	Lost bool
}

// Waits records the current waits of one process. Its methods also work on nil.
type Waits struct {
	// Now returns the time of the run.
	Now  func() time.Duration
	list []*wait
}

// wait is a wait that can begin several times. The function in its field what returns the current
// Wait.For.
type wait struct {
	in           string
	every, limit time.Duration
	what         func() string
	serves, lost bool
	since        time.Duration
}

// Present returns the innermost current wait. ok is false if the process is not waiting.
func (w *Waits) Present() (Wait, bool) {
	if w == nil || len(w.list) == 0 {
		return Wait{}, false
	}
	last := w.list[len(w.list)-1]
	return Wait{In: last.in, For: last.what(), Every: last.every, Limit: last.limit, Since: last.since, Serves: last.serves, Lost: last.lost}, true
}

func (w *Waits) begin(one *wait) {
	if w != nil {
		one.since = w.Now()
		w.list = append(w.list, one)
	}
}

// end ends a wait. This need not be the innermost one, because tasks of a process take turns.
func (w *Waits) end(one *wait) {
	if w == nil {
		return
	}
	if i := slices.Index(w.list, one); i >= 0 {
		w.list = slices.Delete(w.list, i, i+1)
	}
}

// waiting runs fn and records it as a wait.
func (w *Waits) waiting(one wait, fn func() error) error {
	w.begin(&one)
	defer w.end(&one)
	return fn()
}

// text returns a constant function for the field what of a wait.
func text(s string) func() string { return func() string { return s } }

// waitingHook is a hook that may wait during any of its calls.
type waitingHook struct {
	session.Hook
	waits *Waits
	wait  wait
}

func (h *waitingHook) AfterCreateSession(s session.Session, coord *session.Coordinator) error {
	h.waits.begin(&h.wait)
	defer h.waits.end(&h.wait)
	return h.Hook.AfterCreateSession(s, coord)
}

func (h *waitingHook) BeforeRun(run *session.RunContext) ([]session.Op, error) {
	h.waits.begin(&h.wait)
	defer h.waits.end(&h.wait)
	return h.Hook.BeforeRun(run)
}

func (h *waitingHook) AfterRun(run *session.RunContext, values []any) error {
	h.waits.begin(&h.wait)
	defer h.waits.end(&h.wait)
	return h.Hook.AfterRun(run, values)
}

func (h *waitingHook) End(s session.Session) error {
	h.waits.begin(&h.wait)
	defer h.waits.end(&h.wait)
	return h.Hook.End(s)
}

// Steady returns the result of the wrapped hook's Steady.
func (h *waitingHook) Steady() bool {
	s, ok := h.Hook.(session.Steady)
	return ok && s.Steady()
}

// watchedDiscovery records the last query and its answer.
type watchedDiscovery struct {
	training.ServiceDiscovery
	waits *Waits
	kind  string
	asked string
	found training.Addrs
}

func (d *watchedDiscovery) Register(name string, index int, addr string) error {
	return d.waits.waiting(wait{in: "service_discovery", what: text("its registration in " + d.kind)}, func() error {
		return d.ServiceDiscovery.Register(name, index, addr)
	})
}

func (d *watchedDiscovery) Query(name string) (found training.Addrs, err error) {
	err = d.waits.waiting(wait{in: "service_discovery", what: text("an answer of " + d.kind)}, func() error {
		found, err = d.ServiceDiscovery.Query(name)
		return err
	})
	d.asked, d.found = name, found
	return found, err
}

// lacks describes which of the job's processes are missing in the last answer.
func (p *process) lacks(required int) string {
	d := p.discovery
	if !p.isChief() && d.asked != PS {
		if _, ok := d.found.Get(0); ok {
			return "the chief's file of PS"
		}
		return "the chief"
	}
	var missing []string
	for i := range required + p.Spec.RedundantPS {
		if _, ok := d.found.Get(i); !ok {
			missing = append(missing, strconv.Itoa(i))
		}
	}
	if p.Spec.RedundantPS > 0 {
		return fmt.Sprintf("%d ps, %d listed, not ps %s", required, len(d.found), strings.Join(missing, ", "))
	}
	return fmt.Sprintf("ps %s of %d", strings.Join(missing, ", "), required)
}
