package modelregistry_test

import (
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/modelregistry"
)

// Goal: what a registry refuses is the exception that model_registry.py raises. Method: a module with
// a task, an abstract class and a class that is registered a second time.
func TestWhatARegistryRefuses(t *testing.T) {
	class := func(name string) *modelregistry.Class[int] {
		return &modelregistry.Class[int]{Module: "tasks.ranking", Name: name, Task: func() (int, error) { return 64, nil }}
	}
	abstract := class("Base")
	abstract.Task = nil
	r := modelregistry.New(quiet{}, map[string]modelregistry.Module[int]{"tasks.ranking": func(r *modelregistry.Registry[int]) error {
		if err := r.RegisterSingleTaskModel(abstract); err != nil {
			return err
		}
		return r.RegisterSingleTaskModel(class("Small"))
	}})
	for _, c := range []struct{ name, want string }{
		{"tasks.ranking.Base", "NotImplementedError"}, {"tasks.ranking.Large", "LookupError"}, {"Small", "ValueError"},
	} {
		if _, err := r.GetParams(c.name); pysem.TypeOf(err) != c.want {
			t.Errorf("%s: got %v, want a %s", c.name, err, c.want)
		}
	}
	if got, err := r.GetParams("tasks.ranking.Small"); got != 64 || err != nil {
		t.Errorf("got %d, %v, want 64", got, err)
	}
	other := class("Other")
	other.NotSingleTask = true
	if err := r.RegisterSingleTaskModel(class("Small")); pysem.TypeOf(err) != "ValueError" {
		t.Errorf("a second time: got %v, want a ValueError", err)
	}
	if err := r.RegisterSingleTaskModel(other); pysem.TypeOf(err) != "TypeError" {
		t.Errorf("no single task: got %v, want a TypeError", err)
	}
}
