package wire

import "time"

// Clock is a server's time in ms. It never goes back, and runs speed times as fast as the wall
// clock. It also supplies the ctime and mtime of znodes.
type Clock struct {
	startMs int64
	start   time.Time
	speed   float64
	manual  func() int64
}

// WallClock returns a clock that starts at the present wall time, or at notBeforeMs if that is
// later. For a restarted server pass the last time of its previous run, because that may have been
// ahead of the wall clock.
func WallClock(speed float64, notBeforeMs int64) *Clock {
	now := time.Now()
	return &Clock{startMs: max(now.UnixMilli(), notBeforeMs), start: now, speed: speed}
}

// ManualClock returns a clock that shows the result of now, in ms. A server with a manual clock
// expires sessions only at a request or a call of Tick.
func ManualClock(now func() int64) *Clock { return &Clock{manual: now} }

// NowMs returns the time of the clock in ms.
func (c *Clock) NowMs() int64 {
	if c.manual != nil {
		return c.manual()
	}
	return c.startMs + int64(float64(time.Since(c.start).Microseconds())*c.speed/1000)
}

// until returns how much wall time passes before the clock shows at least atMs. One millisecond is
// added because NowMs rounds down.
func (c *Clock) until(atMs int64) time.Duration {
	ms := float64(atMs-c.startMs) / c.speed
	return max(time.Duration(ms*float64(time.Millisecond))-time.Since(c.start), 0) + time.Millisecond
}
