package gotestee

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// zkClientOps holds the operation of section 7 of the protocol, on mocked_zkclient.py.
var zkClientOps = table{"mocked_zkclient.sequence": (*call).zkClientSequence}

// clientRun is one run of a sequence of steps on a fake client.
type clientRun struct {
	c  *call
	zk *caseworld.ZooKeeper
	// cb holds the calls of callbacks during the current step.
	cb []any
}

func (c *call) zkClientSequence() (any, error) {
	r := &clientRun{c: c, zk: c.NewZK()}
	steps := c.Run(caseworld.Sequence{Do: r.do(), Before: func() { r.cb = nil }, After: func(_ caseworld.Step, answer *pysem.Dict) {
		if len(r.cb) > 0 {
			answer.Set("cb", r.cb)
		}
	}})
	return caseworld.Object("steps", steps, "tree", r.zk.Tree()), nil
}

func (r *clientRun) do() caseworld.Do {
	do := caseworld.Do{
		"data_watch": func(s caseworld.Step, path string) error {
			_, err := r.zk.DataWatch(path, r.dataWatch(s))
			return err
		},
		"children_watch": func(s caseworld.Step, path string) error {
			_, err := r.zk.ChildrenEventWatch(path, r.childrenWatch(s))
			return err
		},
		"election": func(path, identifier string) ([]any, error) {
			notes := []any{}
			err := r.zk.NewElection(path, identifier).Run(func() { notes = append(notes, "leader") })
			return notes, err
		},
		// The port's types do not allow a leader function that is not callable
		// (mocked_zkclient.py:66).
		"election_not_callable": func() error { return pysem.Raise("ValueError", "leader function is not callable") },
		"election_cancel":       func(path string) { r.zk.NewElection(path, "").Cancel() },
	}
	for _, name := range []string{"start", "stop", "close", "create", "set", "get", "delete", "ensure_path", "exists", "get_children"} {
		do[name] = r.zk.Do
	}
	return do
}

// dataWatch makes a callback with three parameters or with two. The fake calls it with three
// arguments, and after a TypeError again with two. A callback of arity 0 takes any number, so that
// a second call would show.
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

// behaviour returns what a callback is to do after its call was recorded.
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

// once returns a function for use in a callback. It runs a step the first time that it is called.
func (r *clientRun) once(inner caseworld.Step) func() error {
	done := false
	return func() error {
		if done {
			return nil
		}
		done = true
		result := caseworld.Attempt(r.c.DoStep(caseworld.Sequence{Do: r.do()}, inner))
		r.cb = append(r.cb, []any{"re-entrant", inner.Name, result})
		return nil
	}
}

// eventOf encodes a watch event. Its session state is always CONNECTED, as in the fake.
func eventOf(e *env.WatchEvent) any {
	if e == nil {
		return nil
	}
	return caseworld.Object("type", e.Type.String(), "state", "CONNECTED", "path", e.Path)
}
