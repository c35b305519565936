package runnerutils

import (
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	pb "github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/checkpoints"
)

// Goal: making and using a configuration passes the reference's own tests (runner_utils_test.py).

// process returns a process with an empty command line.
func process(t *testing.T, e *env.Env) Process {
	t.Helper()
	e.Log = envtest.Quiet{}
	p := Process{Env: e, Flags: NewFlags()}
	if _, err := p.Flags.Parse(e.Files, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// made returns a configuration that Init has completed. set may change its defaults before that.
func (p Process) made(t *testing.T, set func(c *RunnerConfig)) *RunnerConfig {
	t.Helper()
	c := Class.New()
	set(&c)
	if err := p.Init(&c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// kinds makes no discovery, but records which kind was asked for.
type kinds struct{ made string }

func (k *kinds) Consul(psm pysem.OptString) (training.ServiceDiscovery, error) {
	k.made = "consul " + psm.String()
	return training.NewTFConfigServiceDiscovery(nil), nil
}

func (k *kinds) MLP() (training.ServiceDiscovery, error) {
	k.made = "mlp"
	return training.NewTFConfigServiceDiscovery(nil), nil
}

func (k *kinds) ZK(name, server pysem.OptString) (training.ServiceDiscovery, error) {
	k.made = "zk " + name.String() + " " + server.String()
	return training.NewTFConfigServiceDiscovery(nil), nil
}

func TestUpstreamRunnerUtils_test_get_discovery_local(t *testing.T) {
	c := process(t, envtest.New(nil, nil)).made(t, func(c *RunnerConfig) { c.IsLocal = true })
	if d, err := GetDiscovery(c, pysem.OptString{}, &kinds{}); d != nil || err != nil {
		t.Errorf("got %v %v, want none", d, err)
	}
}

func TestUpstreamRunnerUtils_test_get_discovery_primus(t *testing.T) {
	c := process(t, envtest.New(nil, nil)).made(t, func(c *RunnerConfig) {
		c.DiscoveryType = training.DiscoveryPrimus
		c.TFConfig = pysem.Some(`{"cluster": {"ps": ["localhost:1111", "localhost:1112"], "worker": ["localhost:1113", "localhost:1114"],
			"chief": ["localhost:1115"]}, "task": {"type": "chief", "index": 0}}`)
	})
	d, err := GetDiscovery(c, pysem.OptString{}, &kinds{})
	if _, ok := d.(*training.TFConfigServiceDiscovery); !ok || err != nil || c.ServerType != "worker" || c.Index != 0 {
		t.Errorf("got %T %v, %s %d, want that of TF_CONFIG, worker 0", d, err, c.ServerType, c.Index)
	}
}

func TestUpstreamRunnerUtils_test_get_discovery_consul(t *testing.T) {
	c := process(t, envtest.New(nil, nil)).made(t, func(c *RunnerConfig) { c.DiscoveryType = training.DiscoveryConsul })
	k := &kinds{}
	if _, err := GetDiscovery(c, pysem.Some("data.monolith.123456"), k); err != nil || k.made != "consul data.monolith.123456" {
		t.Errorf("got %q %v, want consul", k.made, err)
	}
}

func TestUpstreamRunnerUtils_test_get_discovery_zk(t *testing.T) {
	c := process(t, envtest.New(nil, nil)).made(t, func(c *RunnerConfig) {
		c.DiscoveryType, c.ZKServer = training.DiscoveryZK, pysem.Some("127.0.0.1:0")
	})
	k := &kinds{}
	if _, err := GetDiscovery(c, pysem.OptString{}, k); err != nil || k.made != "zk None 127.0.0.1:0" {
		t.Errorf("got %q %v, want zk", k.made, err)
	}
}

func TestUpstreamRunnerUtils_test_copy_ckpt(t *testing.T) {
	e := envtest.New(nil, nil)
	if err := e.Files.MkdirAll("/t/restore_dir"); err != nil {
		t.Fatal(err)
	}
	state := &pb.CheckpointState{ModelCheckpointPath: "model.ckpt-61", AllModelCheckpointPaths: []string{"model.ckpt-61", "model.ckpt-30", "model.ckpt-0"}}
	if err := checkpoints.Write(e.Files, "/t/restore_dir", checkpoints.Filename, state); err != nil {
		t.Fatal(err)
	}
	p := process(t, e)
	restoring := func(c *RunnerConfig) {
		c.RestoreDir, c.ModelDir = pysem.Some("/t/restore_dir"), "/t/model_dir"
	}
	p.made(t, func(c *RunnerConfig) {
		restoring(c)
		c.IsLocal, c.RestoreCkpt = true, pysem.Some("model.ckpt-30")
	})
	got, err := CheckpointStates{Env: e, Flags: p.Flags}.State("/t/model_dir", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"monolith_checkpoint", "restore_ckpt"} {
		if !env.Exists(e.Files, "/t/model_dir/"+file) {
			t.Errorf("%s: got none, want one", file)
		}
	}
	if pysem.Basename(got.ModelCheckpointPath) != "model.ckpt-30" {
		t.Errorf("got %v, want model.ckpt-30", got)
	}
	p.made(t, func(c *RunnerConfig) { // the call returns: the others go on once the chief has finished
		restoring(c)
		c.ServerType, c.Index = "worker", 2
	})
}
