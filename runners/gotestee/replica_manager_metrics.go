package gotestee

import (
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/gotestee/caseworld"
)

// metricsLog is the metrics service of a case: it writes down what it is told.
type metricsLog struct {
	versions *replicamanager.VersionMetrics
	made     int
	stored   []any
}

// metricsClient is named as the protocol names it: the first is cli, the second
// global.
type metricsClient struct {
	log  *metricsLog
	name string
}

func (l *metricsLog) Client(string) replicamanager.MetricsClient {
	l.made++
	if l.made == 1 {
		return &metricsClient{log: l, name: "cli"}
	}
	return &metricsClient{log: l, name: "global"}
}

func (m *metricsClient) EmitStore(key string, value int64, tags []replicamanager.MetricTag) {
	d := caseworld.Object()
	for _, t := range tags {
		d.Set(t.Key, t.Value)
	}
	m.log.stored = append(m.log.stored, []any{m.name, key, value, d})
}

func (m *metricsClient) Flush() { m.log.stored = append(m.log.stored, []any{m.name, "flush"}) }

// newMetricsLog makes the clients whatever would name their prefix: in the
// protocol they are there from the start.
func (c *call) newMetricsLog(conf *agentconfig.AgentConfig, stub *statusStub) (*metricsLog, error) {
	const prefix = "MONOLITH_METRIC_PREFIX"
	if _, ok := c.Env.Host.LookupEnv(prefix); !ok {
		c.Env.Host.Setenv(prefix, "case")
		defer c.Host.Unsetenv(prefix)
	}
	l := &metricsLog{}
	var err error
	l.versions, err = replicamanager.NewVersionMetrics(c.Env, conf, l, func(string) ([]env.ModelVersionStatus, error) {
		return stub.versions, stub.err
	})
	return l, err
}

// check is the step check_version.
func (l *metricsLog) check(c *call, u *replicamanager.ReplicaUpdater, s caseworld.Step) error {
	if s.Has("metrics") && !s.Flag("metrics") {
		return nil // without clients it returns at once (replica_manager.py:607)
	}
	c.Clock.Fixed = time.Unix(int64(s.IntegerOr("now", caseworld.EpochSec)), 0)
	names, err := u.ModelNames()
	if err != nil {
		return err
	}
	return l.versions.Check(names)
}

func (l *metricsLog) after(_ caseworld.Step, out *pysem.Dict) {
	if len(l.stored) > 0 {
		out.Set("metrics", l.stored)
		l.stored = nil
	}
}

func onlyLooksAtFiles(steps []caseworld.Step) bool {
	for _, s := range steps {
		if s.Name != "latest_version_in_fs" {
			return false
		}
	}
	return len(steps) > 0
}
