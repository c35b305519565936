package simrun_test

import (
	"strings"
	"testing"
	"time"
)

// A rough sort model without a path to receive it cannot be copied: the model
// manager fails, and the agent kills itself before it has started anything (Q7,
// Q101).
func TestQ7_AModelManagerThatCannotStartEndsTheAgent(t *testing.T) {
	spec := v1Spec()
	spec.Conf += "rough_sort_model_name rough\nrough_sort_model_loaded_server none\n"
	c := build(t, spec)
	do(t, c.Start())
	pass(t, c, time.Minute)
	state, err := c.PodState("shard0-replica0")
	do(t, err)
	if state.Running || state.ExitCode != -9 {
		t.Errorf("pod: got running %t and exit code %d, want an end with -9", state.Running, state.ExitCode)
	}
	for _, o := range c.Log() {
		if o.Op == "process.start" && strings.Contains(o.Path, "tensorflow_model_server") {
			t.Errorf("a model server was started: %+v", o)
		}
	}
}
