package observe

import "time"

// pacer waits for instants of one run.
type pacer struct {
	began time.Time
	alarm alarm
}

// until waits for an instant since the begin; one that is past is now.
func (p *pacer) until(at int64) {
	if left := time.Duration(at) - time.Since(p.began); left > 0 {
		p.alarm.wait(left)
	}
}

// now returns the time since the begin.
func (p *pacer) now() int64 { return int64(time.Since(p.began)) }
