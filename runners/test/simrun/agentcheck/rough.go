package agentcheck

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/modelmanager"
	"github.com/monosim/monosim/engine/lists"
)

// rough is a rough sort model: a transfer service brings its versions to a folder that all pods
// share, and each agent copies the newest that is complete to a folder of its own (model_manager.py).
type rough struct{ model, source, local string }

// roughOf returns the rough sort model of an agent, nil if it has none.
func roughOf(conf *agentconfig.AgentConfig) *rough {
	if !conf.RoughSortModelName.Set || !conf.RoughSortModelP2PPath.Set || !conf.RoughSortModelLocalPath.Set {
		return nil
	}
	return &rough{model: conf.RoughSortModelName.V, source: conf.RoughSortModelP2PPath.V, local: conf.RoughSortModelLocalPath.V}
}

// folder returns the folder of a version at the transfer service.
func (r *rough) folder(version string) string { return r.source + "/" + r.model + "@" + version }

// received lists the names of complete versions of a rough sort model.
func (r *rough) received(names []string) []string {
	return lists.Select(names, func(name string) (string, bool) {
		version, ours := strings.CutPrefix(name, r.model+"@")
		version, complete := strings.CutSuffix(version, modelmanager.WriteDone)
		return version, ours && complete
	})
}

// lockedFor is how long an agent may lock a version, as it does while it copies that.
const lockedFor = 5 * time.Minute

// lookForLocks checks that agents lock only complete versions of their rough sort model. It assumes
// that all agents have the settings of the first agent that it sees.
func (c *Checker) lookForLocks() error {
	for _, p := range c.view.Pods() {
		for _, a := range c.view.Agents(p.Name) {
			if c.met {
				break
			}
			at, err := c.placeOf(p.Name, a)
			if err != nil {
				return err
			}
			c.met, c.rough = true, at.rough
		}
	}
	r := c.rough
	if r == nil {
		return nil
	}
	names, err := c.view.StoredNames(r.source)
	if err != nil {
		return err
	}
	c.locked = lists.ToMap(names, func(name string) (string, time.Duration) { return name, cmp.Or(c.locked[name], c.now) })
	for _, name := range names {
		folder, locked := strings.CutSuffix(name, modelmanager.ReadLock)
		if locked && (!strings.HasPrefix(folder, r.model+"@") || !slices.Contains(names, folder+modelmanager.WriteDone)) {
			c.breaks(Locks, name, "%s/%s is there, want no lock on what is not complete, or of another model than %s", r.source, name, r.model)
		}
	}
	return nil
}

// timeLocks finds the locks that agents have not removed in time. Each round of an agent, of 30 s, begins
// with a lock and ends with its removal (model_manager.py:110).
func (c *Checker) timeLocks() {
	if c.rough == nil || len(c.goesOn) > 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.locked)) {
		if strings.HasSuffix(name, modelmanager.ReadLock) && c.now > max(c.locked[name], c.calm)+lockedFor+c.writes {
			c.breaks(Locks, "kept "+name, "%s/%s is there since %v, want it gone within %v", c.rough.source, name, c.locked[name], lockedFor)
		}
	}
}

// awaitsModel reports whether an agent waits for its first rough sort model, and so starts nothing.
func (c *Checker) awaitsModel(p *place) (bool, error) {
	if p.rough == nil {
		return false, nil
	}
	names, err := c.view.StoredNames(p.rough.source)
	return len(p.rough.received(names)) == 0, err
}

// noOtherCopies checks that a pod has copied nothing but its rough sort model.
func (w *whole) noOtherCopies(pod string, p *place) error {
	if p.rough == nil {
		return nil
	}
	names, err := w.view.PodNames(pod, p.rough.local)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != p.rough.model {
			return w.failure(Copies, "%s has copied %s to %s, want %s alone", pod, name, p.rough.local, p.rough.model)
		}
	}
	return nil
}
