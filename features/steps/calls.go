package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// The names by which the sentences of scenarios call requests to model servers.
const (
	reloadCall  = "reload"
	predictCall = "Predict"
	statusCall  = "status request"
)

var ordinals = []string{"first", "second", "third", "fourth", "fifth"}

// begin starts a call to a model server. The call goes on while later sentences run.
func (w *World) begin(kind, server string, call func(c runners.Caller, s modelServer) (runners.ModelCall, error)) error {
	return w.onServer(server, func(c runners.Caller, s modelServer) error {
		made, err := call(c, s)
		if err != nil {
			return err
		}
		if w.calls == nil {
			w.calls = map[string][]runners.ModelCall{}
		}
		w.calls[kind] = append(w.calls[kind], made)
		return nil
	})()
}

func (w *World) reloads(server string, models []runners.ServedModel, deadline string) error {
	limit, err := time.ParseDuration(deadline)
	if err != nil {
		return err
	}
	return w.begin(reloadCall, server, func(c runners.Caller, s modelServer) (runners.ModelCall, error) {
		return c.Reload(s.pod, s.kind, models, limit)
	})
}

const noDeadline = "0s"

func (w *World) reload(server, servables string) error {
	return w.reloads(server, w.config(servables), noDeadline)
}

func (w *World) reloadBefore(server, servables, deadline string) error {
	return w.reloads(server, w.config(servables), deadline)
}

func (w *World) reloadToNothing(server string) error {
	return w.reloads(server, []runners.ServedModel{}, noDeadline)
}

func (w *World) predict(servable, server string) error {
	return w.predictBefore(servable, server, noDeadline)
}

func (w *World) predictBefore(servable, server, deadline string) error {
	limit, err := time.ParseDuration(deadline)
	if err != nil {
		return err
	}
	return w.begin(predictCall, server, func(c runners.Caller, s modelServer) (runners.ModelCall, error) {
		return c.Predict(s.pod, s.kind, runners.PredictSpec{Model: servable}, limit)
	})
}

func (w *World) monitorReload(server, servables string) error {
	return w.begin(reloadCall, server, func(c runners.Caller, s modelServer) (runners.ModelCall, error) {
		return c.MonitorReload(s.pod, s.kind, w.config(servables))
	})
}

func (w *World) monitorStatus(server, servable string) error {
	return w.begin(statusCall, server, func(c runners.Caller, s modelServer) (runners.ModelCall, error) {
		return c.MonitorStatus(s.pod, s.kind, servable)
	})
}

// call finds a call by its name in a sentence. "the reload" is the latest reload, and "the second
// reload" the second.
func (w *World) call(text string) (runners.ModelCall, error) {
	name := strings.TrimPrefix(text, "the ")
	which, kind, ok := strings.Cut(name, " ")
	i := slices.Index(ordinals, which)
	if !ok || i < 0 {
		kind = name
		i = len(w.calls[kind]) - 1
	}
	if i < 0 || i >= len(w.calls[kind]) {
		return nil, fmt.Errorf("found %d calls of kind %q, want %s", len(w.calls[kind]), kind, text)
	}
	return w.calls[kind][i], nil
}

// answeredWith makes a check of a call's answer. fn decides, and want describes what is expected.
func (w *World) answeredWith(call, want string, fn func(a runners.ModelAnswer) bool) check {
	return func() error {
		c, err := w.call(call)
		if err != nil {
			return err
		}
		a, ok := c.Answer()
		if !ok {
			return differ(call, want, "no answer")
		}
		if !fn(a) {
			return differ(call, want, describeAnswer(a))
		}
		return nil
	}
}

func describeAnswer(a runners.ModelAnswer) string {
	switch {
	case a.Err != nil:
		return fmt.Sprintf("%v after %v", a.Err, a.Took)
	case a.Version != 0:
		return fmt.Sprintf("version %d after %v", a.Version, a.Took)
	case a.Status != env.ModelVersionStatus{}:
		return fmt.Sprintf("%s after %v", statuses([]env.ModelVersionStatus{a.Status}), a.Took)
	}
	return fmt.Sprintf("OK after %v", a.Took)
}

