package fake

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// planGrowth keeps the 30 s timer running while some model can grow. It sets the timer to the next
// instant at which a version is due, because an earlier instant would change nothing.
func (f *Fake) planGrowth() {
	grows := slices.ContainsFunc(f.models, func(m *entry) bool { return m.latest })
	if !grows || f.broken {
		f.timers.Unset(&f.growth)
		return
	}
	if !f.growth.Queued {
		turns := (f.timers.Now()-f.from)/growthTime + 1
		f.timers.Set(&f.growth, f.from+turns*growthTime)
	}
}

// grow chooses a model at random and gives it a new version, unless its policy is 'specific'
// (TFS-17.1 item 19).
func (f *Fake) grow() {
	m := f.models[f.host.Choose("tfserving.fake.growth", len(f.models))]
	if m.latest {
		f.growModel(m)
		f.host.Log(env.Info, "start load a new version of model %s", m.config.Name)
	}
	f.planGrowth()
}

func (f *Fake) growModel(m *entry) {
	version := m.versions[len(m.versions)-1].version + 1
	m.versions = append(m.versions, servable{version: version})
	m.answer = nil
	f.put(transition{m.config.Name, m, version, env.StateStart})
}
