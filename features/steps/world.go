package steps

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
)

// World is the state of one run of one scenario. The function of every sentence gets it.
type World struct {
	runner  runners.Runner
	spec    runners.Spec
	adjust  func(*runners.Spec)
	conf    conf
	models  []runners.Model
	cluster runners.Cluster // nil until the first sentence that does not describe the cluster's shape
	// operation is the recorded case that the scenario is about. Such a scenario has no cluster. In
	// a scenario about a cluster, operation is nil.
	operation *operation
	// entries holds, by name, the model config entries that sentences have set. calls holds the
	// calls to model servers by kind.
	entries map[string]*runners.ServedModel
	calls   map[string][]runners.ModelCall
	// operated is the answer to the last call of the controller. It is nil while the call goes on.
	operated *runners.TrainingAnswer
	// seen is the cluster time at the end of the previous step.
	seen time.Duration
	// saying is the text of the running step.
	saying string
}

// Cluster returns the cluster of the scenario, for the functions of a caller's own sentences. It
// lives until the scenario ends.
func (w *World) Cluster() runners.Cluster { return w.cluster }

// ready builds the cluster from the shapes, unless it exists already.
func (w *World) ready() error {
	if w.cluster != nil {
		return nil
	}
	w.spec.Conf, w.spec.ConfName = w.conf.text(), "agent.conf"
	w.spec.Models = w.models
	if w.adjust != nil {
		w.adjust(&w.spec)
	}
	cluster, err := w.runner.Build(w.spec)
	if err != nil {
		return fmt.Errorf("build the cluster: %w", err)
	}
	w.cluster = cluster
	w.remark()
	return nil
}

// say records the text of a step before the step runs.
func (w *World) say(text string) {
	w.saying = text
	w.remark()
}

// remark writes the step's text into the cluster's log, if the cluster has one.
func (w *World) remark() {
	if n, ok := w.cluster.(runners.Narrator); ok && w.spec.Detail {
		n.Remark(w.saying)
	}
}

// close ends the cluster.
func (w *World) close() {
	if w.cluster != nil {
		w.cluster.Close()
	}
}

// outcome returns err, the error of a step. If err is nil and the cluster is broken, it returns an
// error with the cluster's failure.
func (w *World) outcome(err error) error {
	if err != nil || w.cluster == nil {
		return err
	}
	if broken := w.cluster.Failure(); broken != "" {
		return fmt.Errorf("%s: the run itself broke: %s", runners.Stamp(w.cluster.Now()), broken)
	}
	return brokenInvariant(w.cluster)
}

// brokenInvariant returns an error for a broken invariant, unless the reference breaks it too.
func brokenInvariant(c runners.Cluster) error {
	watched, ok := c.(runners.Invariant)
	if !ok {
		return nil
	}
	for _, b := range watched.Invariants() {
		if b.Known == "" {
			return b
		}
	}
	return nil
}

// differ makes the error of a check that expected want and found got.
func differ(what string, want, got any) error {
	return fmt.Errorf("%s, want %v, got %v", what, want, got)
}

// pass lets time pass.
func (w *World) pass(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	_, err = w.cluster.Pass(d, nil)
	return err
}

// last begins a condition. If duration is not "", it lets that time pass and then ends the
// condition.
func (w *World) last(duration string, l lasting) error {
	if err := l.begin(); err != nil || duration == "" {
		return err
	}
	if err := w.pass(duration); err != nil {
		return err
	}
	return l.end()
}

// hold runs a check. With the mode "" it runs the check once, with "within" until the check
// succeeds or duration is over, and with "for" all the time.
func (w *World) hold(mode, duration string, c check) error {
	if mode == "" && runners.Tolerance(w.cluster) > 0 {
		return runners.Within(w.cluster, 0, c)
	}
	if mode == "" {
		err := c()
		if err != nil {
			err = fmt.Errorf("%s: %w", runners.Stamp(w.cluster.Now()), err)
		}
		return err
	}
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	if mode == "for" {
		return runners.Throughout(w.cluster, d, c)
	}
	return runners.Within(w.cluster, d, c)
}
