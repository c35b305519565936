package cputraining

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// heartbeatInterval is the time between two of a chief's beats (cpu_training.py:346). Stop waits
// for at most heartbeatJoins intervals.
const (
	heartbeatInterval = 30 * time.Second
	heartbeatJoins    = 10
	heartbeatMetric   = "training_heart_beat"
)

// HeartbeatMetrics receives the beats. Each has its time in seconds and tells whether training is
// running or stopped.
type HeartbeatMetrics interface {
	EmitStore(name string, seconds int64, typ string)
	Flush()
}

// Heartbeat is a task that reports regularly that training is running (_MetricsHeartBeatThread,
// cpu_training.py:344).
type Heartbeat struct {
	e       *env.Env
	metrics HeartbeatMetrics
	stopped bool
	ended   *threading.Event
}

// NewHeartbeat returns a heartbeat that is not yet started.
func NewHeartbeat(e *env.Env, metrics HeartbeatMetrics) *Heartbeat {
	return &Heartbeat{e: e, metrics: metrics, stopped: true, ended: threading.NewEvent(e.Tasks, "heartbeat")}
}

// Start starts the heartbeat. The first beat comes after one interval.
func (h *Heartbeat) Start() {
	h.e.Log.Logf(env.Info, "start MetricsHeartBeat thread")
	h.stopped = false
	h.ended.Clear()
	threading.Start(h.e.Tasks, "heartbeat", h.beat)
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

// Stop waits for the next beat, which still reports running training, and for the final beat after
// it, but for at most ten intervals. It returns at once if the heartbeat was never started.
func (h *Heartbeat) Stop() {
	if !h.stopped {
		h.stopped = true
		h.ended.Wait(heartbeatJoins * heartbeatInterval)
	}
	h.e.Log.Logf(env.Info, "MetricsHeartBeat thread stopped")
}
