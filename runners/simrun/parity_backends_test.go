package simrun_test

import (
	"sort"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// sequence runs steps; each gives an attempt with the writes that it caused, and
// what after adds to it.
func (c *parityCase) sequence(zk *recordingZK, do func(name string, a *pysem.Dict) (any, error), after func(name string, step *pysem.Dict), sorted ...string) []any {
	steps := []any{}
	for _, s := range item(c.in, "steps").([]any) {
		name, a := s.([]any)[0].(string), s.([]any)[1].(*pysem.Dict)
		zk.calls = nil
		var step *pysem.Dict
		if method, ok := strings.CutPrefix(name, "zk."); ok {
			zk.quiet = true
			step = attempt(zk.do(method, a))
			zk.quiet = false
		} else {
			step = attempt(do(name, a))
		}
		if writes := zk.take(sorted...); len(writes) > 0 {
			step.Set("writes", writes)
		}
		after(name, step)
		steps = append(steps, step)
	}
	return steps
}

// backendSequence is section 10 of the protocol.
func (c *parityCase) backendSequence() (any, error) {
	zk := newRecordingZK(c.env)
	b := agent.NewZKBackend(c.env, text(c.in, "bzid"), zk)
	r := &backendRun{b: b, zk: zk}
	steps := c.sequence(zk, r.do, r.after, "delete", "ensure_path")
	tree := zk.tree()
	if rows, ok := tree.([]any); ok {
		sort.Slice(rows, func(i, j int) bool { return rows[i].([]any)[0].(string) < rows[j].([]any)[0].(string) })
	}
	return object("steps", steps, "tree", tree, "service_map", serviceMap(b.ServiceMap())), nil
}

type backendRun struct {
	b     *agent.ZKBackend
	zk    *recordingZK
	calls []any
}

func (r *backendRun) after(name string, step *pysem.Dict) {
	if len(r.calls) > 0 {
		step.Set("calls", r.calls)
		r.calls = nil
	}
	writes, _ := item(step, "writes").([]any)
	if name == "sync_available_saved_models" {
		sort.SliceStable(writes, func(i, j int) bool {
			a, b := callName(writes[i]), callName(writes[j])
			if a != b {
				return a == "create" || b != "create" && a < b
			}
			return callPath(writes[i]) < callPath(writes[j])
		})
	}
}

func savedModel(d *pysem.Dict) agent.SavedModel {
	model, graph := pair(d, "saved_model")
	return agent.SavedModel{ModelName: model, SubGraph: graph}
}

func container(d *pysem.Dict) agent.Container {
	cluster, id := pair(d, "container")
	return agent.Container{Cluster: cluster, ID: id}
}

func serviceInfo(v any) (*agent.ContainerServiceInfo, error) {
	info := &agent.ContainerServiceInfo{}
	for _, f := range v.(*pysem.Dict).Items {
		if err := info.Set(f.Key, f.Value); err != nil {
			return nil, err
		}
	}
	return info, nil
}

func (r *backendRun) do(name string, a *pysem.Dict) (any, error) {
	b := r.b
	switch name {
	case "start":
		return nil, b.Start()
	case "stop":
		b.Stop()
		return nil, nil
	case "lost":
		r.zk.tell(env.Lost)
		return nil, nil
	case "connected":
		r.zk.tell(env.Connected)
		return nil, nil
	case "decl_saved_model":
		deploy := &agent.SavedModelDeployConfig{}
		for _, f := range item(a, "deploy_config").(*pysem.Dict).Items {
			if err := deploy.Set(f.Key, f.Value); err != nil {
				return nil, err
			}
		}
		return nil, b.DeclSavedModel(savedModel(a), deploy)
	case "add_to_layout":
		return nil, b.AddToLayout(text(a, "layout"), savedModel(a))
	case "remove_from_layout":
		return nil, b.RemoveFromLayout(text(a, "layout"), savedModel(a))
	case "register_layout_callback":
		return nil, b.RegisterLayoutCallback(text(a, "layout_path"), func(models []agent.LayoutModel) error { return r.layoutCalled(a, models) })
	case "sync_available_saved_models":
		return r.sync(a)
	case "report_service_info":
		info, err := serviceInfo(item(a, "service_info"))
		if err != nil {
			return nil, err
		}
		return nil, b.ReportServiceInfo(container(a), info)
	case "get_service_info":
		info, err := b.GetServiceInfo(container(a))
		if info == nil {
			return nil, err
		}
		return info.Fields(), err
	case "list_saved_models":
		models, err := b.ListSavedModels(text(a, "model_name"))
		return modelNames(models), err
	case "get_service_map":
		return serviceMap(b.ServiceMap()), nil
	case "subscribe_model":
		return nil, b.SubscribeModel(text(a, "model_name"))
	case "get_sync_targets":
		target, addrs, err := b.SyncTargets(text(a, "sub_graph"))
		return []any{target, encodeValue(addrs)}, err
	}
	panic("backend step " + name)
}

func (r *backendRun) layoutCalled(a *pysem.Dict, models []agent.LayoutModel) error {
	list := []any{}
	for _, m := range models {
		list = append(list, []any{m.Model.String(), encodeValue(m.Deploy.Fields())})
	}
	r.calls = append(r.calls, []any{text(a, "id"), list})
	if text(a, "behave") == "raise" {
		return pysem.Raise("ValueError", "callback failed")
	}
	return nil
}

func (r *backendRun) sync(a *pysem.Dict) (any, error) {
	var models []agent.SavedModel
	for _, m := range item(a, "saved_models").([]any) {
		m := m.([]any)
		models = append(models, agent.SavedModel{ModelName: m[0].(string), SubGraph: m[1].(string)})
	}
	err := r.b.SyncAvailableSavedModels(container(a), models)
	return object("available", modelNames(r.b.Available())), err
}

func modelNames(models []agent.SavedModel) []any {
	names := []any{}
	for _, m := range models {
		names = append(names, m.String())
	}
	return names
}

// serviceMap has the models sorted; their sub-graphs keep their order.
func serviceMap(m agent.ServiceMap) []any {
	list := []any{}
	for _, services := range m {
		graphs := []any{}
		for _, g := range services.SubGraphs {
			infos := []any{}
			for _, info := range g.Services {
				infos = append(infos, encodeValue(info.Fields()))
			}
			graphs = append(graphs, []any{g.SubGraph, infos})
		}
		list = append(list, []any{services.Model, graphs})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].([]any)[0].(string) < list[j].([]any)[0].(string) })
	return list
}
