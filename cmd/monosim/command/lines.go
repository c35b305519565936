package command

import "time"

// Lines says when a run that lasts tells of its progress where there is no terminal. Such lines stay
// in the log of a job: each has to say something new, and a day must not fill it.
type Lines struct {
	total       int64
	begin, last time.Time
	told        int64  // how much was done at the last line
	text        string // the last line
}

const (
	// Look is how often a caller without other events asks for a line. Hardly any comes sooner.
	Look   = 10 * time.Second
	hardly = Look * 9 / 10 // a clock that ticks is not exact
	// A line comes after a tenth of the time that the run has lasted, but within these bounds.
	soonest, latest = 30 * time.Second, 5 * time.Minute
)

// NewLines begins at the time now. total is how much there is to do, 0 or less if that is unknown.
func NewLines(total int64, now time.Time) *Lines {
	return &Lines{total: total, begin: now, last: now}
}

// At returns the line to write, "" for none. A line is due when a tenth more of the total is done, or
// some time after the one before. One that says the same again has to wait for latest, after which it
// says that the run still goes on.
func (l *Lines) At(now time.Time, done int64, line func() string) string {
	since := now.Sub(l.last)
	tenth := l.total > 0 && done*10/l.total > l.told*10/l.total
	if since < hardly || !tenth && since < min(max(now.Sub(l.begin)/10, soonest), latest) {
		return ""
	}
	text := line()
	if text == l.text && since < latest {
		return ""
	}
	l.last, l.told, l.text = now, done, text
	return text
}
