package gotestee

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// runningManager is a replica manager whose threads run, while the events of the case happen.
type runningManager struct {
	c    *call
	s    *stage
	m    *replicamanager.ReplicaManager
	zk   *caseworld.ZooKeeper
	stub statusStub
}

func (c *call) replicaManagerSequence() (any, error) {
	conf, err := c.countedConfig()
	if err != nil {
		return nil, err
	}
	r := &runningManager{c: c, s: &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}}
	if r.zk, err = c.StartedZK(); err != nil {
		return nil, err
	}
	r.zk.OnCall = func(name string, arguments *pysem.Dict) { r.s.note(name, arguments) }
	c.Env.Models = noModelServers{}
	if r.m, err = replicamanager.NewReplicaManager(c.Env, r.zk, conf); err != nil {
		return nil, err
	}
	r.m.Updater().SetStatus(func(string) ([]env.ModelVersionStatus, error) { return r.stub.versions, r.stub.err })
	c.takeMetrics(r.m.Updater())
	r.schedule()
	err = r.m.Start()
	r.s.note("started", nil)
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	r.s.over = true
	return caseworld.Object("log", r.s.log), err
}

// schedule starts a timer for each event of the case.
func (r *runningManager) schedule() {
	for _, e := range r.c.steppedEvents() {
		r.s.after(e.at, e.step.Name, func() {
			if err := r.happen(e.step); err != nil {
				caseworld.BadCasef("in.events: %s: %v", e.step.Name, err)
			}
		})
	}
}

// steppedEvent is a step that somebody other than the manager makes at a time of the case.
type steppedEvent struct {
	at   time.Duration
	step caseworld.Step
}

// steppedEvents parses the events of the case. The arguments of an event have names.
func (c *call) steppedEvents() (events []steppedEvent) {
	if !c.In.Has("events") {
		return nil
	}
	for _, e := range c.In.Rows("events", "milliseconds", "name", "arguments") {
		step := caseworld.Step{Name: e.Str("name"), Arguments: e.Object("arguments")}
		events = append(events, steppedEvent{ms(e.Integer("milliseconds")), step})
	}
	return events
}

func (r *runningManager) happen(s caseworld.Step) error {
	if method, ok := strings.CutPrefix(s.Name, "zk."); ok {
		s.Name = method
		_, err := r.zk.DoQuietly(s)
		return err
	}
	switch s.Name {
	case "status":
		r.stub.take(s)
	case "state":
		state, ok := states[s.Str("state")]
		if !ok {
			s.Wrong("state", "CONNECTED, SUSPENDED or LOST")
		}
		r.zk.Tell(state)
	case "drop_watches":
		r.zk.Life++
	case "look":
		r.s.note("replicas", replicasOf(r.m.Watcher()))
	case "stop":
		r.m.Stop()
		r.s.note("stopped", nil)
	default:
		caseworld.UnknownStep(s)
	}
	return nil
}

// shownMetrics is a metrics service that records its calls for the answer.
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

// takeMetrics makes the case record the metrics of an updater, if the updater sends any.
func (c *call) takeMetrics(u *replicamanager.ReplicaUpdater) {
	if u.HasMetrics() {
		_ = u.SendMetrics(shownMetrics{c}) // cannot fail: the updater already has a prefix
	}
}

// checkVersions runs the step check_version.
func (c *call) checkVersions(u *replicamanager.ReplicaUpdater, s caseworld.Step) error {
	if s.Has("metrics") && !s.Flag("metrics") {
		return nil // without clients the method returns at once (replica_manager.py:618)
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
