package programs_test

import (
	"testing"

	"github.com/monosim/monosim/engine/agent/programs"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: run.py starts the program that --bin_name names, by default the agent, and knows the flags
// of all programs.
func TestRunEntersTheProgramThatItIsTold(t *testing.T) {
	inWorld(t, func(c *worldtest.Case, _ *worldtest.ZooKeeper) {
		for _, test := range []struct {
			argv []string
			want string
		}{
			{[]string{"--tfs_log=/l"}, programs.Agent},
			{[]string{"--bin_name=tfs_client", "--batch_size=3"}, programs.TFSClient},
			{[]string{"--bin_name=agent_client", "--task=1"}, programs.AgentClient},
		} {
			var entered string
			ended := programs.Run(c.Env, programs.Dispatcher, test.argv, programs.Options{Instead: func(name string) bool { entered = name; return true }})
			if entered != test.want || ended.Exit != 0 {
				t.Errorf("%q: entered %q with exit status %d, %v, want %q and 0", test.argv, entered, ended.Exit, ended.Err, test.want)
			}
		}
		// run.py passes on the exception of the program that it starts.
		failed := programs.Run(c.Env, programs.Dispatcher, []string{"--bin_name=agent_client", "--conf=nope"}, programs.Options{})
		if pysem.TypeOf(failed.Err) != "AssertionError" || failed.Exit != 1 {
			t.Errorf("a conf that is not there: got %d, %v, want 1 and an AssertionError", failed.Exit, failed.Err)
		}
	})
}
