package loopback

import (
	"cmp"
	"fmt"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/fault"
	"github.com/monosim/monosim/sim/world"
)

// Runner builds clusters of real processes on loopback addresses. New makes it.
type Runner struct{ options Options }

// New makes a runner. Wrong options are reported by Build.
func New(o Options) *Runner { return &Runner{o} }

// Name returns the name in the options, "real" by default.
func (r *Runner) Name() string {
	return cmp.Or(r.options.Name, "real")
}

// Build makes a cluster in which only ZooKeeper has started. An inconsistent spec gives a
// *runners.SpecError. A spec that only a simulation can build gives runners.ErrUnsupported.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) {
	o, err := r.options.withDefaults()
	if err != nil {
		return nil, err
	}
	return build(o, spec)
}

// Faults lists all kinds of faults, so that all scenarios can be parsed. A fault that
// processes cannot have gives ErrUnsupported when it begins.
func (r *Runner) Faults() []runners.FaultKind {
	return lists.MapOrNil(fault.Kinds(), func(k *fault.Kind) runners.FaultKind { return k.FaultKind })
}

// Check returns an error for settings of agent.conf that do not exist, and for unknown
// profiles.
func (r *Runner) Check(spec runners.Spec) error {
	for _, p := range agentconfig.UnknownKeys(confName(spec), []byte(spec.Conf)) {
		return &runners.SpecError{Where: confName(spec), Found: p.Found, Want: p.Want}
	}
	return world.CheckProfiles(spec)
}

func confName(spec runners.Spec) string {
	return cmp.Or(spec.ConfName, "agent.conf")
}

// supported returns an error for features that only a simulation has.
func supported(spec runners.Spec) error {
	if err := world.CheckProfiles(spec); err != nil {
		return err
	}
	if spec.ZooKeeper == "kazoo-fake" {
		return fmt.Errorf("profile kazoo-fake is a tree in the memory of each process: %w", runners.ErrUnsupported)
	}
	if spec.Quirks != "" {
		if _, err := quirks.Parse(spec.Quirks); err != nil {
			return err
		}
	}
	return nil
}

var (
	_ runners.Runner  = (*Runner)(nil)
	_ runners.Checker = (*Runner)(nil)
)
