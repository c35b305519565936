package backends

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// BzidInfo describes everything that is kept under the bzid (backends.py:400): an
// object of model_info, container_info and layout_info.
//
//	model_info      model: {sub-graph: {deploy_config?, bindings?}, sub_graphs_total?, sub_graphs_available?}
//	container_info  cluster: {container id: {service_info?, saved_models?}}
//	layout_info     layout: [saved models, sorted]
//
// The keys of the second level are sorted, those of the first are in the order of
// ZooKeeper's answers. A znode that goes away meanwhile is an error.
//
// Cost: a report grows with the models, bindings, containers and layouts of the bzid,
// one read after another on one connection.
func (b *ZKBackend) BzidInfo() (*pysem.Dict, error) {
	r := bzidReport{b: b, models: &pysem.Dict{}, containers: &pysem.Dict{}, layouts: &pysem.Dict{}}
	for _, part := range []struct {
		name string
		read func(children []string) error
	}{
		{"saved_models", r.readModels}, {"container_service", r.readContainers},
		{"layouts", r.readLayouts}, {"binding", r.readBindings},
	} {
		stat, err := b.zk.Exists(b.path(part.name))
		if err != nil {
			return nil, err
		}
		if stat == nil {
			continue
		}
		children, err := b.zk.Children(b.path(part.name))
		if err != nil {
			return nil, err
		}
		if err := part.read(children); err != nil {
			return nil, err
		}
	}
	sortInner(r.models)
	sortInner(r.containers)
	info := &pysem.Dict{}
	info.Set("model_info", r.models)
	info.Set("container_info", r.containers)
	info.Set("layout_info", r.layouts)
	return info, nil
}

// BzidInfoText returns [ZKBackend.BzidInfo] as indented JSON, as the control command prints it.
func (b *ZKBackend) BzidInfoText() (string, error) {
	info, err := b.BzidInfo()
	if err != nil {
		return "", err
	}
	return string(pysem.AppendJSONIndent(nil, info, 2)), nil
}

// sortInner sorts the keys of the dicts that are the values of d.
func sortInner(d *pysem.Dict) {
	for i := range d.Items {
		items := slices.Clone(d.Items[i].Value.(*pysem.Dict).Items)
		slices.SortFunc(items, func(a, b pysem.Item) int { return strings.Compare(a.Key, b.Key) })
		d.Items[i].Value = &pysem.Dict{Items: items}
	}
}

// bzidReport collects the description of a business id: its models, containers and layouts.
type bzidReport struct {
	b                           *ZKBackend
	models, containers, layouts *pysem.Dict
}

func (r *bzidReport) readModels(names []string) error {
	for _, name := range names {
		subGraphs, err := r.b.zk.Children(r.b.path("saved_models", name))
		if err != nil {
			return err
		}
		model := inner(r.models, name)
		model.Set("sub_graphs_total", len(subGraphs))
		for _, subGraph := range subGraphs {
			text, err := r.text("saved_models", name, subGraph)
			if err != nil {
				return err
			}
			entry, ok := innermost(model, subGraph)
			if !ok {
				return pysem.Raise("TypeError", "'int' object does not support item assignment")
			}
			entry.Set("deploy_config", text)
		}
	}
	return nil
}

func (r *bzidReport) readContainers(names []string) error {
	for _, name := range names {
		parts, err := splitColons(name, 2)
		if err != nil {
			return err
		}
		text, err := r.text("container_service", name)
		if err != nil {
			return err
		}
		inner(inner(r.containers, parts[0]), parts[1]).Set("service_info", text)
	}
	return nil
}

func (r *bzidReport) readLayouts(names []string) error {
	for _, name := range names {
		models, err := r.b.zk.Children(r.b.path("layouts", name))
		if err != nil {
			return err
		}
		r.layouts.Set(name, dataclass.AnyList(pysem.SortedStrings(models)))
	}
	return nil
}

func (r *bzidReport) readBindings(names []string) error {
	for _, name := range names {
		bindings, err := r.b.zk.Children(r.b.path("binding", name))
		if err != nil {
			return err
		}
		for _, binding := range bindings {
			parts, err := splitColons(binding, 3)
			if err != nil {
				return err
			}
			if err := r.bind(name, parts[0], parts[1], parts[2]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *bzidReport) bind(name, subGraph, cluster, id string) error {
	model := inner(r.models, name)
	entry, ok := innermost(model, subGraph)
	if !ok {
		return pysem.Raise("TypeError", "argument of type 'int' is not iterable")
	}
	if _, bound := entry.Get("bindings"); !bound {
		available, known := model.Get("sub_graphs_available")
		count, isInt := available.(int)
		if known && !isInt {
			return pysem.Raise("TypeError", "unsupported operand type(s) for +: 'dict' and 'int'")
		}
		model.Set("sub_graphs_available", count+1)
	}
	add(entry, "bindings", cluster+":"+id)
	add(inner(inner(r.containers, cluster), id), "saved_models", name+":"+subGraph)
	return nil
}

// text returns the data of a znode as text. A missing znode is an AttributeError, as in Python.
func (r *bzidReport) text(parts ...string) (string, error) {
	data, err := r.b.GetZnode(r.b.path(parts...))
	if err != nil {
		return "", err
	}
	if data == nil {
		return "", pysem.AttributeError(nil, "decode")
	}
	return pysem.DecodeUTF8(data)
}

// inner returns the dict at a key, and makes it if it is missing, as Python's defaultdict does.
func inner(d *pysem.Dict, key string) *pysem.Dict {
	found, _ := innermost(d, key)
	return found
}

// innermost returns the dict at a key, and makes it if it is missing. ok is false if the key holds
// a count instead, because a sub-graph has the same name as that count's key.
func innermost(d *pysem.Dict, key string) (found *pysem.Dict, ok bool) {
	value, known := d.Get(key)
	if !known {
		made := &pysem.Dict{}
		d.Set(key, made)
		return made, true
	}
	found, ok = value.(*pysem.Dict)
	return found, ok
}

// add appends a value to the list at a key.
func add(d *pysem.Dict, key, value string) {
	list, _ := d.Get(key)
	values, _ := list.([]any)
	d.Set(key, append(values, value))
}

// splitColons splits text at colons and returns the first n parts. Fewer than n parts are a
// ValueError.
func splitColons(text string, n int) ([]string, error) {
	parts := strings.Split(text, ":")
	if len(parts) < n {
		return nil, pysem.UnpackError(n, len(parts))
	}
	return parts[:n], nil
}
