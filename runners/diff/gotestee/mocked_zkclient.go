package gotestee

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// zkClientOps are section 7 of the protocol: mocked_zkclient.py.
var zkClientOps = table{"mocked_zkclient.sequence": (*call).zkClientSequence}

// clientRun is a sequence on one fake client.
type clientRun struct {
	zk *caseworld.ZooKeeper
	// cb are the callbacks of the step.
	cb []any
}

func (c *call) zkClientSequence() (any, error) {
	r := &clientRun{zk: c.NewZK()}
	out := []any{}
	for _, s := range c.In.Steps("ops") {
		r.cb = nil
		answer := caseworld.Attempt(r.do(s))
		if len(r.cb) > 0 {
			answer.Set("cb", r.cb)
		}
		out = append(out, answer)
	}
	return caseworld.Object("steps", out, "tree", r.zk.Tree()), nil
}

func (r *clientRun) do(s caseworld.Step) (any, error) {
	switch s.Name {
	case "data_watch":
		_, err := r.zk.DataWatch(s.Str("path"), r.dataWatch(s))
		return nil, err
	case "children_watch":
		_, err := r.zk.ChildrenEventWatch(s.Str("path"), r.childrenWatch(s))
		return nil, err
	case "election":
		notes := []any{}
		err := r.zk.NewElection(s.Str("path"), s.OptStr("identifier").V).Run(func() { notes = append(notes, "leader") })
		return notes, err
	case "election_not_callable":
		// Go's types leave no other way to ask for it (mocked_zkclient.py:66).
		return nil, pysem.Raise("ValueError", "leader function is not callable")
	case "election_cancel":
		r.zk.NewElection(s.Str("path"), "").Cancel()
		return nil, nil
	}
	return r.zk.Do(s)
}

// dataWatch makes a callback of three parameters, or of two: the fake calls with
// three first, and with two after a TypeError. One of arity 0 takes any number, so
// that the fake's second call would show.
func (r *clientRun) dataWatch(s caseworld.Step) env.DataFunc {
	behave := r.behaviour(s)
	arity := s.IntegerOr("arity", 3)
	return func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		if arity == 2 {
			r.cb = append(r.cb, caseworld.Raw{V: caseworld.Encode([]any{s.Str("id"), "data2", data, caseworld.StatOf(*stat)})})
			return behave()
		}
		r.cb = append(r.cb, caseworld.Raw{V: caseworld.Encode([]any{s.Str("id"), "data", data, caseworld.StatOf(*stat), eventOf(event)})})
		err := behave()
		if arity == 3 && pysem.TypeOf(err) == "TypeError" {
			return pysem.Raise("TypeError", "the callback takes 3 positional arguments but 2 were given")
		}
		return err
	}
}

func (r *clientRun) childrenWatch(s caseworld.Step) func([]string, *env.WatchEvent) error {
	behave := r.behaviour(s)
	return func(names []string, event *env.WatchEvent) error {
		if s.Flag("send_event") {
			r.cb = append(r.cb, caseworld.Raw{V: caseworld.Encode([]any{s.Str("id"), "children_event", names, eventOf(event)})})
		} else {
			r.cb = append(r.cb, caseworld.Raw{V: caseworld.Encode([]any{s.Str("id"), "children", names})})
		}
		return behave()
	}
}

// behaviour is what a callback does after it was logged.
func (r *clientRun) behaviour(s caseworld.Step) func() error {
	switch behave := s.Value("behave").(type) {
	case nil:
		return func() error { return nil }
	case string:
		switch behave {
		case "raise_type_error":
			return func() error { return pysem.Raise("TypeError", "boom") }
		case "raise_value_error":
			return func() error { return pysem.Raise("ValueError", "boom") }
		case "return_false":
			return func() error { return env.ErrStopWatching }
		}
	case []any:
		if len(behave) == 1 {
			if inner, ok := caseworld.AsStep(behave[0], s.At("behave")); ok {
				return r.once(inner)
			}
		}
	}
	s.Wrong("behave", "raise_type_error, raise_value_error, return_false or [[name, arguments]]")
	return nil
}

// once does a step from inside the callback, the first time.
func (r *clientRun) once(inner caseworld.Step) func() error {
	done := false
	return func() error {
		if done {
			return nil
		}
		done = true
		result := caseworld.Attempt(r.do(inner))
		r.cb = append(r.cb, []any{"re-entrant", inner.Name, result})
		return nil
	}
}

// eventOf is a watch event as answers show it; the fake is always connected.
func eventOf(e *env.WatchEvent) any {
	if e == nil {
		return nil
	}
	return caseworld.Object("type", e.Type.String(), "state", "CONNECTED", "path", e.Path)
}
