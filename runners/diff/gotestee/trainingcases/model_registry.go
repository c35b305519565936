package trainingcases

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/modelregistry"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// taskClass makes the task class that a case describes.
func taskClass(given caseworld.Arguments, module string) *modelregistry.Class[any] {
	class := &modelregistry.Class[any]{Module: module, Name: given.Str("name"), NotSingleTask: given.Flag("other")}
	if given.Has("task") {
		class.Task = func() (any, error) { return given.Value("task"), nil }
	}
	return class
}

// taskModule makes a module that registers the classes in the case. If the case says so, its import
// then fails.
func taskModule(given caseworld.Arguments, name string) modelregistry.Module[any] {
	return func(r *modelregistry.Registry[any]) error {
		if given.Has("classes") {
			for _, class := range given.Objects("classes") {
				if err := r.RegisterSingleTaskModel(taskClass(class, name)); err != nil {
					return err
				}
			}
		}
		if raises := given.StrOr("raises", ""); raises != "" {
			return pysem.Raise(raises, "%s failed", name)
		}
		return nil
	}
}

func namedClass(class *modelregistry.Class[any], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return class.Module + "." + class.Name, nil
}

func registrySequence(c *caseworld.Call) (any, error) {
	modules := map[string]modelregistry.Module[any]{}
	given := c.In.Object("modules")
	for _, item := range given.Items {
		modules[item.Key] = taskModule(given.Object(item.Key), item.Key)
	}
	r := modelregistry.New(c.Env.Log, modules)
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: caseworld.Do{
		"register": func(s caseworld.Step, module string) (string, error) {
			class := taskClass(s.Arguments, module)
			return class.Name, r.RegisterSingleTaskModel(class)
		},
		"GetAllRegisteredClasses": func() []any {
			pairs := []any{}
			names, classes := r.GetAllRegisteredClasses()
			for _, name := range names {
				shown, _ := namedClass(classes[name], nil)
				pairs = append(pairs, []any{name, shown})
			}
			return pairs
		},
		"GetClass":  func(key string) (any, error) { return namedClass(r.GetClass(key)) },
		"GetParams": r.GetParams,
		"ImportParams": func(name, root string, dirs []string, requireSuccess pysem.OptBool) (any, error) {
			return r.ImportParams(name, modelregistry.ImportOptions{Root: root, Dirs: slices.Clone(dirs), NotRequired: !requireSuccess.Or(true)})
		},
	}})), nil
}
