package operator

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners"
)

// Layouts writes layouts to the ZooKeeper of a cluster, as the reference's agent_controller
// does. Each call opens a session of its own.
type Layouts struct {
	// Conf is the name of the agent's configuration, for error messages.
	Conf string
	// BZID and Pattern are the configuration's bzid and layout_pattern.
	BZID, Pattern string
	// Session runs fn with a started client and stops the client afterwards. what names the
	// purpose in errors and logs.
	Session func(what string, fn func(e *env.Env, zk env.ZooKeeper) error) error
	// BasePath translates the base path of a scenario to the path under which a model server
	// finds the model. nil leaves paths unchanged.
	BasePath func(path string) string
}

// withBackend runs fn with a ZKBackend over one session, as agent_controller does.
func (l Layouts) withBackend(what string, fn func(b *backends.ZKBackend) error) error {
	return l.Session(what, func(e *env.Env, zk env.ZooKeeper) error { return fn(backends.NewZKBackend(e, l.BZID, zk)) })
}

// path returns the znode of a layout. An empty name stands for the layout_pattern of the
// configuration.
func (l Layouts) path(layout string) (string, error) {
	layout = cmp.Or(layout, l.Pattern)
	switch {
	case layout == "":
		return "", &runners.SpecError{Where: l.Conf, Found: "no layout_pattern", Want: "one, or a layout named by its path"}
	case strings.HasPrefix(layout, "/"):
		return layout, nil
	}
	return "/" + l.BZID + "/layouts/" + layout, nil
}

// Declare writes the deploy config of model:subGraph.
func (l Layouts) Declare(model, subGraph, basePath, policy string) error {
	if l.BasePath != nil {
		basePath = l.BasePath(basePath)
	}
	return l.withBackend("declare", func(b *backends.ZKBackend) error {
		return b.DeclSavedModel(datadef.SavedModel{ModelName: model, SubGraph: subGraph},
			&datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some(basePath), VersionPolicy: pysem.Some(policy)})
	})
}

// Publish adds sub-graphs of a model to a layout, as agent_controller pub does.
func (l Layouts) Publish(layout, model string, subGraphs ...string) error {
	return l.each("publish", layout, model, subGraphs, (*backends.ZKBackend).AddToLayout)
}

// Unpublish removes sub-graphs of a model from a layout, as agent_controller unpub does.
func (l Layouts) Unpublish(layout, model string, subGraphs ...string) error {
	return l.each("unpublish", layout, model, subGraphs, (*backends.ZKBackend).RemoveFromLayout)
}

// each calls the function do for sub-graphs of a model in one session (agent_controller.py:90).
// Declared sub-graphs come first, in the order in which ZooKeeper lists them. agent_controller
// skips undeclared ones, but here they follow in the given order.
func (l Layouts) each(what, layout, model string, subGraphs []string, do func(*backends.ZKBackend, string, datadef.SavedModel) error) error {
	path, err := l.path(layout)
	if err != nil {
		return err
	}
	return l.withBackend(what, func(b *backends.ZKBackend) error {
		declared, err := b.ListSavedModels(model)
		if err != nil {
			return err
		}
		wanted := slices.DeleteFunc(declared, func(m datadef.SavedModel) bool { return !slices.Contains(subGraphs, m.SubGraph) })
		for _, g := range subGraphs {
			if m := (datadef.SavedModel{ModelName: model, SubGraph: g}); !slices.Contains(wanted, m) {
				wanted = append(wanted, m)
			}
		}
		for _, m := range wanted {
			if err := do(b, path, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteZnode creates or sets a persistent znode and its parents.
func (l Layouts) WriteZnode(path string, data []byte) error {
	return l.Session("write znode", func(_ *env.Env, zk env.ZooKeeper) error {
		_, err := zk.Create(path, data, env.CreateOptions{MakePath: true})
		if errors.Is(err, zkerrors.ErrNodeExists) {
			err = zk.Set(path, data, -1)
		}
		return err
	})
}

// DeleteZnode deletes a znode and everything below it.
func (l Layouts) DeleteZnode(path string) error {
	return l.Session("delete znode", func(_ *env.Env, zk env.ZooKeeper) error {
		return zk.Delete(path, env.DeleteOptions{Version: -1, Recursive: true})
	})
}
