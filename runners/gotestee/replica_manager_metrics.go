package gotestee

import (
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// metricsLog is the metrics service of a case: it writes down what it is told.
type metricsLog struct {
	versions *agent.VersionMetrics
	made     int
	stored   []any
}

// metricsClient is named as the protocol names it: the first is cli, the second
// global.
type metricsClient struct {
	log  *metricsLog
	name string
}

func (l *metricsLog) Client(string) agent.MetricsClient {
	l.made++
	if l.made == 1 {
		return &metricsClient{log: l, name: "cli"}
	}
	return &metricsClient{log: l, name: "global"}
}

func (m *metricsClient) EmitStore(key string, value int64, tags []agent.MetricTag) {
	d := object()
	for _, t := range tags {
		d.Set(t.Key, t.Value)
	}
	m.log.stored = append(m.log.stored, []any{m.name, key, value, d})
}

func (m *metricsClient) Flush() { m.log.stored = append(m.log.stored, []any{m.name, "flush"}) }

// newMetricsLog makes the clients whatever would name their prefix: in the
// protocol they are there from the start.
func (c *call) newMetricsLog(conf *agent.AgentConfig, stub *statusStub) (*metricsLog, error) {
	const prefix = "MONOLITH_METRIC_PREFIX"
	if _, ok := c.env.Host.LookupEnv(prefix); !ok {
		c.env.Host.Setenv(prefix, "case")
		defer c.host.unsetenv(prefix)
	}
	l := &metricsLog{}
	var err error
	l.versions, err = agent.NewVersionMetrics(c.env, conf, l, func(string) ([]env.ModelVersionStatus, error) {
		return stub.versions, stub.err
	})
	return l, err
}

// check is the step check_version.
func (l *metricsLog) check(c *call, u *agent.ReplicaUpdater, s step) error {
	if s.has("metrics") && !s.flag("metrics") {
		return nil // without clients it returns at once (replica_manager.py:607)
	}
	c.clock.fixed = time.Unix(int64(s.integerOr("now", epochSec)), 0)
	names, err := u.ModelNames()
	if err != nil {
		return err
	}
	return l.versions.Check(names)
}

func (l *metricsLog) after(_ step, out *pysem.Dict) {
	if len(l.stored) > 0 {
		out.Set("metrics", l.stored)
		l.stored = nil
	}
}

func onlyLooksAtFiles(steps []step) bool {
	for _, s := range steps {
		if s.name != "latest_version_in_fs" {
			return false
		}
	}
	return len(steps) > 0
}
