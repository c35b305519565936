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

// Wait is what a process waits for.
type Wait struct {
	// In names the module of the reference that waits, as "cluster_manager".
	In string
	// For says for whom or what, as "ps 0, 1, 3 of 4".
	For string
	// Every is the pause between two looks; 0 means that it is woken.
	Every time.Duration
	// Limit is the time after which it gives up; 0 means never.
	Limit time.Duration
	// Since is the virtual time at which the wait began.
	Since time.Duration
	// Serves is set for a PS, which waits for its end only.
	Serves bool
	// Lost is set for the answer of a server that the server has given up (TRN-8.15).
	Lost bool
}

// Waits keeps what one process waits for at present. Its methods work on nil, too.
type Waits struct {
	// Now returns the time of the run.
	Now  func() time.Duration
	list []*wait
}

// wait is a wait that can begin often; what returns its Wait.For at any moment of it.
type wait struct {
	in           string
	every, limit time.Duration
	what         func() string
	serves, lost bool
	since        time.Duration
}

// Present returns the innermost wait; ok is false while the process waits for nothing.
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

// end ends a wait, which need not be the innermost, because tasks of a process take turns.
func (w *Waits) end(one *wait) {
	if w == nil {
		return
	}
	if i := slices.Index(w.list, one); i >= 0 {
		w.list = slices.Delete(w.list, i, i+1)
	}
}

// waiting runs fn as a wait.
func (w *Waits) waiting(one wait, fn func() error) error {
	w.begin(&one)
	defer w.end(&one)
	return fn()
}

// text is what of a wait that is always the same.
func text(s string) func() string { return func() string { return s } }

// waitingHook is a hook that may wait in any of its calls.
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

// Steady reports what the hook reports.
func (h *waitingHook) Steady() bool {
	s, ok := h.Hook.(session.Steady)
	return ok && s.Steady()
}

// watchedDiscovery keeps what was last asked, and the answer.
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

// lacks says which processes the last answer lacks of those that the job needs.
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
