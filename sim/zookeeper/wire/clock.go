package wire

import "time"

// Clock is a server's time in ms, which never goes back. It runs Speed times as
// fast as the wall clock; the wall time of znodes is the same clock.
type Clock struct {
	startMs int64
	start   time.Time
	speed   float64
	manual  func() int64
}

// WallClock makes a clock that runs with the host's, from the time it is now or, when
// that is later, from notBeforeMs: the clock of the server's earlier life may have been
// ahead.
func WallClock(speed float64, notBeforeMs int64) *Clock {
	now := time.Now()
	return &Clock{startMs: max(now.UnixMilli(), notBeforeMs), start: now, speed: speed}
}

// ManualClock makes a clock that shows whatever now says, in ms. A server with one
// expires sessions at a request or when its Tick is called.
func ManualClock(now func() int64) *Clock { return &Clock{manual: now} }

// NowMs reads the clock.
func (c *Clock) NowMs() int64 {
	if c.manual != nil {
		return c.manual()
	}
	return c.startMs + int64(float64(time.Since(c.start).Microseconds())*c.speed/1000)
}

// until is how long the host must wait until the clock shows atMs, at least.
func (c *Clock) until(atMs int64) time.Duration {
	ms := float64(atMs-c.startMs) / c.speed
	return max(time.Duration(ms*float64(time.Millisecond))-time.Since(c.start), 0) + time.Millisecond
}
