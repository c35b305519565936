package cputraining

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// heartbeatInterval is how often a chief says that it is there (cpu_training.py:346);
// heartbeatJoins is how many such times stopping waits for at most.
const (
	heartbeatInterval = 30 * time.Second
	heartbeatJoins    = 10
	heartbeatMetric   = "training_heart_beat"
)

// HeartbeatMetrics takes the beats: the second of each, and running or stopped.
type HeartbeatMetrics interface {
	EmitStore(name string, seconds int64, typ string)
	Flush()
}

// Heartbeat has a task say that training goes on (_MetricsHeartBeatThread, cpu_training.py:344).
type Heartbeat struct {
	e       *env.Env
	metrics HeartbeatMetrics
	stopped bool
	ended   *threading.Event
}

// NewHeartbeat makes one that is stopped.
func NewHeartbeat(e *env.Env, metrics HeartbeatMetrics) *Heartbeat {
	return &Heartbeat{e: e, metrics: metrics, stopped: true, ended: threading.NewEvent(e.Tasks, "heartbeat")}
}

// StartOnce is Start of one that was not started yet.
func (h *Heartbeat) StartOnce() {
	if h.stopped {
		h.Start()
	}
}

// Start starts it. The first beat comes after the first interval.
func (h *Heartbeat) Start() {
	h.e.Log.Logf(env.Info, "start MetricsHeartBeat thread")
	h.stopped = false
	h.ended.Clear()
	h.e.Tasks.Go("heartbeat", h.beat)
}

func (h *Heartbeat) beat() {
	for !h.stopped {
		h.e.Tasks.Sleep(heartbeatInterval)
		h.emit("running")
	}
	h.emit("stopped")
	h.ended.Set()
}

func (h *Heartbeat) emit(typ string) {
	h.metrics.EmitStore(heartbeatMetric, h.e.Clock.Now().Unix(), typ)
	h.metrics.Flush()
}

// Stop waits for the next beat, still of a training that runs, and the last one behind it, for
// ten intervals at most. One that was never started is stopped already.
func (h *Heartbeat) Stop() {
	if !h.stopped {
		h.stopped = true
		h.ended.Wait(heartbeatJoins * heartbeatInterval)
	}
	h.e.Log.Logf(env.Info, "MetricsHeartBeat thread stopped")
}