func (w *World) callUnanswered(call string) check {
	return func() error {
		c, err := w.call(call)
		if err != nil {
			return err
		}
		if a, ok := c.Answer(); ok {
			return differ(call, "no answer", describeAnswer(a))
		}
		return nil
	}
}

func (w *World) callOK(call string) check {
	return w.answeredWith(call, "OK", func(a runners.ModelAnswer) bool { return a.Err == nil })
}

// failsWith reports whether an error has a code and, in its message, a text.
func failsWith(err error, code, text string) bool {
	var rpc *env.RPCError
	return errors.As(err, &rpc) && rpc.Code.String() == code && strings.Contains(rpc.Message, text)
}

func (w *World) callFails(call, code, text string) check {
	return w.answeredWith(call, code+" ..."+text+"...", func(a runners.ModelAnswer) bool { return failsWith(a.Err, code, text) })
}

func (w *World) callVersion(call string, version int64) check {
	return w.answeredWith(call, fmt.Sprintf("version %d", version), func(a runners.ModelAnswer) bool {
		return a.Err == nil && a.Version == version
	})
}

func (w *World) callState(call string, version int64, state string) check {
	return w.answeredWith(call, fmt.Sprintf("%d %s", version, state), func(a runners.ModelAnswer) bool {
		return a.Err == nil && a.Status.Version == version && a.Status.State.String() == state
	})
}

// predicted makes a check that sends a Predict request, waits for the answer, and checks it with
// fn.
func (w *World) predicted(server string, spec runners.PredictSpec, want string, fn func(a runners.ModelAnswer) bool) check {
	return w.onServer(server, func(c runners.Caller, s modelServer) error {
		call, err := c.Predict(s.pod, s.kind, spec, runners.CallTimeout)
		if err != nil {
			return err
		}
		answered := func() bool {
			_, ok := call.Answer()
			return ok
		}
		if _, err := w.cluster.Pass(runners.CallTimeout+time.Second+runners.Tolerance(w.cluster), answered); err != nil {
			return err
		}
		a, _ := call.Answer()
		if !fn(a) {
			return differ("Predict of "+spec.Model+" to the "+s.String(), want, describeAnswer(a))
		}
		return nil
	})
}

func (w *World) predictVersion(servable, server string, version int64) check {
	return w.predictLabelVersion(servable, "", server, version)
}

func (w *World) predictFails(servable, server, code, text string) check {
	return w.predictLabelFails(servable, "", server, code, text)
}

func (w *World) predictLabelVersion(servable, label, server string, version int64) check {
	return w.predicted(server, runners.PredictSpec{Model: servable, Label: label}, fmt.Sprintf("version %d", version),
		func(a runners.ModelAnswer) bool { return a.Err == nil && a.Version == version })
}

func (w *World) predictLabelFails(servable, label, server, code, text string) check {
	return w.predicted(server, runners.PredictSpec{Model: servable, Label: label}, code+" ..."+text+"...",
		func(a runners.ModelAnswer) bool { return failsWith(a.Err, code, text) })
}

func (w *World) predictTakes(servable, server, limit string, fits func(took, limit time.Duration) bool) check {
	return func() error {
		d, err := time.ParseDuration(limit)
		if err != nil {
			return err
		}
		return w.predicted(server, runners.PredictSpec{Model: servable}, limit,
			func(a runners.ModelAnswer) bool { return a.Err == nil && fits(a.Took, d) })()
	}
}

func (w *World) predictAtLeast(servable, server, limit string) check {
	return w.predictTakes(servable, server, limit, func(took, limit time.Duration) bool { return took >= limit })
}

func (w *World) predictAtMost(servable, server, limit string) check {
	return w.predictTakes(servable, server, limit, func(took, limit time.Duration) bool { return took <= limit })
}
