package gotestee

import (
	"time"

	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// shownMetrics is the metrics service of a case: what it is told is shown.
type shownMetrics struct{ c *call }

type shownClient struct {
	c      *call
	prefix string
}

func (m shownMetrics) Client(prefix string) replicamanager.MetricsClient {
	return shownClient{m.c, prefix}
}

func (m shownClient) EmitStore(key string, value int64, tags []replicamanager.MetricTag) {
	d := caseworld.Object()
	for _, t := range tags {
		d.Set(t.Key, t.Value)
	}
	m.c.Metric(m.prefix, "emit_store", key, value, d)
}

func (m shownClient) Flush() { m.c.Metric(m.prefix, "flush") }

// takeMetrics has an updater send its metrics to the case, if it sends any.
func (c *call) takeMetrics(u *replicamanager.ReplicaUpdater) {
	if u.HasMetrics() {
		_ = u.SendMetrics(shownMetrics{c}) // it has found a prefix already
	}
}

// checkVersions is the step check_version.
func (c *call) checkVersions(u *replicamanager.ReplicaUpdater, s caseworld.Step) error {
	if s.Has("metrics") && !s.Flag("metrics") {
		return nil // without clients it returns at once (replica_manager.py:618)
	}
	c.Clock.Fixed = time.Unix(int64(s.IntegerOr("now", caseworld.EpochSec)), 0)
	return u.CheckVersions()
}

func onlyLooksAtFiles(steps []caseworld.Step) bool {
	for _, s := range steps {
		if s.Name != "latest_version_in_fs" {
			return false
		}
	}
	return len(steps) > 0
}
