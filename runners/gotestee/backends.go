package gotestee

import (
	"sort"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// backendsOps are section 10 of the protocol: backends.ZKBackend.
var backendsOps = table{"backends.ZKBackend.sequence": (*call).backendSequence}

func (c *call) backendSequence() (any, error) {
	zk := c.newZK()
	r := &backendRun{b: agent.NewZKBackend(c.env, c.in.str("bzid"), zk), zk: zk}
	steps := c.sequence(zk, r.do, r.after, "delete", "ensure_path")
	return object("steps", steps, "tree", sortedTree(zk), "service_map", serviceMap(r.b.ServiceMap())), nil
}

type backendRun struct {
	b     *agent.ZKBackend
	zk    *fakeZK
	calls []any
}

func (r *backendRun) after(s step, out *pysem.Dict) {
	if len(r.calls) > 0 {
		out.Set("calls", r.calls)
		r.calls = nil
	}
	if s.name != "sync_available_saved_models" {
		return
	}
	v, _ := out.Get("writes")
	writes, _ := v.([]any)
	createsFirst(writes)
}

// createsFirst sorts writes that the reference makes in the order of sets.
func createsFirst(writes []any) {
	sort.SliceStable(writes, func(i, j int) bool {
		if a, b := callName(writes[i]) == "create", callName(writes[j]) == "create"; a != b {
			return a
		}
		return callPath(writes[i]) < callPath(writes[j])
	})
}

// sortedTree is the tree by path; nil before the start.
func sortedTree(zk *fakeZK) any {
	tree := zk.tree()
	if rows, ok := tree.([]any); ok {
		sort.Slice(rows, func(i, j int) bool { return rows[i].([]any)[0].(string) < rows[j].([]any)[0].(string) })
	}
	return tree
}

func savedModelOf(a arguments, name string) agent.SavedModel {
	model, graph := a.pair(name)
	return agent.SavedModel{ModelName: model, SubGraph: graph}
}

func containerOf(a arguments) agent.Container {
	cluster, id := a.pair("container")
	return agent.Container{Cluster: cluster, ID: id}
}

func (r *backendRun) do(s step) (any, error) {
	b := r.b
	switch s.name {
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
	case "register_layout_callback":
		return nil, b.RegisterLayoutCallback(s.str("layout_path"), func(models []agent.LayoutModel) error { return r.layoutCalled(s, models) })
	case "sync_available_saved_models":
		return r.sync(s)
	case "report_service_info":
		info, err := dataOf[agent.ContainerServiceInfo](s.object("service_info"), zero[agent.ContainerServiceInfo])
		if err != nil {
			return nil, err
		}
		return nil, b.ReportServiceInfo(containerOf(s.arguments), &info)
	case "get_service_info":
		info, err := b.GetServiceInfo(containerOf(s.arguments))
		if err != nil || info == nil {
			return nil, err
		}
		return info.Fields(), nil
	case "get_service_map":
		return serviceMap(b.ServiceMap()), nil
	case "subscribe_model":
		return nil, b.SubscribeModel(s.str("model_name"))
	case "get_sync_targets":
		target, addrs, err := b.SyncTargets(s.str("sub_graph"))
		return []any{target, addrs}, err
	}
	return r.doModels(s)
}

// doModels are the steps about declarations and layouts.
func (r *backendRun) doModels(s step) (any, error) {
	switch s.name {
	case "decl_saved_model":
		deploy, err := dataOf[agent.SavedModelDeployConfig](s.object("deploy_config"), zero[agent.SavedModelDeployConfig])
		if err != nil {
			return nil, err
		}
		return nil, r.b.DeclSavedModel(savedModelOf(s.arguments, "saved_model"), &deploy)
	case "add_to_layout":
		return nil, r.b.AddToLayout(s.str("layout"), savedModelOf(s.arguments, "saved_model"))
	case "remove_from_layout":
		return nil, r.b.RemoveFromLayout(s.str("layout"), savedModelOf(s.arguments, "saved_model"))
	case "list_saved_models":
		models, err := r.b.ListSavedModels(s.str("model_name"))
		return modelNames(models), err
	case "bzid_info":
		text, err := r.b.BzidInfoText()
		return text, err
	}
	unknownStep(s)
	return nil, nil
}

func (r *backendRun) layoutCalled(s step, models []agent.LayoutModel) error {
	list := []any{}
	for _, m := range models {
		list = append(list, []any{m.Model.String(), m.Deploy.Fields()})
	}
	r.calls = append(r.calls, raw{encode([]any{s.str("id"), list})})
	if s.optStr("behave").V == "raise" {
		return pysem.Raise("ValueError", "callback failed")
	}
	return nil
}

func (r *backendRun) sync(s step) (any, error) {
	models := savedModels(s.arguments, "saved_models")
	err := r.b.SyncAvailableSavedModels(containerOf(s.arguments), models)
	return object("available", modelNames(r.b.Available())), err
}

// savedModels is a list of [model, sub graph].
func savedModels(a arguments, name string) []agent.SavedModel {
	var models []agent.SavedModel
	for _, v := range a.list(name) {
		pair := arguments{Dict: object("pair", v), where: a.at(name)}
		models = append(models, savedModelOf(pair, "pair"))
	}
	return models
}

func modelNames(models []agent.SavedModel) []string {
	names := []string{}
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
				infos = append(infos, info.Fields())
			}
			graphs = append(graphs, []any{g.SubGraph, infos})
		}
		list = append(list, []any{services.Model, graphs})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].([]any)[0].(string) < list[j].([]any)[0].(string) })
	return list
}
