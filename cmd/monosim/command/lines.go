package command

import "time"

// Lines decides when a long run writes a line about its progress, if the output is not a terminal.
// Such lines stay in the log of a job. So each line has to say something new, and a run of a whole
// day must not fill the log.
type Lines struct {
	total       int64
	begin, last time.Time
	told        int64  // amount that was done when the last line was printed
	text        string // the last line
}

const (
	// Look is how often a caller asks for a line when nothing else makes it ask. A line is due only
	// if almost this much time has passed since the last line.
	Look   = 10 * time.Second
	hardly = Look * 9 / 10 // shortest time between two lines: a little less than Look, because tickers are not exact
	// The time between two lines is a tenth of the time that the run has lasted, but at least
	// soonest and at most latest.
	soonest, latest = 30 * time.Second, 5 * time.Minute
)

// NewLines begins at the time now. total is how much there is to do, 0 or less if that is unknown.
func NewLines(total int64, now time.Time) *Lines {
	return &Lines{total: total, begin: now, last: now}
}

// At returns the line to write, "" for none. A line is due when another tenth of the total is done,
// or when enough time has passed since the previous line. A text that has not changed is written
// again only when the duration latest has passed, to show that the run still goes on.
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
