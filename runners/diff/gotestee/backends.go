package gotestee

import (
	"sort"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// backendsOps holds the operation of section 10 of the protocol, on backends.ZKBackend.
var backendsOps = table{"backends.ZKBackend.sequence": (*call).backendSequence}

func (c *call) backendSequence() (any, error) {
	zk := c.NewZK()
	r := &backendRun{b: backends.NewZKBackend(c.Env, c.In.Str("bzid"), zk), zk: zk}
	steps := c.Run(caseworld.Sequence{Do: r.do(), ZK: zk, Sorted: []string{"delete", "ensure_path"}, After: r.after})
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

// createsFirst sorts writes into a fixed order. In the reference the order is random, because it
// iterates over sets.
func createsFirst(writes []any) {
	sort.SliceStable(writes, func(i, j int) bool {
		if a, b := caseworld.CallName(writes[i]) == "create", caseworld.CallName(writes[j]) == "create"; a != b {
			return a
		}
		return caseworld.CallPath(writes[i]) < caseworld.CallPath(writes[j])
	})
}

// sortedTree returns the znodes sorted by path. Before the client is started it returns nil.
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

func (r *backendRun) do() caseworld.Do {
	b := r.b
	return caseworld.Do{
		"start":     b.Start,
		"stop":      b.Stop,
		"lost":      func() { r.zk.Tell(env.Lost) },
		"connected": func() { r.zk.Tell(env.Connected) },
		"register_layout_callback": func(s caseworld.Step, path string) error {
			return b.RegisterLayoutCallback(path, func(models []backends.LayoutModel) error { return r.layoutCalled(s, models) })
		},
		"sync_available_saved_models": r.sync,
		"report_service_info": func(s caseworld.Step) error {
			info, err := dataOf[datadef.ContainerServiceInfo](s.Object("service_info"), zero[datadef.ContainerServiceInfo])
			if err != nil {
				return err
			}
			return b.ReportServiceInfo(containerOf(s.Arguments), &info)
		},
		"get_service_info": func(s caseworld.Step) (*datadef.ContainerServiceInfo, error) {
			return b.GetServiceInfo(containerOf(s.Arguments))
		},
		"get_service_map":  func() []any { return serviceMap(b.ServiceMap()) },
		"subscribe_model":  b.SubscribeModel,
		"get_sync_targets": b.SyncTargets,
		"decl_saved_model": func(s caseworld.Step) error {
			deploy, err := dataOf[datadef.SavedModelDeployConfig](s.Object("deploy_config"), zero[datadef.SavedModelDeployConfig])
			if err != nil {
				return err
			}
			return b.DeclSavedModel(savedModelOf(s.Arguments, "saved_model"), &deploy)
		},
		"add_to_layout": func(s caseworld.Step, layout string) error {
			return b.AddToLayout(layout, savedModelOf(s.Arguments, "saved_model"))
		},
		"remove_from_layout": func(s caseworld.Step, layout string) error {
			return b.RemoveFromLayout(layout, savedModelOf(s.Arguments, "saved_model"))
		},
		"list_saved_models": func(name string) ([]string, error) {
			models, err := b.ListSavedModels(name)
			return modelNames(models), err
		},
		"bzid_info": b.BzidInfoText,
		"create_znode": func(s caseworld.Step, path string) error {
			return b.CreateZnode(path, s.Bytes("value"), env.CreateOptions{Ephemeral: s.Flag("ephemeral"), MakePath: s.Flag("makepath")})
		},
		"get_znode": func(path string) (any, error) {
			data, err := b.GetZnode(path)
			if data == nil {
				return nil, err
			}
			return data, err
		},
		"delete_znode": b.DeleteZnode,
	}
}

func (r *backendRun) layoutCalled(s caseworld.Step, models []backends.LayoutModel) error {
	list := lists.Map(models, func(m backends.LayoutModel) any { return []any{m.Model.String(), m.Deploy.Fields()} })
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

// savedModels returns the models that a step lists as [model, sub graph].
func savedModels(a caseworld.Arguments, name string) []datadef.SavedModel {
	var models []datadef.SavedModel
	for _, v := range a.List(name) {
		pair := caseworld.Arguments{Dict: caseworld.Object("pair", v), Where: a.At(name)}
		models = append(models, savedModelOf(pair, "pair"))
	}
	return models
}

func modelNames(models []datadef.SavedModel) []string {
	return lists.Map(models, datadef.SavedModel.String)
}

// serviceMap encodes a service map. Models are sorted, and sub-graphs keep their order.
func serviceMap(m backends.ServiceMap) []any {
	list := []any{}
	for _, services := range m {
		graphs := []any{}
		for _, g := range services.SubGraphs {
			infos := lists.Map(g.Services, func(info *datadef.ContainerServiceInfo) any { return info.Fields() })
			graphs = append(graphs, []any{g.SubGraph, infos})
		}
		list = append(list, []any{services.Model, graphs})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].([]any)[0].(string) < list[j].([]any)[0].(string) })
	return list
}
