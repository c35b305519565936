package serve

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// host implements tfserving.Host for a served process. Whichever goroutine holds mu acts as the
// server's thread.
type host Server

// Now returns the simulated time since the process began. It advances Speed times as fast as the
// wall clock.
func (h *host) Now() time.Duration { return scale(time.Since(h.began), h.opt.Speed) }

// After calls fn with mu held when the simulated time d has passed. If the process has ended by
// then, fn is not called.
func (h *host) After(d time.Duration, fn func()) (cancel func()) {
	s := (*Server)(h)
	var t *time.Timer
	t = time.AfterFunc(scale(d, 1/h.opt.Speed), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.forget(t) {
			fn()
		}
	})
	s.timers[t] = true
	return func() {
		t.Stop()
		s.forget(t)
	}
}

func scale(d time.Duration, speed float64) time.Duration {
	if speed == 1 {
		return d
	}
	return time.Duration(min(float64(d)*speed, math.MaxInt64/2))
}

// forget removes a timer, and reports whether its function must still be called.
func (s *Server) forget(t *time.Timer) bool {
	wanted := s.timers[t] && !s.ended
	delete(s.timers, t)
	return wanted
}

// Look calls the function ask on a separate goroutine, because a disk may hang for longer than the
// process runs. Then it calls the function told with mu held.
func (h *host) Look(ask func(tfserving.Storage), told func()) {
	s := (*Server)(h)
	go func() {
		ask(breakable{s.opt.storage(), &s.faults})
		s.enter(told)
	}()
}

// Work calls the function do on a separate goroutine, and then the function done with mu held.
func (h *host) Work(do, done func()) {
	go func() {
		do()
		(*Server)(h).enter(done)
	}()
}

// Watch returns false, because a real disk cannot be watched. The server then polls it, as
// upstream does.
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

// choices makes random choices where upstream's behaviour is not defined. Any thread may call it.
type choices struct {
	mu     sync.Mutex
	source *rand.Rand // source is nil if each choice takes its default
}

func newChoices(seed uint64) *choices {
	if seed == 0 {
		return &choices{}
	}
	return &choices{source: rand.New(rand.NewPCG(seed, seed))}
}

// choose returns a random number in [0, n); without a source it returns 0, the default.
func (c *choices) choose(n int) int {
	if c.source == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.IntN(n)
}
