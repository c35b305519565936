package loopback

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners"
)

// withBackend runs fn at the level of agent_controller, in one session.
func (c *Cluster) withBackend(what string, fn func(b *backends.ZKBackend) error) error {
	return c.operator.withZooKeeper(what, func(e *env.Env, zk env.ZooKeeper) error {
		return fn(backends.NewZKBackend(e, c.bzid, zk))
	})
}

// layoutPath is the path of a layout; "" is that of the configuration.
func (c *Cluster) layoutPath(layout string) (string, error) {
	switch {
	case layout == "" && c.layout == "":
		return "", &runners.SpecError{Where: confName(c.spec), Found: "no layout_pattern", Want: "one, or a layout named by its path"}
	case layout == "":
		return c.layout, nil
	case strings.HasPrefix(layout, "/"):
		return layout, nil
	}
	return "/" + c.bzid + "/layouts/" + layout, nil
}

// Declare writes the deploy config of model:subGraph.
func (c *Cluster) Declare(model, subGraph, basePath, policy string) error {
	return c.withBackend("declare", func(b *backends.ZKBackend) error {
		return b.DeclSavedModel(datadef.SavedModel{ModelName: model, SubGraph: subGraph},
			&datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some(c.disks.toHost(basePath)), VersionPolicy: pysem.Some(policy)})
	})
}

// Publish adds sub-graphs of a model to a layout, as agent_controller pub does.
func (c *Cluster) Publish(layout, model string, subGraphs ...string) error {
	return c.mapToLayout("publish", layout, model, subGraphs, (*backends.ZKBackend).AddToLayout)
}

// Unpublish removes sub-graphs of a model from a layout, as agent_controller unpub does.
func (c *Cluster) Unpublish(layout, model string, subGraphs ...string) error {
	return c.mapToLayout("unpublish", layout, model, subGraphs, (*backends.ZKBackend).RemoveFromLayout)
}

// mapToLayout does something to sub-graphs in one session (agent_controller.py:90): to
// those that are declared in the order in which ZooKeeper lists them. Those that are not,
// which the command passes over, come after them in the order given.
func (c *Cluster) mapToLayout(what, layout, model string, subGraphs []string, do func(*backends.ZKBackend, string, datadef.SavedModel) error) error {
	path, err := c.layoutPath(layout)
	if err != nil {
		return err
	}
	return c.withBackend(what, func(b *backends.ZKBackend) error {
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
func (c *Cluster) WriteZnode(path string, data []byte) error {
	return c.operator.withZooKeeper("write znode", func(_ *env.Env, zk env.ZooKeeper) error {
		_, err := zk.Create(path, data, env.CreateOptions{MakePath: true})
		if errors.Is(err, zkerrors.ErrNodeExists) {
			_, err = zk.Set(path, data, -1)
		}
		return err
	})
}

// DeleteZnode deletes a znode and everything below it.
func (c *Cluster) DeleteZnode(path string) error {
	return c.operator.withZooKeeper("delete znode", func(_ *env.Env, zk env.ZooKeeper) error {
		return zk.Delete(path, env.DeleteOptions{Version: -1, Recursive: true})
	})
}

// ExportVersion adds a version directory of a size below a base path.
func (c *Cluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	return c.disks.addVersion(basePath, version, sizeBytes)
}

// DeleteVersion removes a version directory, version 0 the base path: in one step, as its
// files are gone only once nobody finds them.
func (c *Cluster) DeleteVersion(basePath string, version int64) error {
	dir := c.disks.modelPath(basePath)
	if version != 0 {
		dir = filepath.Join(dir, strconv.FormatInt(version, 10))
	}
	gone, err := os.MkdirTemp(filepath.Join(c.disks.root, modelsDir), ".deleted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(gone)
	err = os.Rename(dir, filepath.Join(gone, "version"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// StartPod starts a pod that has ended.
func (c *Cluster) StartPod(pod string) error {
	p, err := c.findPod(pod)
	if err != nil {
		return err
	}
	if err := p.start(); err != nil || p.bare == nil {
		return err
	}
	return p.awaitServer() // so that there is a process to call
}
