// Package modelregistry finds the parameters of a task by the dotted name of its class: the port of
// monolith/core/model_registry.py, and of model_imports.py, which imports the modules in which they
// may be.
//
// Two things to use first:
//
//   - [Registry.RegisterSingleTaskModel] registers a class when its module is imported.
//   - [Registry.GetParams] finds a task, as the flag --task of package tpurunner names it.
//
// Names are Python's: tasks.ranking.Small is the class Small of module tasks.ranking. A module here
// is a function that registers its classes.
//
// To change:
//
//   - how classes are found: registry.go
//   - what an import does, and its errors: imports.go
//
// Cost: a look-up grows with the classes that are registered, which it lists. A module is imported once.
//
// Unstable: any commit may change it.
package modelregistry

import (
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Class is a task's class. It makes the task's parameters, of type P.
type Class[P any] struct {
	// Module and Name are the module and the name of the class, such as tasks.ranking and Small.
	Module, Name string
	// NotSingleTask marks a class that does not derive from SingleTaskModelParams. Such a class
	// cannot be registered.
	NotSingleTask bool
	// Task makes the parameters; nil for an abstract class.
	Task func() (P, error)
}

// Registry holds classes by name. The reference has one for each process.
type Registry[P any] struct {
	log     env.Log
	classes map[string]*Class[P]
	modules map[string]bool
	imports imports[P]
}

// New makes an empty registry. modules can be imported by their dotted names, and so can the
// packages that contain them.
func New[P any](log env.Log, modules map[string]Module[P]) *Registry[P] {
	return &Registry[P]{log: log, classes: map[string]*Class[P]{}, modules: map[string]bool{}, imports: newImports(modules)}
}

// Strings that are removed from a class's name to get its short name, wherever they occur
// (model_registry.py:62).
const (
	tasksPrefix  = "monolith.tasks."
	paramsPrefix = "params."
)

// keys returns the names of a class, sorted. The reference orders them by their hashes.
func (c *Class[P]) keys() []string {
	short := strings.ReplaceAll(strings.ReplaceAll(c.Module, tasksPrefix, ""), paramsPrefix, "")
	list := []string{c.Module + "." + c.Name, short + "." + c.Name}
	slices.Sort(list)
	return slices.Compact(list)
}

// RegisterSingleTaskModel registers a class under its name and its short name
// (model_registry.py:102). A class that is not single-task is a TypeError, a name that is taken a
// ValueError.
func (r *Registry[P]) RegisterSingleTaskModel(c *Class[P]) error {
	r.log.Logf(env.Info, "Register %s Start", c.Name)
	if c.NotSingleTask {
		return pysem.Raise("TypeError", "src_cls %s is not a SingleTaskModelParams!", c.Name)
	}
	for _, key := range c.keys() {
		if r.classes[key] != nil {
			return pysem.Raise("ValueError", "Duplicate model registered for key %s: %s.%s", key, c.Module, c.Name)
		}
		r.log.Logf(env.Debug, "Registering model %s", key)
		if !r.modules[c.Module] {
			r.log.Logf(env.Info, "Registering models from module: %s", c.Module)
			r.modules[c.Module] = true
		}
		r.classes[key] = c
	}
	r.log.Logf(env.Info, "Register %s successfully", c.Name)
	return nil
}

// GetAllRegisteredClasses returns the sorted names and their classes (model_registry.py:162). It
// imports nothing, because the reference has no tasks of its own.
func (r *Registry[P]) GetAllRegisteredClasses() (names []string, classes map[string]*Class[P]) {
	if len(r.classes) == 0 {
		r.log.Logf(env.Warning, "No classes registered.")
	}
	return slices.Sorted(maps.Keys(r.classes)), r.classes
}

// GetClass imports the module of a class and finds the class (model_registry.py:167). A name
// without a dot is a ValueError. A module that cannot be imported, or does not register the class,
// is a LookupError.
func (r *Registry[P]) GetClass(key string) (*Class[P], error) {
	if _, err := r.ImportParams(key, ImportOptions{}); err != nil {
		return nil, err
	}
	names, classes := r.GetAllRegisteredClasses()
	if classes[key] == nil {
		for _, name := range names {
			r.log.Logf(env.Info, "Known model: %s", name)
		}
		return nil, pysem.Raise("LookupError", "Model %s not found from list of above known models.", key)
	}
	return classes[key], nil
}

// GetParams makes the parameters of a task (model_registry.py:172). An abstract class is a
// NotImplementedError (base_model_params.py).
func (r *Registry[P]) GetParams(key string) (params P, err error) {
	class, err := r.GetClass(key)
	if err != nil {
		return params, err
	}
	if class.Task == nil {
		return params, pysem.Raise("NotImplementedError", "Abstract method")
	}
	return class.Task()
}
