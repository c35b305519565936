// Package localcluster is a training cluster in one process: parameter servers, workers, and a
// barrier for each step (TRN-4.1). It has no counterpart in Python. It behaves like the Rust
// port's crates/monolith-training/src/distributed.rs.
//
// Two things to use first:
//
//   - [New] makes a cluster; [LocalCluster.Start] starts it.
//   - [LocalCluster.TrainStep] runs a worker's step; [LocalCluster.WaitForBarrier] then waits for
//     the others.
//
// A worker that never reaches a step blocks all others at that step. A worker whose wait has timed
// out still counts as arrived. To change how a barrier is released: barrier.go.
//
// Cost: the time of a step grows with its gradients; a barrier stores one number for each released
// step, until the cluster stops.
//
// Unstable: any commit may change it.
package localcluster

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Kind is the kind of an error.
type Kind int

// These are the kinds of errors. Each trailing comment is the kind's text or its beginning.
const (
	ConnectionFailed     Kind = iota // "Connection failed: "
	CommunicationError               // "Communication error: "
	ParameterNotFound                // "Parameter not found: "
	InvalidConfiguration             // "Invalid cluster configuration: "
	BarrierTimeout                   // "Barrier timeout at epoch … after … ms"
)

// Error is an error of a cluster, with the Rust port's text.
type Error struct {
	Kind Kind
	Text string
	// Epoch and Timeout are set for a BarrierTimeout.
	Epoch   uint64
	Timeout time.Duration
}

// Error returns the reference's text.
func (e *Error) Error() string {
	switch e.Kind {
	case ConnectionFailed:
		return "Connection failed: " + e.Text
	case CommunicationError:
		return "Communication error: " + e.Text
	case ParameterNotFound:
		return "Parameter not found: " + e.Text
	case InvalidConfiguration:
		return "Invalid cluster configuration: " + e.Text
	}
	return fmt.Sprintf("Barrier timeout at epoch %d after %d ms", e.Epoch, e.Timeout.Milliseconds())
}

func fail(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Config describes a cluster's processes, and which of them this process is.
type Config struct {
	PSAddrs, WorkerAddrs []string
	TaskIndex            int
	IsPS                 bool
}

// Validate returns an InvalidConfiguration if this process cannot belong to the cluster.
func (c Config) Validate() error {
	own := c.WorkerAddrs
	if c.IsPS {
		own = c.PSAddrs
	}
	switch {
	case len(c.PSAddrs) == 0:
		return fail(InvalidConfiguration, "At least one parameter server is required")
	case len(c.WorkerAddrs) == 0:
		return fail(InvalidConfiguration, "At least one worker is required")
	case c.TaskIndex >= len(own):
		return fail(InvalidConfiguration, "Task index %d is out of range (max: %d)", c.TaskIndex, len(own)-1)
	}
	return nil
}

// parameter is a value and the number of times it was set.
type parameter struct {
	values  []float32
	version uint64
}

// parameterServer holds part of the parameters. It answers even while the cluster is stopped.
type parameterServer struct {
	parameters map[string]*parameter
}

func (p *parameterServer) set(name string, values []float32) {
	version := uint64(1)
	if old, ok := p.parameters[name]; ok {
		version = old.version + 1
	}
	p.parameters[name] = &parameter{slices.Clone(values), version}
}

// apply subtracts rate times the gradient from a parameter and returns the new values.
func (p *parameterServer) apply(name string, gradient []float32, rate float32) ([]float32, error) {
	v, ok := p.parameters[name]
	if !ok {
		return nil, fail(ParameterNotFound, "%s", name)
	}
	if len(v.values) != len(gradient) {
		return nil, fail(CommunicationError, "Gradient size mismatch: expected %d, got %d", len(v.values), len(gradient))
	}
	for i, g := range gradient {
		v.values[i] -= rate * g
	}
	v.version++
	return slices.Clone(v.values), nil
}

type worker struct {
	running bool
	step    uint64
}

func (w *worker) mustRun() error {
	if !w.running {
		return fail(CommunicationError, "Worker is not running")
	}
	return nil
}

// LocalCluster is a training cluster in one process.
type LocalCluster struct {
	e       *env.Env
	rate    float32
	servers []*parameterServer
	workers []*worker
	barrier barrier
}

// New makes a stopped cluster. rate is the learning rate.
func New(e *env.Env, c Config, rate float32) (*LocalCluster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &LocalCluster{e: e, rate: rate, barrier: newBarrier()}
	for range c.PSAddrs {
		l.servers = append(l.servers, &parameterServer{parameters: map[string]*parameter{}})
	}
	for range c.WorkerAddrs {
		l.workers = append(l.workers, &worker{})
	}
	return l, nil
}

// Start starts all workers.
func (l *LocalCluster) Start() { l.setRunning(true) }

// Stop stops all workers and forgets the waits at barriers. It keeps steps and parameters.
func (l *LocalCluster) Stop() {
	l.setRunning(false)
	l.barrier = newBarrier()
}

func (l *LocalCluster) setRunning(running bool) {
	for _, w := range l.workers {
		w.running = running
	}
}

// PSIndex returns which of n parameter servers holds a parameter, by a hash of its name.
func PSIndex(name string, n int) int {
	if n == 0 {
		return 0
	}
	h := uint64(0)
	for _, b := range []byte(name) {
		h = h*31 + uint64(b)
	}
	return int(h % uint64(n))
}

// RegisterParameter sets a parameter's values and returns the index of the server that holds it.
// The cluster need not run.
func (l *LocalCluster) RegisterParameter(name string, values []float32) (server int) {
	server = PSIndex(name, len(l.servers))
	l.servers[server].set(name, values)
	return server
}

// Parameter returns a parameter's values, and its version, which counts how often it was set. ok is
// false if the parameter is not registered.
func (l *LocalCluster) Parameter(name string) (values []float32, version uint64, ok bool) {
	p, ok := l.servers[PSIndex(name, len(l.servers))].parameters[name]
	if !ok {
		return nil, 0, false
	}
	return slices.Clone(p.values), p.version, true
}

func (l *LocalCluster) worker(index int) (*worker, error) {
	if index < 0 || index >= len(l.workers) {
		return nil, fail(InvalidConfiguration, "Worker index %d out of range", index)
	}
	w := l.workers[index]
	return w, w.mustRun()
}

// TrainStep counts a step of a worker and applies its gradients in the order of their names. It
// returns the new values of the parameters. It stops at the first error, and the gradients applied
// before the error stay applied.
func (l *LocalCluster) TrainStep(index int, gradients map[string][]float32) (map[string][]float32, error) {
	w, err := l.worker(index)
	if err != nil {
		return nil, err
	}
	w.step++
	updated := map[string][]float32{}
	for _, name := range slices.Sorted(maps.Keys(gradients)) {
		values, err := l.servers[PSIndex(name, len(l.servers))].apply(name, gradients[name], l.rate)
		if err != nil {
			return nil, err
		}
		updated[name] = values
	}
	return updated, nil
}

// Step returns the number of steps that a worker has made.
func (l *LocalCluster) Step(index int) uint64 { return l.workers[index].step }
