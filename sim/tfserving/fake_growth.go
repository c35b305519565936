package tfserving

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// planGrowth keeps the 30 s timer running while there is a model that can grow;
// the draws of other times change nothing.
//
// Speed: what no event can change is not polled: the clock jumps to the next
// version.
func (f *fake) planGrowth() {
	grows := slices.ContainsFunc(f.models, func(m *fakeModel) bool { return m.latest })
	if !grows || f.broken {
		f.server.agenda.unset(&f.growth)
		return
	}
	if !f.growth.queued {
		turns := (f.server.agenda.now()-f.from)/fakeGrowth + 1
		f.server.agenda.set(&f.growth, f.from+turns*fakeGrowth)
	}
}

// grow gives one chosen model a new version, if its policy is not 'specific'
// (item 19).
func (f *fake) grow() {
	m := f.models[f.server.host.Choose("tfserving.fake.growth", len(f.models))]
	if m.latest {
		f.growModel(m)
	}
	f.planGrowth()
}

func (f *fake) growModel(m *fakeModel) {
	version := m.versions[len(m.versions)-1].version + 1
	m.versions = append(m.versions, fakeVersion{version: version})
	m.answer = nil
	f.put(fakeEvent{m.config.Name, m, version, env.StateStart})
}
