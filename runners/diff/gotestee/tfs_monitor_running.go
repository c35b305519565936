package gotestee

import (
	"time"

	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// slowServer is a model server whose answers take their time, and that knows one version
// of every model.
type slowServer struct {
	s         *stage
	answersMs []int
	asked     int
}

// runMonitor has several threads ask a monitor at once.
func (c *call) runMonitor() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	c.Env.Models = &slowServer{s: s, answersMs: c.In.Ints("answers_ms")}
	m := tfs.NewTFSMonitor(c.Env, conf)
	m.Start()
	for _, e := range c.steppedEvents() {
		s.after(e.at, e.step.Name, func() {
			answer := c.monitorAttempt(m, e.step)
			s.note(e.step.Name, answer)
		})
	}
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

func (v *slowServer) Dial(string) env.ModelServer { return v }

func (v *slowServer) takeTime(method string, model any) {
	n := v.answersMs[v.asked%len(v.answersMs)]
	v.asked++
	v.s.note("asked", []any{method, model})
	v.s.c.Env.Tasks.Sleep(ms(n))
	v.s.note("answered", []any{method, model})
}

func (v *slowServer) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	v.takeTime("GetModelStatus", spec.Name)
	return []env.ModelVersionStatus{{Version: 7, State: env.StateAvailable}}, nil
}

func (v *slowServer) Reload([]byte, time.Duration) (env.StatusProto, error) {
	v.takeTime("HandleReloadConfigRequest", nil)
	return env.StatusProto{}, nil
}

func (*slowServer) Close() {}
