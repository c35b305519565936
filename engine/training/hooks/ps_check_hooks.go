package hooks

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/ops"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/session"
)

// psCheckPeriod is the time between two checks of the PS's health (ps_check_hooks.py:81).
const psCheckPeriod = 30 * time.Second

// DefaultMemLimitBytes is a machine's memory limit if none is set (logging_ops.py:23).
const DefaultMemLimitBytes = int64(1) << 62

// PSMachineInfoSharedName returns the shared name of the variable that holds a PS's health
// (ps_check_hooks.py:28).
func PSMachineInfoSharedName(index int) string { return fmt.Sprintf("ps_machine_info_%d", index) }

// PSDevice returns the device of a PS (utils.py:43).
func PSDevice(index int) string { return "/job:ps/task:" + strconv.Itoa(index) + "/device:CPU:0" }

// PSMachineInfo returns the variable that holds a PS's health. Its value is a serialized
// MachineHealthResult, which is empty if the PS is healthy.
func PSMachineInfo(index int, device string) *session.Variable {
	return &session.Variable{Name: PSMachineInfoSharedName(index), Device: device, First: []byte{}}
}

// CheckMachineHealth returns a process's health report (logging_ops.cc). The report is empty while
// the process uses less memory than the limit. If the memory is unknown, CheckMachineHealth raises
// an InternalError.
func CheckMachineHealth(rssBytes, limitBytes int64) ([]byte, error) {
	if rssBytes <= 0 {
		return nil, session.Raise("InternalError", "Unable to get the current process usage.")
	}
	if rssBytes < limitBytes {
		return []byte{}, nil
	}
	return proto.Marshal(&ops.MachineHealthResult{
		Status:  ops.MachineHealthResult_OUT_OF_MEMORY.Enum(),
		Message: proto.String(fmt.Sprintf("Memory limit exceeded. Current: %d, Limit: %d", rssBytes, limitBytes)),
	})
}

// PSHealth is the report of an unhealthy PS.
type PSHealth struct {
	Index  int
	Result *ops.MachineHealthResult
}

// PSCheckConfig configures the check (ps_check_hooks.py:43).
type PSCheckConfig struct {
	Barrier *barrierops.BarrierOp
	NumPS   int
	// Device returns the device of a PS. nil means [PSDevice].
	Device func(index int) string
	// Report is called once with the unhealthy PS. nil means [LogPSHealth]. An error ends the check
	// before the barrier is placed.
	Report func(results []PSHealth) error
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set
}

// LogPSHealth logs the unhealthy PS as an error (ps_check_hooks.py:32).
func LogPSHealth(e *env.Env, results []PSHealth) error {
	var lines []string
	for _, r := range results {
		text, err := textpb.MarshalLine(r.Result)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("PS %d: %s", r.Index, text))
	}
	e.Log.Logf(env.Error, "PS are not healthy:\n%s", strings.Join(lines, "\n"))
	return nil
}

// PsHealthCheckerHook checks the health of all PS during training. Only the chief has this hook. It
// reports the first unhealthy PS and stops the workers with the barrier, which only an operator
// removes (ps_check_hooks.py:86).
//
// Cost: a check every 30 s, which reads the reports of all PS at once. Its cost grows with the
// number of PS.
type PsHealthCheckerHook struct {
	session.NoHook
	e      *env.Env
	config PSCheckConfig
	reads  []session.Op
}

// NewPsHealthCheckerHook makes the hook.
func NewPsHealthCheckerHook(e *env.Env, config PSCheckConfig) *PsHealthCheckerHook {
	if config.Device == nil {
		config.Device = PSDevice
	}
	if config.Report == nil {
		config.Report = func(results []PSHealth) error { return LogPSHealth(e, results) }
	}
	return &PsHealthCheckerHook{e: e, config: config}
}

// Begin finds the variables.
func (h *PsHealthCheckerHook) Begin() error {
	h.reads = nil
	for i := range h.config.NumPS {
		h.reads = append(h.reads, session.Read(PSMachineInfo(i, h.config.Device(i))))
	}
	return nil
}

// AfterCreateSession starts the checking task. An error ends only that task, and no further checks
// take place.
func (h *PsHealthCheckerHook) AfterCreateSession(s session.Session, coord *session.Coordinator) error {
	coord.Go("ps-health", func() {
		if err := h.Check(s, coord); err != nil {
			h.e.Log.Logf(env.Error, "Exception in thread ps-health:\n%v", err)
		}
	})
	return nil
}

// Stopper is the part of [session.Coordinator] that the check needs.
type Stopper interface {
	ShouldStop() bool
	WaitForStop(limit time.Duration) bool
}

// Check checks at once and then every 30 s until the coordinator stops or an error occurs
// (ps_check_hooks.py:65). With Q240 repaired it logs an error and continues with the next check.
func (h *PsHealthCheckerHook) Check(s session.Session, coord Stopper) error {
	for !coord.ShouldStop() {
		stopped, err := h.look(s)
		switch {
		case err != nil && h.config.Quirks.Keeps(jobquirks.Q240):
			return err
		case err != nil:
			h.e.Log.Logf(env.Error, "ps-health: %v", err)
		case stopped:
			coord.WaitForStop(-1)
		}
		coord.WaitForStop(psCheckPeriod)
	}
	return nil
}

// look reads the health of all PS in one step. If one is unhealthy, it reports that and places the
// barrier.
func (h *PsHealthCheckerHook) look(s session.Session) (stopped bool, err error) {
	statuses, err := s.Run(h.reads...)
	if err != nil {
		return false, err
	}
	results, err := unhealthy(statuses)
	if err != nil || len(results) == 0 {
		return false, err
	}
	if err := h.config.Report(results); err != nil {
		return false, err
	}
	return true, h.config.Barrier.PlaceBarrier(s, "")
}

// unhealthy returns the non-empty reports. A report that cannot be decoded raises a DecodeError.
func unhealthy(statuses []any) ([]PSHealth, error) {
	var results []PSHealth
	for i, status := range statuses {
		data, _ := status.([]byte)
		if len(data) == 0 {
			continue
		}
		result := &ops.MachineHealthResult{}
		if err := proto.Unmarshal(data, result); err != nil {
			return nil, pysem.Raise("DecodeError", "Error parsing message")
		}
		results = append(results, PSHealth{Index: i, Result: result})
	}
	return results, nil
}
