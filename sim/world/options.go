package world

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/history"
)

// Options holds what a simulated cluster needs beyond its spec. With the zero value the pods have
// no agents, and nothing is recorded.
type Options struct {
	// Agent is the program of the agents. It is the main function of an agent's process, which ends
	// when Agent returns. confPath is the path of a file with the content of Spec.Conf.
	Agent func(e *env.Env, confPath string)
	// Trainer is the program of the training job's processes. It returns the exit code.
	Trainer func(e *env.Env, t *Trainer) int
	// Observe, if set, is called for every event of the cluster as it happens. It must not call the
	// world.
	Observe func(cluster.Observation)
	// Logs, if set, receives the log lines of the pods' processes.
	Logs *hosts.Logs
	// Traffic makes ZooKeeper count its requests by pod, operation and path.
	Traffic bool
	// History, if set, records ZooKeeper's writes and what its clients see. Recorded clients do not
	// leap.
	History *history.History
	// CheckOwner checks every wait of every task for correct use, which makes runs slower
	// (vtime.Config.CheckOwner).
	CheckOwner bool
	// Coroutines, when set, keeps the engine's coroutines for reuse by the next world
	// (vtime.Config.Coroutines).
	Coroutines *vtime.Coroutines
}

// engineConfig returns the configuration of virtual time for a spec.
func engineConfig(spec cluster.Spec, o Options) vtime.Config {
	cfg := vtime.Config{
		Seed: spec.Seed, Replay: spec.Replay, CheckOwner: o.CheckOwner, NoLeaps: spec.NoLeaps, Coroutines: o.Coroutines,
		Trace: vtime.TraceConfig{Record: spec.Record, From: spec.RecordFrom, To: spec.RecordTo, Origins: spec.Detail},
	}
	if mode := tapeModes[spec.Chance]; len(spec.Choices) > 0 || mode != vtime.TapeOverlay {
		cfg.Tape = vtime.NewTape(mode, spec.Choices...)
	}
	return cfg
}

// tapeModes maps each Spec.Chance to the mode of the tape.
var tapeModes = [...]vtime.TapeMode{cluster.ChanceDrawn: vtime.TapeOverlay, cluster.ChanceRecorded: vtime.TapeRecord, cluster.ChanceNone: vtime.TapeReplay}

// CheckProfiles returns an error if the spec names an unknown profile or Python version.
func CheckProfiles(spec cluster.Spec) error {
	if _, err := PythonMinor(spec.Python); err != nil {
		return err
	}
	if _, _, err := zooKeeperProfile(spec.ZooKeeper); err != nil {
		return err
	}
	_, err := modelServerProfile(spec.ModelServer)
	return err
}

// These are the oldest and newest minor versions of Python 3 that are supported.
const oldestPython, newestPython = 8, 13

// PythonMinor returns the minor version of a version such as "3.8"; "" means the default. The
// error lists the supported versions.
func PythonMinor(version string) (int, error) {
	if version == "" {
		return env.DefaultPythonMinor, nil
	}
	minor, ok := strings.CutPrefix(version, "3.")
	n, err := strconv.Atoi(minor)
	if !ok || err != nil || n < oldestPython || n > newestPython {
		return 0, fmt.Errorf("python: found %q, want 3.%d to 3.%d", version, oldestPython, newestPython)
	}
	return n, nil
}

// fakeZooKeeper is the profile without a ZooKeeper server. Each process has its own tree of znodes.
const fakeZooKeeper = "kazoo-fake"

// zooKeeperProfile returns the ZooKeeper configuration for a profile's name. fake means that the
// profile has no server.
func zooKeeperProfile(name string) (cfg zookeeper.Config, fake bool, err error) {
	switch name {
	case "", "zookeeper-3.8":
		return zookeeper.Config{Profile: zookeeper.V38}, false, nil
	case "zookeeper-3.9":
		return zookeeper.Config{Profile: zookeeper.V39}, false, nil
	case fakeZooKeeper:
		return zookeeper.Config{}, true, nil
	}
	return zookeeper.Config{}, false, fmt.Errorf("zookeeper profile: found %q, want zookeeper-3.8, zookeeper-3.9 or kazoo-fake", name)
}

// modelServerProfile returns the profile with a name; "" means tfs-2.4.
func modelServerProfile(name string) (tfserving.Profile, error) {
	if name == "" {
		return tfserving.Profile24, nil
	}
	return tfserving.ParseProfile(name)
}

// serving applies the spec's settings for model servers to o.
func serving(o *tfserving.Options, s cluster.ServingSpec) {
	if s.RetainedPercent != nil {
		o.Cost.RetainedPercent = float64(*s.RetainedPercent)
	}
	if s.PredictTime > 0 {
		o.Cost.PredictTime = s.PredictTime
	}
	if s.LoadTime > 0 {
		o.Cost.LoadTime = s.LoadTime
	}
	if s.LoadBytesPerSecond > 0 {
		o.Cost.LoadBytesPerSecond = s.LoadBytesPerSecond
	}
	if s.RAMPerDiskByte > 0 {
		o.Cost.RAMPerDiskByte = s.RAMPerDiskByte
	}
	o.MemoryLimitBytes, o.FakeBugs, o.FakeSwitches = s.MemoryLimitBytes, s.FakeBugs, s.FakeSwitches
}
