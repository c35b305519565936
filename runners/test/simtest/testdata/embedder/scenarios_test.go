package embedder

import (
	"embed"
	"fmt"
	"testing"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

//go:embed scenarios
var scenarios embed.FS

// own are the sentences of this project.
var own = []*steps.Sentence{
	steps.Action("the feature flag {name} is {text}", func(w *steps.World, flag, value string) error {
		return w.Cluster().WriteZnode("/flags/"+flag, []byte(value))
	}),
	steps.Assertion("{n} agents answer", func(w *steps.World, want int) func() error {
		return func() error {
			got := 0
			for _, pod := range w.Cluster().Pods() {
				if _, err := w.Cluster().GetResource(pod.Name); err == nil {
					got++
				}
			}
			if got != want {
				return fmt.Errorf("agents that answer, want %d, got %d", want, got)
			}
			return nil
		}
	}),
}

func TestScenarios(t *testing.T) {
	steps.Run(t, scenarios, steps.Suite{Runner: &simrun.Runner{}, Sentences: own})
}

func TestScenariosOfManySeeds(t *testing.T) {
	steps.Run(t, scenarios, steps.Suite{Runner: &simrun.Runner{}, Sentences: own, Tags: "@kill && ~@flags", Seeds: 5})
}
