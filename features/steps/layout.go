package steps

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/monosim/monosim/runners"
)

// layoutPath returns the path of a layout's znode. A name that begins with a slash is a path
// already (utils.py:571).
func (w *World) layoutPath(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return "/" + w.bzid() + "/layouts/" + name
}

func (w *World) declare(servables string) error { return w.declareWith(servables, "latest") }

func (w *World) declareWith(servables, policy string) error {
	for _, s := range list(servables) {
		model, subGraph := modelAndSubGraph(s)
		if err := w.cluster.Declare(model, subGraph, w.basePath(s), policy); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) publish(servables, layout string) error {
	w.remarkLayout(layout)
	return eachModel(servables, func(model string, subGraphs []string) error {
		return w.cluster.Publish(w.layoutPath(layout), model, subGraphs...)
	})
}

// remarkLayout adds a remark to the cluster's log if no agent watches a layout. What is published
// there would have no effect.
func (w *World) remarkLayout(layout string) {
	watched := w.conf.get("layout_pattern")
	if n, ok := w.cluster.(runners.Narrator); ok && w.spec.Detail && (watched == "" || w.layoutPath(watched) != w.layoutPath(layout)) {
		n.Remark(fmt.Sprintf("no agent watches layout %s; the agents watch %s", layout, cmp.Or(watched, "none")))
	}
}

func (w *World) unpublish(servables, layout string) error {
	return eachModel(servables, func(model string, subGraphs []string) error {
		return w.cluster.Unpublish(w.layoutPath(layout), model, subGraphs...)
	})
}

// eachModel calls fn once for each model in a list of servables. subGraphs holds the model's
// sub-graphs in the order of the list.
func eachModel(servables string, fn func(model string, subGraphs []string) error) error {
	var models []string
	subGraphs := map[string][]string{}
	for _, s := range list(servables) {
		model, subGraph := modelAndSubGraph(s)
		if subGraphs[model] == nil {
			models = append(models, model)
		}
		subGraphs[model] = append(subGraphs[model], subGraph)
	}
	for _, model := range models {
		if err := fn(model, subGraphs[model]); err != nil {
			return err
		}
	}
	return nil
}

// rollOut declares all sub-graphs of an exported model, then publishes them to a layout.
func (w *World) rollOut(model, layout string) error {
	var servables []string
	for _, m := range w.models {
		for _, g := range m.SubGraphs {
			if m.Name == model {
				servables = append(servables, model+":"+g.Name)
			}
		}
	}
	if servables == nil {
		return fmt.Errorf("model %s: found none in the shape of the cluster, want its sub-graphs", model)
	}
	all := strings.Join(servables, ", ")
	if err := w.declare(all); err != nil {
		return err
	}
	return w.publish(all, layout)
}
