package steps

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
)

// World is the state of one run of one scenario, which the function of every
// sentence gets.
type World struct {
	runner  runners.Runner
	spec    runners.Spec
	adjust  func(*runners.Spec)
	conf    conf
	models  []runners.Model
	cluster runners.Cluster // nil until the first sentence that is no shape
	// operation is what a scenario about a recorded case has instead of a cluster.
	operation *operation
	// entries are what sentences said of models in configs, by name; calls are those
	// to model servers, by kind.
	entries map[string]*runners.ServedModel
	calls   map[string][]runners.ModelCall
	// operated is the answer to the controller's call that was made last, nil while one goes
	// on.
	operated *runners.TrainingAnswer
	// seen is the cluster time at the end of the step before.
	seen time.Duration
	// saying is the text of the step that runs.
	saying string
}

// Cluster is the cluster that the scenario is about, for the functions of a caller's
// own sentences. It is there for as long as the scenario runs.
func (w *World) Cluster() runners.Cluster { return w.cluster }

// ready builds the cluster from what the shapes said.
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

// say is told of a step before it runs.
func (w *World) say(text string) {
	w.saying = text
	w.remark()
}

// remark has the cluster write the step down, where it can.
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

// outcome is the result of a step, which fails in a cluster that broke.
func (w *World) outcome(err error) error {
	if err != nil || w.cluster == nil {
		return err
	}
	if broken := w.cluster.Failure(); broken != "" {
		return fmt.Errorf("%s: the run itself broke: %s", runners.Stamp(w.cluster.Now()), broken)
	}
	return brokenInvariant(w.cluster)
}

// brokenInvariant is an invariant of a training job that broke, unless the reference breaks it,
// too.
func brokenInvariant(c runners.Cluster) error {
	watched, ok := c.(runners.Invariant)
	if !ok {
		return nil
	}
	for _, b := range watched.Invariants() {
		if b.Known == "" {
			return errors.New(b.String())
		}
	}
	return nil
}

// differ is what a check returns for something that is not as it should be.
func differ(what string, want, got any) error {
	return fmt.Errorf("%s, want %v, got %v", what, want, got)
}
