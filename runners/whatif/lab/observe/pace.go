package observe

import "time"

// pacer waits until given times of a run.
type pacer struct {
	began time.Time
	alarm alarm
}

// until waits until the instant at, in nanoseconds since the start of the run. It returns at once
// if that instant has passed.
func (p *pacer) until(at int64) {
	if left := time.Duration(at) - time.Since(p.began); left > 0 {
		p.alarm.wait(left)
	}
}

// now returns the nanoseconds since the start of the run.
func (p *pacer) now() int64 { return int64(time.Since(p.began)) }
