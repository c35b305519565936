package gotestee

import (
	"sort"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// backendsOps are section 10 of the protocol: backends.ZKBackend.
var backendsOps = table{"backends.ZKBackend.sequence": (*call).backendSequence}

func (c *call) backendSequence() (any, error) {
	zk := c.NewZK()
	r := &backendRun{b: backends.NewZKBackend(c.Env, c.In.Str("bzid"), zk), zk: zk}
	steps := c.Sequence(zk, r.do, r.after, "delete", "ensure_path")
	return caseworld.Object("steps", steps, "tree", sortedTree(zk), "service_map", serviceMap(r.b.ServiceMap())), nil
}

type backendRun struct {
	b     *backends.ZKBackend
	zk    *caseworld.ZooKeeper
	calls []any
}

func (r *backendRun) after(s caseworld.Step, out *pysem.Dict) {
	if len(r.calls) > 0 {
		out.Set("calls", r.calls)
		r.calls = nil
	}
	if s.Name != "sync_available_saved_models" {
		return
	}
	v, _ := out.Get("writes")
	writes, _ := v.([]any)
	createsFirst(writes)
}

// createsFirst sorts writes that the reference makes in the order of sets.
func createsFirst(writes []any) {
	sort.SliceStable(writes, func(i, j int) bool {
		if a, b := caseworld.CallName(writes[i]) == "create", caseworld.CallName(writes[j]) == "create"; a != b {
			return a
		}
		return caseworld.CallPath(writes[i]) < caseworld.CallPath(writes[j])
	})
}

// sortedTree is the tree by path; nil before the start.
func sortedTree(zk *caseworld.ZooKeeper) any {
	tree := zk.Tree()
	if rows, ok := tree.([]any); ok {
		sort.Slice(rows, func(i, j int) bool { return rows[i].([]any)[0].(string) < rows[j].([]any)[0].(string) })
	}
	return tree
}

func savedModelOf(a caseworld.Arguments, name string) datadef.SavedModel {
	model, graph := a.Pair(name)
	return datadef.SavedModel{ModelName: model, SubGraph: graph}
}

func containerOf(a caseworld.Arguments) datadef.Container {
	cluster, id := a.Pair("container")
	return datadef.Container{Cluster: cluster, ID: id}
}

func (r *backendRun) do(s caseworld.Step) (any, error) {
	b := r.b
	switch s.Name {
	case "start":
		return nil, b.Start()
	case "stop":
		b.Stop()
		return nil, nil
	case "lost":
		r.zk.Tell(env.Lost)
		return nil, nil
	case "connected":
		r.zk.Tell(env.Connected)
		return nil, nil
	case "register_layout_callback":
		return nil, b.RegisterLayoutCallback(s.Str("layout_path"), func(models []backends.LayoutModel) error { return r.layoutCalled(s, models) })
	case "sync_available_saved_models":
		return r.sync(s)
	case "report_service_info":
		info, err := dataOf[datadef.ContainerServiceInfo](s.Object("service_info"), zero[datadef.ContainerServiceInfo])
		if err != nil {
			return nil, err
		}
		return nil, b.ReportServiceInfo(containerOf(s.Arguments), &info)
	case "get_service_info":
		info, err := b.GetServiceInfo(containerOf(s.Arguments))
		if err != nil || info == nil {
			return nil, err
		}
		return info.Fields(), nil
	case "get_service_map":
		return serviceMap(b.ServiceMap()), nil
	case "subscribe_model":
		return nil, b.SubscribeModel(s.Str("model_name"))
	case "get_sync_targets":
		target, addrs, err := b.SyncTargets(s.Str("sub_graph"))
		return []any{target, addrs}, err
	}
	return r.doModels(s)
}

// doModels are the steps about declarations and layouts.
func (r *backendRun) doModels(s caseworld.Step) (any, error) {
	switch s.Name {
	case "decl_saved_model":
		deploy, err := dataOf[datadef.SavedModelDeployConfig](s.Object("deploy_config"), zero[datadef.SavedModelDeployConfig])
		if err != nil {
			return nil, err
		}
		return nil, r.b.DeclSavedModel(savedModelOf(s.Arguments, "saved_model"), &deploy)
	case "add_to_layout":
		return nil, r.b.AddToLayout(s.Str("layout"), savedModelOf(s.Arguments, "saved_model"))
	case "remove_from_layout":
		return nil, r.b.RemoveFromLayout(s.Str("layout"), savedModelOf(s.Arguments, "saved_model"))
	case "list_saved_models":
		models, err := r.b.ListSavedModels(s.Str("model_name"))
		return modelNames(models), err
	case "bzid_info":
		text, err := r.b.BzidInfoText()
		return text, err
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

func (r *backendRun) layoutCalled(s caseworld.Step, models []backends.LayoutModel) error {
	list := []any{}
	for _, m := range models {
		list = append(list, []any{m.Model.String(), m.Deploy.Fields()})
	}
	r.calls = append(r.calls, caseworld.Raw{V: caseworld.Encode([]any{s.Str("id"), list})})
	if s.OptStr("behave").V == "raise" {
		return pysem.Raise("ValueError", "callback failed")
	}
	return nil
}

func (r *backendRun) sync(s caseworld.Step) (any, error) {
	models := savedModels(s.Arguments, "saved_models")
	err := r.b.SyncAvailableSavedModels(containerOf(s.Arguments), models)
	return caseworld.Object("available", modelNames(r.b.Available())), err
}

// savedModels is a list of [model, sub graph].
func savedModels(a caseworld.Arguments, name string) []datadef.SavedModel {
	var models []datadef.SavedModel
	for _, v := range a.List(name) {
		pair := caseworld.Arguments{Dict: caseworld.Object("pair", v), Where: a.At(name)}
		models = append(models, savedModelOf(pair, "pair"))
	}
	return models
}

func modelNames(models []datadef.SavedModel) []string {
	names := []string{}
	for _, m := range models {
		names = append(names, m.String())
	}
	return names
}

// serviceMap has the models sorted; their sub-graphs keep their order.
func serviceMap(m backends.ServiceMap) []any {
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
