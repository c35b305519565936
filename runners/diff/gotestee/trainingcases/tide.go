package trainingcases

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/sessionrunhooks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// tideOps holds the operations on session_run_hooks.py.
var tideOps = caseworld.Table{
	"session_run_hooks.before":                     before,
	"session_run_hooks.tide_available_now":         tideAvailableNow,
	"session_run_hooks.CustomGlobalStepWaiterHook": stepWaiter,
	"session_run_hooks.TideStoppingHook":           tideStopping,
}

func tideOf(in caseworld.Arguments, kept quirks.Set) sessionrunhooks.Tide {
	return sessionrunhooks.Tide{
		Quirks:    kept,
		StartHour: in.Value("tide_start_hour"), StartMinute: in.Value("tide_start_minute"),
		EndHour: in.Value("tide_end_hour"), EndMinute: in.Value("tide_end_minute"),
	}
}

// fourTimes parses a list of four hours and minutes, each a number or null.
func fourTimes(c *caseworld.Call, field string) []any {
	four := c.In.List(field)
	if len(four) != 4 {
		c.In.Wrong(field, "two hours, each with its minute")
	}
	return four
}

func before(c *caseworld.Call) (any, error) {
	t := fourTimes(c, "args")
	return sessionrunhooks.Before(c.Quirks, t[0], t[1], t[2], t[3])
}

func tideAvailableNow(c *caseworld.Call) (any, error) {
	w, answers := fourTimes(c, "window"), []any{}
	for _, text := range c.In.Strings("times") {
		open, err := sessionrunhooks.TideAvailableNow(moment(c, text), sessionrunhooks.Tide{StartHour: w[0], StartMinute: w[1], EndHour: w[2], EndMinute: w[3], Quirks: c.Quirks})
		if err != nil {
			return nil, err
		}
		answers = append(answers, []any{text[:5], open})
	}
	return answers, nil
}

// moment returns a time on the day of the case. text has the form hh:mm:ss.
func moment(c *caseworld.Call, text string) time.Time {
	var units [3]int
	for i, part := range strings.SplitN(text, ":", 3) {
		n, err := strconv.Atoi(part)
		if err != nil {
			c.In.Wrong("times", "hh:mm:ss")
		}
		units[i] = n
	}
	return time.Date(2023, 11, 14, units[0], units[1], units[2], 0, time.UTC)
}

// oneDraw returns the same number for every random draw.
type oneDraw struct {
	env.Random
	n int
}

func (r oneDraw) Intn(string, int) int { return r.n }

func stepWaiter(c *caseworld.Call) (any, error) {
	l, kwargs := newLab(c), c.In.Object("kwargs")
	if text, ok := c.In.Value("now").(string); ok {
		l.time.At = moment(c, text)
	}
	start := l.time.At
	l.e.Random = oneDraw{n: c.In.Integer("random_extra_seconds")}
	maxMinutes := any(sessionrunhooks.DefaultMaxNonTideWaitMinutes)
	if kwargs.Has("max_non_tide_wait_minute") {
		maxMinutes = kwargs.Value("max_non_tide_wait_minute")
	}
	hook, err := sessionrunhooks.NewCustomGlobalStepWaiterHook(l.e, session.GlobalStep(), kwargs.Value("wait_until_step"), tideOf(kwargs, c.Quirks), maxMinutes)
	if err = cmp.Or(err, hook.Begin()); err != nil {
		return nil, err
	}
	return l.answer(caseworld.Do{
		"set":  func(value int64) error { return session.Do(l.s, session.Assign(session.GlobalStep(), value)) },
		"pass": l.pass,
		"before_run": func() (any, error) {
			run := &session.RunContext{Session: l.s}
			_, err := hook.BeforeRun(run)
			return caseworld.Object("fetches", nil, "stop", run.StopRequested(), "now", l.time.At.Sub(start).Seconds()), err
		},
	}, nil)
}

func tideStopping(c *caseworld.Call) (any, error) {
	l := newLab(c)
	l.time.At = moment(c, c.In.Str("now"))
	run := &session.RunContext{}
	_, err := sessionrunhooks.NewTideStoppingHook(l.e, tideOf(c.In.Object("kwargs"), c.Quirks)).BeforeRun(run)
	return caseworld.Object("stop", run.StopRequested()), err
}
