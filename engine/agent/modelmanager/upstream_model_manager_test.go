package modelmanager_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent/modelmanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// The reference's model_manager_test.py sets the manager's interval to 5 s. Here it keeps its own
// 30 s, because virtual time costs nothing.

const (
	p2pPath     = worldtest.Dir + "/p2p"
	receivePath = worldtest.Dir + "/model_data"
)

// transfer writes a complete version into the source path, as the transfer service does.
func transfer(c *worldtest.Case, version string) {
	c.T.Helper()
	source := p2pPath + "/test_model@" + version
	for _, sub := range []string{"ps_item_embedding_0", "ps_item_embedding_1"} {
		c.Must(c.Env.Files.MkdirAll(source + "/test_model/" + sub + "/" + version))
	}
	c.Must(c.Env.Files.WriteFile(source+".write.done", nil))
}

// received checks that both sub-models of a version are in the receiving path, or that neither is.
func received(c *worldtest.Case, version string, want bool) {
	c.T.Helper()
	for _, sub := range []string{"ps_item_embedding_0", "ps_item_embedding_1"} {
		path := receivePath + "/test_model/" + sub + "/" + version
		if got := env.Exists(c.Env.Files, path); got != want {
			c.T.Errorf("%s exists: got %t, want %t", path, got, want)
		}
	}
}

// startManager starts a manager for test_model. Version 1234567 is in the source before that.
func startManager(c *worldtest.Case) *modelmanager.ModelManager {
	c.T.Helper()
	transfer(c, "1234567")
	m := modelmanager.NewModelManager(c.Env, modelmanager.ModelManagerOptions{
		ModelName: pysem.Some("test_model"), SourcePath: pysem.Some(p2pPath), ReceivePath: pysem.Some(receivePath),
	})
	m.SetWaitTimeout(5)
	if !m.Start() {
		c.T.Fatal("the manager does not start")
	}
	return m
}

func TestUpstreamModelManager_test_start(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		m := startManager(c)
		received(c, "1234567", true)
		m.Stop()
	})
}

// Goal: an older version is not copied. To show that the manager has looked at all, a newer version
// comes after it, and that is copied.
func TestUpstreamModelManager_test_ignore_old(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		m := startManager(c)
		transfer(c, "1234566")
		c.Env.Tasks.Sleep(time.Minute)
		received(c, "1234566", false)
		transfer(c, "1234568")
		c.Env.Tasks.Sleep(time.Minute)
		received(c, "1234568", true)
		received(c, "1234566", false)
		m.Stop()
	})
}

// Goal: Stop waits until the manager's pause is over. No test of the reference stops a manager
// during its pause.
func TestQ108_StoppingTheManagerWaitsForItsPause(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		m := startManager(c)
		c.Env.Tasks.Sleep(time.Second)
		from := c.Env.Clock.Elapsed()
		m.Stop()
		if waited := c.Env.Clock.Elapsed() - from; waited < 28*time.Second || waited > 30*time.Second {
			t.Errorf("stopping took %s, want what is left of 30s", waited)
		}
	})
}
