package modelregistry_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/modelregistry"
)

// quiet writes no lines.
type quiet struct{}

func (quiet) Enabled(env.Level) bool         { return false }
func (quiet) Logf(env.Level, string, ...any) {}

// Looking up a task imports the module in its name, and that import registers the task.
func Example() {
	modules := map[string]modelregistry.Module[int]{"tasks.ranking": func(r *modelregistry.Registry[int]) error {
		return r.RegisterSingleTaskModel(&modelregistry.Class[int]{Module: "tasks.ranking", Name: "Small", Task: func() (int, error) { return 64, nil }})
	}}
	r := modelregistry.New(quiet{}, modules)
	fmt.Println(r.GetParams("tasks.ranking.Small"))
	fmt.Println(r.GetParams("tasks.ranking.Large"))
	// Output:
	// 64 <nil>
	// 0 LookupError: Model tasks.ranking.Large not found from list of above known models.
}
