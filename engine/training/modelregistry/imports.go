package modelregistry

import (
	"errors"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Module registers the classes of a module when it is imported. An error ends the import, and the
// next import calls it again. An ImportError means that there is no such module.
type Module[P any] func(r *Registry[P]) error

// imports holds the modules that can be imported. done holds the names of those already imported.
type imports[P any] struct {
	modules map[string]Module[P]
	done    map[string]bool
}

// rootPackage can always be imported, because the registry itself lies in it.
const rootPackage = "monolith"

// newImports returns the modules and all packages that contain them. These packages can be imported
// too.
func newImports[P any](modules map[string]Module[P]) imports[P] {
	all := map[string]Module[P]{rootPackage: nil}
	for name, module := range modules { //lint:ordered into a map
		for parent := parentOf(name); parent != ""; parent = parentOf(parent) {
			if _, ok := modules[parent]; !ok {
				all[parent] = nil
			}
		}
		all[name] = module
	}
	return imports[P]{all, map[string]bool{}}
}

// parentOf returns the part of a name before its last dot, or "".
func parentOf(name string) string {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return ""
	}
	return name[:at]
}

// load imports the packages of a module and then the module, each only once.
func (i *imports[P]) load(r *Registry[P], name string) error {
	switch {
	case strings.HasPrefix(name, "."):
		return pysem.Raise("TypeError", "the 'package' argument is required to perform a relative import for %s", pysem.Repr(name))
	case name == "":
		return pysem.Raise("ValueError", "Empty module name")
	}
	return i.loadAbsolute(r, name)
}

func (i *imports[P]) loadAbsolute(r *Registry[P], name string) error {
	if i.done[name] {
		return nil
	}
	if parent := parentOf(name); parent != "" {
		if err := i.loadAbsolute(r, parent); err != nil {
			return err
		}
	}
	run, ok := i.modules[name]
	if !ok {
		return pysem.Raise("ModuleNotFoundError", "No module named %s", pysem.Repr(name))
	}
	if run != nil {
		if err := run(r); err != nil {
			return err
		}
	}
	i.done[name] = true
	return nil
}

// tryImport reports whether a module could be imported (model_imports.py:28). An ImportError is
// logged and gives false. Any other error is returned.
func (r *Registry[P]) tryImport(name string) (bool, error) {
	r.log.Logf(env.Info, "Attempt to import %s ...", name)
	err := r.imports.load(r, name)
	if failed, ok := errors.AsType[*pysem.Error](err); ok && (failed.Type == "ImportError" || failed.Type == "ModuleNotFoundError") {
		r.log.Logf(env.Error, "Could not import: %s\n", failed.Message)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.log.Logf(env.Info, "Imported %s", name)
	return true, nil
}

// ImportOptions says which tasks are built in. The zero value means that no tasks are built in, as
// in the reference.
type ImportOptions struct {
	// Root is the package of tasks; empty means monolith.tasks.
	Root string
	Dirs []string
	// NotRequired makes a failed import return false instead of a LookupError.
	NotRequired bool
}

// ImportParams imports the modules in which a class may be: the module before the last dot of its
// name, and for a built-in task also the module of its parameters (model_imports.py:64). It reports
// whether one of them exists.
func (r *Registry[P]) ImportParams(model string, o ImportOptions) (success bool, err error) {
	at := strings.LastIndexByte(model, '.')
	if at < 0 {
		return false, pysem.Raise("ValueError", "Invalid model name %s", model)
	}
	module, root := model[:at], o.Root
	if root == "" {
		root = strings.TrimSuffix(tasksPrefix, ".")
	}
	r.log.Logf(env.Info, "model_module:%s", module)
	r.log.Logf(env.Info, "Searching local import ...")
	if success, err = r.tryImport(module); err != nil {
		return false, err
	}
	r.log.Logf(env.Info, "Searching built-in tasks ...")
	for _, task := range slices.Sorted(slices.Values(o.Dirs)) {
		r.log.Logf(env.Info, "%s || %s", task, module)
		path, ok := strings.CutPrefix(module, task+".")
		if !ok {
			continue
		}
		r.log.Logf(env.Info, "Found built-in task: %s", task)
		found, err := r.tryImport(root + "." + task + "." + paramsPrefix + path)
		if err != nil {
			return false, err
		}
		success = success || found
	}
	if !success && !o.NotRequired {
		return false, pysem.Raise("LookupError", "Could not find any valid import paths for module %s. Check the logs above to see if there were errors importing the module, and make sure the relevant params files are linked into the binary.", module)
	}
	return success, nil
}
