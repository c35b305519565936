package simrun_test

import (
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// What the replica manager has for parameter synchronisation and for metrics.

func init() {
	whole := operations["replica_manager.ReplicaUpdater.sequence"]
	operations["replica_manager.ReplicaUpdater.sequence"] = func(c *parityCase) (any, error) {
		switch item(c.in, "steps").([]any)[0].([]any)[0] {
		case "check_version":
			return c.metricsSequence()
		case "latest_version_in_fs":
			return c.latestVersions()
		}
		return whole(c)
	}
}

func targetPairs(targets []agent.SyncTarget) []any {
	list := []any{}
	for _, t := range targets {
		list = append(list, []any{t.Addr.Any(), encodeValue(t.Info)})
	}
	return list
}

// metricsLog writes down what is stored, under the name of the client in order
// of making.
type metricsLog struct {
	names  []string
	stored []any
}

func (l *metricsLog) Client(string) agent.MetricsClient {
	name := l.names[0]
	l.names = l.names[1:]
	return &loggedMetrics{l, name}
}

type loggedMetrics struct {
	log  *metricsLog
	name string
}

func (m *loggedMetrics) EmitStore(key string, value int64, tags []agent.MetricTag) {
	d := object()
	for _, t := range tags {
		d.Set(t.Key, t.Value)
	}
	m.log.stored = append(m.log.stored, []any{m.name, key, int(value), d})
}

func (m *loggedMetrics) Flush() { m.log.stored = append(m.log.stored, []any{m.name, "flush"}) }

// caseClock shows the time of a step.
type caseClock struct {
	env.Clock
	nowSec int
}

func (c *caseClock) Now() time.Time { return time.Unix(int64(c.nowSec), 0) }

// updater makes an updater on a client that is not used.
func (c *parityCase) updater() (*agent.ReplicaUpdater, *agent.AgentConfig, error) {
	conf, err := c.config()
	if err != nil {
		return nil, nil, err
	}
	u, err := agent.NewReplicaUpdater(c.env, newRecordingZK(c.env), conf)
	return u, conf, err
}

// metricsSequence is check_version of section 9 of the protocol.
func (c *parityCase) metricsSequence() (any, error) {
	clock := &caseClock{Clock: c.env.Clock}
	c.env.Clock = clock
	u, conf, err := c.updater()
	if err != nil {
		return nil, err
	}
	stub, log := &statusStub{}, &metricsLog{names: []string{"cli", "global"}}
	versions, err := agent.NewVersionMetrics(c.env, conf, log, func(string) ([]env.ModelVersionStatus, error) {
		return stub.Status(env.ModelSpec{}, 0)
	})
	if err != nil {
		return nil, err
	}
	steps := []any{}
	for _, s := range item(c.in, "steps").([]any) {
		a := s.([]any)[1].(*pysem.Dict)
		log.stored = nil
		clock.nowSec = number(a, "now")
		stub.set(item(a, "status"))
		check := versions
		if clients, given := a.Get("metrics"); given && clients == false {
			check = nil
		}
		models, err := u.ModelNames()
		if err != nil {
			return nil, err
		}
		step := attempt(nil, check.Check(models))
		if len(log.stored) > 0 {
			step.Set("metrics", log.stored)
		}
		steps = append(steps, step)
	}
	return object("steps", steps, "replica_id", conf.ReplicaID.V, "meta", []any{}, "tree", []any{}), nil
}

// latestVersions is latest_version_in_fs of section 9 of the protocol.
func (c *parityCase) latestVersions() (any, error) {
	u, _, err := c.updater()
	if err != nil {
		return nil, err
	}
	steps := []any{}
	for _, s := range item(c.in, "steps").([]any) {
		steps = append(steps, attempt(u.LatestVersionInFS(text(s.([]any)[1].(*pysem.Dict), "name"))))
	}
	return steps, nil
}
