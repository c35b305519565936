package observe

import "time"

// pacer waits for instants of a run.
type pacer struct {
	began time.Time
	alarm alarm
}

// until waits for an instant since the begin. It returns at once if that is past.
func (p *pacer) until(at int64) {
	if left := time.Duration(at) - time.Since(p.began); left > 0 {
		p.alarm.wait(left)
	}
}

// now returns the nanoseconds since the begin.
func (p *pacer) now() int64 { return int64(time.Since(p.began)) }
