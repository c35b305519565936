package gotestee

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// modelMgrOps holds the operation of section 13 of the protocol, on mocked_tfserving.py.
var modelMgrOps = table{"mocked_tfserving.ModelMgr.sequence": (*call).modelMgrSequence}

func (c *call) modelMgrSequence() (any, error) {
	m := fake.NewModels(c.Env.Log.Logf)
	if c.In.Value("configs") != nil {
		request, err := serverConfig(c.In)
		if err != nil {
			return nil, err
		}
		m.Load(modelconfig.ConfigFromProto(request).Models)
	}
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: modelMgrSteps(m), After: func(_ caseworld.Step, answer *pysem.Dict) {
		answer.Set("models", fakeModels(m))
		answer.Set("queue", fakeQueue(m))
	}})), nil
}

// serverConfig makes a model server configuration. The step lists the arguments of gen_model_config
// for each model.
func serverConfig(a caseworld.Arguments) (*config.ModelServerConfig, error) {
	list := &config.ModelConfigList{}
	for _, x := range a.Objects("configs") {
		mc, err := modelConfig(x, quirks.Python) // always with the reference's quirks: the config is the case's, not an agent's
		if err != nil {
			return nil, err
		}
		list.Config = append(list.Config, mc)
	}
	skipManyVersions(list)
	return &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}}, nil
}

func fakeModels(m *fake.Models) []any {
	list := []any{}
	for _, model := range m.Models() {
		versions := lists.Map(model.States, func(v fake.Version) any { return []any{v.Version, textOrNone(v.Label), v.State} })
		list = append(list, []any{model.Name, model.BasePath, model.Policy, versionData(model), model.Unloading, versions})
	}
	return list
}

func textOrNone(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func versionData(model fake.Model) any {
	switch {
	case model.Unlimited:
		return nil
	case model.Policy == "latest":
		return int(model.NumVersions)
	}
	return lists.Map(model.Versions, func(v int64) any { return v })
}

func fakeQueue(m *fake.Models) []any {
	return lists.Map(m.Queue(), func(e fake.Event) any { return []any{e.Model, e.Version, e.State} })
}

func modelMgrSteps(m *fake.Models) caseworld.Do {
	return caseworld.Do{
		"load": func(s caseworld.Step) error {
			request, err := serverConfig(s.Arguments)
			if err == nil {
				m.Load(modelconfig.ConfigFromProto(request).Models)
			}
			return err
		},
		"remove": m.Remove,
		"handle": func(n pysem.OptInt) (any, error) {
			for range n.Or(1) {
				if some, err := m.Handle(); err != nil || !some {
					return "empty", err
				}
			}
			return nil, nil
		},
		"drain": func() (int, error) {
			for n := 0; ; n++ {
				if some, err := m.Handle(); err != nil || !some {
					return n, err
				}
			}
		},
		"event": func(name string, version int64, state env.ModelState) error {
			return m.HandleEvent(fake.Event{Model: name, Version: version, State: state})
		},
		"new_version": m.Grow,
		"set_label": func(name string, index int, label pysem.OptString) error {
			if !label.Set {
				return m.SetLabel(name, index, nil)
			}
			return m.SetLabel(name, index, &label.V)
		},
		"alive": m.Alive,
		"get_status": func(s caseworld.Step) ([]any, error) {
			reply, err := fakeStatus(m, s)
			list := lists.Map(reply.GetModelVersionStatus(), func(status *apis.ModelVersionStatus) any { return caseworld.PB(status) })
			return list, err
		},
		"rpc.GetModelStatus":   func(s caseworld.Step) (any, error) { return fakeStatus(m, s) },
		"get_metadata":         func(s caseworld.Step) (any, error) { return fakeMetadata(m, s) },
		"rpc.GetModelMetadata": func(s caseworld.Step) (any, error) { return fakeMetadataReply(m, s) },
		"rpc.HandleReloadConfigRequest": func(s caseworld.Step) (any, error) {
			request, err := serverConfig(s.Arguments)
			if err != nil {
				return nil, err
			}
			reply := &apis.ReloadConfigResponse{}
			return reply, callFake(m, node.MethodReload, &apis.ReloadConfigRequest{Config: request}, reply)
		},
	}
}

func callFake(m *fake.Models, method string, request, reply proto.Message) error {
	data, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	answer, err := m.Call(method, data)
	if err != nil {
		return err
	}
	return proto.Unmarshal(answer, reply)
}

func fakeStatus(m *fake.Models, s caseworld.Step) (*apis.GetModelStatusResponse, error) {
	spec, err := agentconfig.GenModelSpec(s.Str("name"), s.Value("version"), s.OptStr("signature_name"))
	if err != nil {
		return nil, err
	}
	reply := &apis.GetModelStatusResponse{}
	return reply, callFake(m, node.MethodStatus, &apis.GetModelStatusRequest{ModelSpec: spec}, reply)
}

// fakeMetadata runs the step get_metadata. It returns the attributes of the model, followed by the
// attributes of the version.
func fakeMetadata(m *fake.Models, s caseworld.Step) (any, error) {
	out := caseworld.Object()
	fields := s.Strings("fields")
	if len(fields) == 0 {
		return out, nil
	}
	model, err := m.Model(s.Str("name"))
	if err != nil {
		return nil, err
	}
	conf := caseworld.Object("model_name", model.Name, "base_path", model.BasePath, "version_policy", model.Policy,
		"version_data", versionData(model), "model_platform", "tensorflow", "signature_name", []string{"update", "predict"})
	takeFields(out, conf, fields)
	if n, ok := s.Value("version").(int); ok {
		i := slices.IndexFunc(model.States, func(v fake.Version) bool { return v.Version == int64(n) })
		if i >= 0 {
			v := model.States[i]
			takeFields(out, caseworld.Object("version", v.Version, "version_label", textOrNone(v.Label), "state", v.State), fields)
		}
	}
	return out, nil
}

func takeFields(to, from *pysem.Dict, fields []string) {
	for _, f := range fields {
		if v, ok := from.Get(f); ok {
			to.Set(f, v)
		}
	}
}

func fakeMetadataReply(m *fake.Models, s caseworld.Step) (any, error) {
	spec, err := agentconfig.GenModelSpec(s.Str("name"), s.Value("version"), pysem.OptString{})
	if err != nil {
		return nil, err
	}
	fields := s.Strings("fields")
	if len(fields) > 0 {
		// The state machine words the KeyError of an unknown model as gRPC does. So the exception
		// is raised here, in the reference's words.
		if _, err := m.Model(s.Str("name")); err != nil {
			return nil, err
		}
	}
	reply := &apis.GetModelMetadataResponse{}
	err = callFake(m, node.MethodMetadata, &apis.GetModelMetadataRequest{ModelSpec: spec, MetadataField: fields}, reply)
	return caseworld.PB(reply), err
}
