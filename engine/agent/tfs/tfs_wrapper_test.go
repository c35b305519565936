package tfs_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of the wrapper (tfs_wrapper.py) that no recorded case shows.

func TestQ149_WithoutABinaryAProgramCalledNoneIsStartedInArchonMode(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		w := tfs.NewTFSWrapper(c.Env, agenttest.Config(c.T, c.Env, "bzid", "b", "deploy_type", "unified", "agent_version", 3), "/m.cfg", "/log")
		if grpc, err := w.IsGRPCRemoteOp(); grpc || err != nil {
			t.Errorf("gRPC: got %v, %v, want archon", grpc, err)
		}
		if program, _, _ := strings.Cut(w.Command(), " "); program != "None" {
			t.Errorf("program: got %q, want None", program)
		}
		if err := w.Start(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("start: got %v, want a file that is not there", err)
		}
	})
}

func TestQ150_StoppingTheWrapperBeforeItsStartIsAnAttributeError(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		w := tfs.NewTFSWrapper(c.Env, agenttest.Config(c.T, c.Env, "bzid", "b", "deploy_type", "unified", "agent_version", 3), "/m.cfg", "/log")
		if err := w.Stop(); pysem.TypeOf(err) != "AttributeError" {
			t.Errorf("stop: got %v, want AttributeError", err)
		}
	})
}

// Goal: the model server starts in its agent's directory. The reference first changes into the
// directory of its own code (find_main).
func TestQ218_TheModelServerStaysInTheDirectoryOfItsAgent(t *testing.T) {
	worldtest.Run(t, map[string]string{"MONOLITH_TFS_BINARY": worldtest.Dir + "/server"}, func(c *worldtest.Case) {
		c.Write(map[string]string{worldtest.Dir + "/server": "a model server"})
		var dirs []string
		c.Machine.Procs.Register("server", func(*processes.Process) {})
		c.Machine.Procs.OnStart(func(p *processes.Process) { dirs = append(dirs, p.Dir()) })
		w := tfs.NewTFSWrapper(c.Env, agenttest.Config(c.T, c.Env, "bzid", "b", "deploy_type", "unified", "agent_version", 3), "/m.cfg", worldtest.Dir+"/log")
		c.Must(w.Start())
		c.Env.Tasks.Sleep(time.Second)
		if diff := cmp.Diff([]string{worldtest.Dir}, dirs); diff != "" {
			t.Errorf("directories of started programs (-want +got):\n%s", diff)
		}
	})
}
