package gotestee

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// modelMgrOps are section 13 of the protocol: mocked_tfserving.py.
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
	out := []any{}
	for _, s := range c.In.Steps("steps") {
		answer := caseworld.Attempt(modelMgrStep(m, s))
		answer.Set("models", caseworld.Raw{V: caseworld.Encode(fakeModels(m))})
		answer.Set("queue", caseworld.Raw{V: caseworld.Encode(fakeQueue(m))})
		out = append(out, answer)
	}
	return caseworld.Object("steps", out), nil
}

// serverConfig is the config of a list of gen_model_config arguments.
func serverConfig(a caseworld.Arguments) (*config.ModelServerConfig, error) {
	list := &config.ModelConfigList{}
	for _, x := range a.Objects("configs") {
		mc, err := modelConfig(x, quirks.Python) // a request of the case, not of an agent
		if err != nil {
			return nil, err
		}
		list.Config = append(list.Config, mc)
	}
	return &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}}, nil
}

func fakeModels(m *fake.Models) []any {
	list := []any{}
	for _, model := range m.Models() {
		versions := []any{}
		for _, v := range model.States {
			versions = append(versions, []any{v.Version, textOrNone(v.Label), v.State})
		}
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
	list := []any{}
	for _, v := range model.Versions {
		list = append(list, v)
	}
	return list
}

func fakeQueue(m *fake.Models) []any {
	list := []any{}
	for _, e := range m.Queue() {
		list = append(list, []any{e.Model, e.Version, e.State})
	}
	return list
}

func modelMgrStep(m *fake.Models, s caseworld.Step) (any, error) {
	switch s.Name {
	case "load":
		request, err := serverConfig(s.Arguments)
		if err != nil {
			return nil, err
		}
		m.Load(modelconfig.ConfigFromProto(request).Models)
		return nil, nil
	case "remove":
		return nil, m.Remove(s.Strings("names"))
	case "handle":
		for range s.IntegerOr("n", 1) {
			if some, err := m.Handle(); err != nil || !some {
				return "empty", err
			}
		}
		return nil, nil
	case "drain":
		n := 0
		for {
			some, err := m.Handle()
			if err != nil || !some {
				return n, err
			}
			n++
		}
	case "event":
		return nil, m.HandleEvent(fake.Event{
			Model: s.Str("model_name"), Version: int64(s.IntegerOr("version", 0)), State: env.ModelState(s.IntegerOr("state", 0)),
		})
	case "new_version":
		return nil, m.Grow(s.Str("name"))
	case "set_label":
		var label *string
		if given := s.OptStr("label"); given.Set {
			label = &given.V
		}
		return nil, m.SetLabel(s.Str("name"), s.Integer("index"), label)
	case "alive":
		return m.Alive(), nil
	}
	return modelMgrQuery(m, s)
}

// modelMgrQuery are the steps that ask, directly or as a request.
func modelMgrQuery(m *fake.Models, s caseworld.Step) (any, error) {
	switch s.Name {
	case "get_status":
		reply, err := fakeStatus(m, s)
		if err != nil {
			return nil, err
		}
		list := []any{}
		for _, status := range reply.GetModelVersionStatus() {
			list = append(list, caseworld.PB(status))
		}
		return list, nil
	case "rpc.GetModelStatus":
		reply, err := fakeStatus(m, s)
		return caseworld.PB(reply), err
	case "get_metadata":
		return fakeMetadata(m, s)
	case "rpc.GetModelMetadata":
		return fakeMetadataReply(m, s)
	case "rpc.HandleReloadConfigRequest":
		request, err := serverConfig(s.Arguments)
		if err != nil {
			return nil, err
		}
		reply := &apis.ReloadConfigResponse{}
		err = callFake(m, node.MethodReload, &apis.ReloadConfigRequest{Config: request}, reply)
		return caseworld.PB(reply), err
	}
	caseworld.UnknownStep(s)
	return nil, nil
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

// fakeMetadata is get_metadata: the attributes themselves, of which the
// version's win.
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
		// The state machine words the KeyError as gRPC tells it.
		if _, err := m.Model(s.Str("name")); err != nil {
			return nil, err
		}
	}
	reply := &apis.GetModelMetadataResponse{}
	err = callFake(m, node.MethodMetadata, &apis.GetModelMetadataRequest{ModelSpec: spec, MetadataField: fields}, reply)
	return caseworld.PB(reply), err
}
