package clock

import (
	"context"
	"time"
)

var start = time.Now() // want `time.Now in deterministic room engine/agent/clock: use env.Clock.Now`

var now = time.Now // want `time.Now in deterministic room`

func wait() time.Duration {
	time.Sleep(time.Second)                // want `time.Sleep .*: use env.Tasks.Sleep`
	time.AfterFunc(time.Second, func() {}) // want `time.AfterFunc`
	<-time.After(time.Second)              // want `time.After` `channel receive`
	<-time.NewTimer(time.Second).C         // want `time.NewTimer` `channel receive`
	<-time.NewTicker(time.Second).C        // want `time.NewTicker` `channel receive`
	for range time.Tick(time.Second) {     // want `time.Tick` `range over a channel`
	}
	return time.Since(start) + time.Until(now()) // want `time.Since` `time.Until`
}

func zones(t time.Time) (time.Time, time.Time) {
	return t.In(time.Local), t.Local() // want `time.Local .*time.UTC` `\(time.Time\).Local`
}

func limited(ctx context.Context) context.Context {
	ctx, cancel := context.WithTimeout(ctx, time.Second) // want `context.WithTimeout .*: give the env call its timeout`
	defer cancel()
	return ctx
}

// Plain values of package time are data.
func plain(t time.Time, d time.Duration) (int64, string, time.Time) {
	return t.Add(d).UnixMilli(), d.String(), time.Unix(12, 0).UTC()
}

type clock interface{ Now() time.Time }

// A clock that was handed in is the engine's.
func given(c clock) time.Time { return c.Now() }
