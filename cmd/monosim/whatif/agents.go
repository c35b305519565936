package whatif

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/control"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// mostAgents is the largest value of --agents. The memory of version 1 grows with its square.
const mostAgents = 1000

// addAgentFlags adds the flags of commands that can run real agents beside the model.
func (f *planFlags) addAgentFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.agents, "agents", 0, "run the real agents of so many containers, too, and say what they ask of ZooKeeper")
	cmd.Flags().StringSliceVar(&f.incidents, "incidents", nil, "what happens to these agents, as \"kill 3,zookeeper outage\", or all: "+strings.Join(control.Incidents(), ", "))
}

// addAgents adds to a result the load that real agents put on ZooKeeper. The fleet is the plan's,
// with the values of the answer if one was found.
func (f *planFlags) addAgents(ctx context.Context, source *plan.Source, p *plan.Plan, r *result.Result) error {
	if r.Command == "sweep" { // a result merged from shards has no agents
		return nil
	}
	incidents := f.incidents
	if slices.Equal(incidents, []string{"all"}) {
		incidents = control.Incidents()
	}
	switch {
	case f.agents < 0 || f.agents > mostAgents:
		return command.BadInput(fmt.Errorf("--agents: found %d, want 0 to %d", f.agents, mostAgents))
	case f.agents > 0 && p.Several():
		return command.BadInput(fmt.Errorf("--agents: found a workload.mix of %d models, want one: agents are of one model", len(p.Workload.Mix)))
	case f.agents == 0 && len(incidents) > 0:
		return command.BadInput(errors.New("--incidents: found it without --agents, want how many containers they happen to"))
	}
	for _, name := range incidents {
		if !slices.Contains(control.Incidents(), name) {
			return command.BadInput(fmt.Errorf("--incidents: found %q, want some of %s", name, strings.Join(control.Incidents(), ", ")))
		}
	}
	p, err := answeredPlan(source, p, r)
	if err != nil {
		return err
	}
	return control.Fill(ctx, r, p, f.agents, incidents)
}

// flagWords returns the flags that a user needs to repeat the command.
func (f *planFlags) flagWords() (words string) {
	if f.sensitivity {
		words = " --sensitivity"
	}
	if f.agents == 0 {
		return words
	}
	words += fmt.Sprintf(" --agents %d", f.agents)
	if len(f.incidents) > 0 {
		words += " --incidents " + strings.Join(command.Quoted([]string{strings.Join(f.incidents, ",")}), " ")
	}
	return words
}
