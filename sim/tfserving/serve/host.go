package serve

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// host is the tfserving.Host of a served process; what the machine's thread calls
// is called with mu held.
type host Server

// Now is the time since the process began, Speed times as fast as the wall clock.
func (h *host) Now() time.Duration { return scale(time.Since(h.began), h.opt.Speed) }

// After calls fn with mu held, unless the process ends before.
func (h *host) After(d time.Duration, fn func()) (cancel func()) {
	s := (*Server)(h)
	t := &timer{}
	s.timers[t] = true
	t.timer = time.AfterFunc(scale(d, 1/h.opt.Speed), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.forget(t) {
			fn()
		}
	})
	return func() {
		t.stop()
		s.forget(t)
	}
}

// scale is d at a speed.
func scale(d time.Duration, speed float64) time.Duration {
	if speed == 1 {
		return d
	}
	return time.Duration(min(float64(d)*speed, math.MaxInt64/2))
}

// forget takes a timer off and reports whether it was still wanted.
func (s *Server) forget(t *timer) bool {
	wanted := s.timers[t] && !s.ended
	delete(s.timers, t)
	return wanted
}

type timer struct{ timer *time.Timer }

func (t *timer) stop() { t.timer.Stop() }

// Look asks the disk on a goroutine, which nobody waits for: a disk may hang for
// longer than the process is wanted.
func (h *host) Look(ask func(tfserving.Storage), told func()) {
	s := (*Server)(h)
	go func() {
		ask(breakable{s.opt.storage(), &s.faults})
		s.enter(told)
	}()
}

// Watch reports false: a real disk is not watched, the machine polls it, as upstream
// does.
func (h *host) Watch(string, func()) (cancel func(), ok bool) { return nil, false }

// enter calls fn with mu held, unless the process has ended.
func (s *Server) enter(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		fn()
	}
}

func (h *host) Choose(site string, n int) int { return h.choices.choose(n) }

func (h *host) Exit(code int, stdout string) { (*Server)(h).end(code, stdout) }

func (h *host) Log(level env.Level, format string, args ...any) { h.log.logf(level, format, args...) }

// choices draws what upstream leaves open, for any thread.
type choices struct {
	mu     sync.Mutex
	source *rand.Rand // nil takes the defaults
}

func newChoices(seed uint64) *choices {
	if seed == 0 {
		return &choices{}
	}
	return &choices{source: rand.New(rand.NewPCG(seed, seed))}
}

// choose picks a number in [0, n); without a seed the default, 0.
func (c *choices) choose(n int) int {
	if c.source == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.IntN(n)
}
