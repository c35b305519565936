package gotestee

import (
	"bytes"
	"time"

	"github.com/monosim/monosim/engine/agent/modelmanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// runningModelManager is a model manager whose thread runs, with the events of the case.
type runningModelManager struct {
	env.Tasks
	c *call
	s *stage
	m *modelmanager.ModelManager
	// files is the JSON of the files that were noted last.
	files []byte
}

func (c *call) runModelManager() any {
	r := &runningModelManager{Tasks: c.Env.Tasks, c: c, s: &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}}
	c.Env.Tasks = r
	r.m = c.newModelManager()
	for _, e := range c.events() {
		r.s.after(e.at, e.name, func() { r.happen(e.name, e.arguments) })
	}
	c.Life.Go("main thread", func() { r.note("started", r.m.Start()) })
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	r.s.over = true
	return caseworld.Object("log", r.s.log)
}

// note notes first what has become of the files.
func (r *runningModelManager) note(name string, value any) {
	if r.s.over {
		return
	}
	tree := caseworld.Encode(r.c.Dir.Tree())
	if text := pysem.AppendJSON(nil, tree); !bytes.Equal(text, r.files) {
		r.files = text
		r.s.note("files", caseworld.Raw{V: tree})
	}
	r.s.note(name, value)
}

// Sleep shows what the thread has done since it last slept.
func (r *runningModelManager) Sleep(d time.Duration) {
	r.note("sleep", int(d/time.Second))
	r.Tasks.Sleep(d)
}

func (r *runningModelManager) happen(name string, arguments []any) {
	switch name {
	case "add":
		r.c.Dir.WriteFiles(argument[*pysem.Dict](name, arguments, 0, "an object of files"), "in.events.add")
		r.note("added", nil)
	case "delete":
		r.m.Delete(pysem.Some(caseworld.CaseDir + "/" + argument[string](name, arguments, 0, "a string")))
		r.note("deleted", nil)
	case "look":
		models, latest := modelsOf(r.m)
		r.note("models", models)
		r.note("latest", latest)
	case "stop":
		r.m.Stop()
		r.note("stopped", nil)
	default:
		caseworld.BadCasef("in.events: found the event %q, which this operation does not have", name)
	}
}
