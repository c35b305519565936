package loopback

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/fault"
	"github.com/monosim/monosim/sim/world"
)

// Runner builds clusters of processes. It is made by New.
type Runner struct{ options Options }

// New makes a runner. What is wrong with the options is an error of Build.
func New(o Options) *Runner { return &Runner{o} }

// Name is that of the options.
func (r *Runner) Name() string {
	if r.options.Name == "" {
		return "real"
	}
	return r.options.Name
}

// Build makes a cluster that is not started, but for its ZooKeeper. The error of a spec
// that makes no sense is a *runners.SpecError, that of one that asks for what only a
// simulation has runners.ErrUnsupported.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) {
	o, err := r.options.withDefaults()
	if err != nil {
		return nil, err
	}
	c, err := build(o, spec)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Faults lists all kinds of faults, so that all scenarios can be read; those that no
// real server can be made to have are ErrUnsupported when they begin.
func (r *Runner) Faults() []runners.FaultKind {
	var kinds []runners.FaultKind
	for _, k := range fault.Kinds() {
		kinds = append(kinds, k.FaultKind)
	}
	return kinds
}

// Check refuses agent settings that no agent has, and profiles that no server has.
func (r *Runner) Check(spec runners.Spec) error {
	for _, p := range agentconfig.UnknownKeys(confName(spec), []byte(spec.Conf)) {
		return &runners.SpecError{Where: confName(spec), Found: p.Found, Want: p.Want}
	}
	return world.CheckProfiles(spec)
}

func confName(spec runners.Spec) string {
	if spec.ConfName == "" {
		return "agent.conf"
	}
	return spec.ConfName
}

// supported refuses what there is only in a simulation.
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
