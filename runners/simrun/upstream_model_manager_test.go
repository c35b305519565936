package simrun_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// model_manager_test.py sets the pause of the manager to 5 s; here it is its own of
// 30 s, for time costs nothing.

const (
	p2pPath     = caseDir + "/p2p"
	receivePath = caseDir + "/model_data"
)

// transfer puts a complete version into the source path.
func (c *parityCase) transfer(version string) {
	c.t.Helper()
	source := p2pPath + "/test_model@" + version
	for _, sub := range []string{"ps_item_embedding_0", "ps_item_embedding_1"} {
		c.must(c.env.Files.MkdirAll(source + "/test_model/" + sub + "/" + version))
	}
	c.must(c.env.Files.WriteFile(source+".write.done", nil))
}

// received wants both sub-models of a version to be there, or neither.
func (c *parityCase) received(version string, want bool) {
	c.t.Helper()
	for _, sub := range []string{"ps_item_embedding_0", "ps_item_embedding_1"} {
		path := receivePath + "/test_model/" + sub + "/" + version
		if got := env.Exists(c.env.Files, path); got != want {
			c.t.Errorf("%s exists: got %t, want %t", path, got, want)
		}
	}
}

// startManager starts a manager of test_model, to which version 1234567 came before.
func (c *parityCase) startManager() *agent.ModelManager {
	c.t.Helper()
	c.transfer("1234567")
	m := agent.NewModelManager(c.env, agent.ModelManagerOptions{
		ModelName: pysem.Some("test_model"), SourcePath: pysem.Some(p2pPath), ReceivePath: pysem.Some(receivePath),
	})
	m.SetWaitTimeout(5)
	if !m.Start() {
		c.t.Fatal("the manager does not start")
	}
	return m
}

func TestUpstreamModelManager_test_start(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		m := c.startManager()
		c.received("1234567", true)
		m.Stop()
	})
}

// That the old version is not copied says something only if the manager looked: so a
// newer one comes after it, and that is copied.
func TestUpstreamModelManager_test_ignore_old(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		m := c.startManager()
		c.transfer("1234566")
		c.env.Tasks.Sleep(time.Minute)
		c.received("1234566", false)
		c.transfer("1234568")
		c.env.Tasks.Sleep(time.Minute)
		c.received("1234568", true)
		c.received("1234566", false)
		m.Stop()
	})
}

// The tests of the reference never stop a manager in the middle of its pause.
func TestQ108_StoppingTheManagerWaitsForItsPause(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		m := c.startManager()
		c.env.Tasks.Sleep(time.Second)
		from := c.env.Clock.Elapsed()
		m.Stop()
		if waited := c.env.Clock.Elapsed() - from; waited < 28*time.Second || waited > 30*time.Second {
			t.Errorf("stopping took %s, want what is left of 30s", waited)
		}
	})
}
