package job

import (
	"time"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/util"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/summaries"
)

// eventsHook writes the chief's file of events, as TensorFlow's hooks do: the rate of its steps
// (StepCounterHook, basic_session_run_hooks.py of TensorFlow 2.4), and each checkpoint.
type eventsHook struct {
	session.NoHook
	p    *process
	file *summaries.FileWriter
	// step is the global step at the last look, and at is its time, zero before the first.
	step int64
	at   time.Time
}

// eventSteps is after how many steps their rate is written (RunConfig.log_step_count_steps).
const eventSteps = 100

func newEventsHook(p *process) (*eventsHook, error) {
	file, err := summaries.NewFileWriter(p.e, p.Spec.ModelDir)
	if err != nil {
		return nil, err
	}
	p.events = &eventsHook{p: p, file: file}
	return p.events, nil
}

// AfterRun writes the rate of the steps since the last look.
func (h *eventsHook) AfterRun(*session.RunContext, []any) error {
	now, step := h.p.e.Clock.Now(), h.p.step
	if h.at.IsZero() {
		h.step, h.at = step, now
		return nil
	}
	if step < h.step+eventSteps {
		return nil
	}
	rate := float64(step-h.step) / now.Sub(h.at).Seconds()
	h.step, h.at = step, now
	summary := &framework.Summary{Value: []*framework.Summary_Value{{Tag: "global_step/sec", Value: &framework.Summary_Value_SimpleValue{SimpleValue: float32(rate)}}}}
	if err := h.file.AddSummary(summary, step); err != nil {
		return err
	}
	return h.file.Flush()
}

// saved writes that a checkpoint was saved, the last one at the session's end.
func (h *eventsHook) saved(path string, step int64) error {
	log := &util.SessionLog{Status: util.SessionLog_CHECKPOINT, CheckpointPath: path}
	if err := h.file.Add(&util.Event{WallTime: float64(h.p.e.Clock.Now().UnixMicro()) / 1e6, Step: step, What: &util.Event_SessionLog{SessionLog: log}}); err != nil {
		return err
	}
	return h.file.Flush()
}
