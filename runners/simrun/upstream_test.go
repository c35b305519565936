package simrun_test

import (
	"testing"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Files upstream_<module>_test.go have the reference's own tests of a module, one by
// one and under their names, on the clients that they use.

// inFakeWorld runs fn in a process of its own on a host with these variables.
func inFakeWorld(t *testing.T, vars map[string]any, fn func(c *parityCase)) {
	t.Helper()
	environ := &pysem.Dict{}
	for k, v := range vars {
		environ.Set(k, v)
	}
	c := newParityCase(t, object("env", environ, "in", object()))
	c.inProcess(func(e *env.Env) {
		c.env = e
		fn(c)
	})
}

// configOf makes a configuration from pairs of names and values.
func (c *parityCase) configOf(pairs ...any) *agent.AgentConfig {
	c.t.Helper()
	c.in.Set("config", object(pairs...))
	conf, err := c.config()
	c.must(err)
	return conf
}

// must ends the test on an error. It is called in the engine's coroutine, where
// FailNow unwinds as it should.
func (c *parityCase) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// startedZK is a fake client with an empty tree.
func (c *parityCase) startedZK() *recordingZK {
	zk := newRecordingZK(c.env)
	c.must(zk.Start(0))
	return zk
}

func (c *parityCase) create(zk env.ZooKeeper, path string, data []byte) {
	c.t.Helper()
	_, err := zk.Create(path, data, env.CreateOptions{MakePath: true})
	c.must(err)
}
