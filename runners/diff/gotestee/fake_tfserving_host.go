package gotestee

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving"
)

// How time passes in a case: in turns of the fake's thread, which take as long as in
// sim/tfserving, or in seconds.
const (
	turn   = 10 * time.Microsecond
	second = time.Second
	// growthPeriod is from one random choice of the thread to the next.
	growthPeriod = 30*time.Second + turn
)

func timesOf(n int) time.Duration { return time.Duration(n) }

// steppedHost is the host of a model server whose time passes when it is told. The
// server has one timer at a time.
type steppedHost struct {
	now, due time.Duration
	wake     func() // nil when no timer is set
	draws    []int
	files    *caseworld.Directory
	log      env.Log
	exited   bool
}

// pass lets time pass; what is due at its end is done.
func (h *steppedHost) pass(d time.Duration) {
	until := h.now + d
	for h.wake != nil && h.due <= until {
		wake := h.wake
		h.now, h.wake = h.due, nil
		wake()
	}
	h.now = until
}

func (h *steppedHost) Now() time.Duration { return h.now }

func (h *steppedHost) After(d time.Duration, fn func()) (cancel func()) {
	h.due, h.wake = h.now+d, fn
	return func() { h.wake = nil }
}

// Choose is the random choice of the n-th time that 30 s have passed; sets are sorted.
func (h *steppedHost) Choose(site string, n int) int {
	if len(h.draws) == 0 || site == "python.hashseed" {
		return 0
	}
	time := int(h.now/growthPeriod) - 1
	return h.draws[time%len(h.draws)] % n
}

func (h *steppedHost) Exit(int, string) { h.exited = true }

func (h *steppedHost) Log(level env.Level, format string, args ...any) {
	h.log.Logf(level, format, args...)
}

func (h *steppedHost) Look(ask func(tfserving.Storage), told func()) {
	ask(configFiles{files: h.files})
	told()
}

func (h *steppedHost) Watch(string, func()) (cancel func(), ok bool) { return nil, false }

// configFiles is the storage of a fake, which reads its config file and nothing
// else.
type configFiles struct {
	tfserving.Storage
	files *caseworld.Directory
}

func (s configFiles) ReadFile(name string) ([]byte, error) { return s.files.ReadFile(name) }
