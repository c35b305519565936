package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show further quirks of agent v1 (agent_base.py and agent_v1.py), with the helpers of
// agent_v1_test.go.

func TestQ8_ARelativeLogIsOpenedBelowTFSHome(t *testing.T) {
	lab := startV1Logging(t, "logs/tfs.std.log", v1Ports, nil, "deploy_type", "ps")
	lab.Write(map[string]string{worldtest.Dir + "/logs/.keep": "", tfsHome + "/bin/logs/.keep": ""})
	var outputs []string
	lab.Machine.Procs.OnStart(func(p *processes.Process) {
		if p != lab.agent {
			outputs = append(outputs, p.Output())
		}
	})
	lab.Pass(time.Minute)
	if diff := cmp.Diff([]string{tfsHome + "/bin/logs/ps_tfs.std.log"}, outputs); diff != "" {
		t.Errorf("logs (-want +got), agent's error %v:\n%s", lab.err, diff)
	}
}

func TestQ8_WithoutTheDirectoryBelowTFSHomeNothingStarts(t *testing.T) {
	lab := startV1Logging(t, "logs/tfs.std.log", v1Ports, nil, "deploy_type", "ps")
	lab.Write(map[string]string{worldtest.Dir + "/logs/.keep": ""})
	lab.Pass(time.Minute)
	lab.want("0 start agent", "0 end agent 1")
	if lab.err == nil {
		t.Error("got no error of the agent, want a log that is not there")
	}
}

func TestQ11_AnEntryWaitsForAnHourWhateverMaxWaitingSecSays(t *testing.T) {
	lab := startV1(t, nil, "deploy_type", "mixed", "max_waiting_sec", 600)
	lab.stub.Versions[0].State = env.StateLoading
	lab.Pass(3500 * time.Second)
	lab.want("0 start agent", "0 start ps")
	lab.Pass(2 * time.Hour)
	lab.want("0 start agent", "0 start ps", "3600 end ps -9", "3601 end agent -9")
}

// Goal: a signal while the main thread kills the processes makes the agent hang for ever. The
// handler has interrupted the main thread, and waits for a thread that needs the main thread's
// lock.
func TestQ14_ASignalWhileTheMainThreadKillsEverythingIsADeadlock(t *testing.T) {
	lab := startV1(t, map[string]serverPlan{"ps": {opens: never}}, "deploy_type", "ps")
	lab.Pass(3610500 * time.Millisecond)
	lab.want("0 start agent", "0 start ps", "3610 end ps -9")
	if err := lab.agent.Signal(env.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lab.Pass(24 * time.Hour)
	lab.want("0 start agent", "0 start ps", "3610 end ps -9")
}

// Goal: a signal does not prevent the agent's end if another thread kills the processes, because a
// signal interrupts only the main thread.
func TestQ14_ASignalWhileAnotherThreadKillsEverythingWaitsUntilThatIsOver(t *testing.T) {
	lab := startV1(t, map[string]serverPlan{"ps": {ends: 99500 * time.Millisecond}}, "deploy_type", "mixed")
	lab.Pass(100500 * time.Millisecond)
	lab.events = nil
	if err := lab.agent.Signal(env.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lab.Pass(time.Hour)
	lab.want("101 end agent -9")
}
