//go:build !linux

package observe

import "time"

// alarm waits by Go's own timers.
type alarm struct{}

func newAlarm() (alarm, error) { return alarm{}, nil }

func (alarm) wait(d time.Duration) { <-time.After(d) }

func (alarm) close() {}
