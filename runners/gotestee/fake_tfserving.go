package gotestee

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving"
)

// fakeServerOps are the fake model server as it is started; their forms stand at the
// top of runners/python/ops/fake_tfserving.py.
var fakeServerOps = table{
	"mocked_tfserving.FakeTFServing.sequence": (*call).fakeServerSequence,
	"mocked_tfserving.FakeTFServing.served":   (*call).fakeServerServed,
}

// fakeMethod is a method of the fake's services with its messages.
type fakeMethod struct {
	path           string
	request, reply proto.Message
}

const predictionService = "/tensorflow.serving.PredictionService/"

var fakeMethods = map[string]fakeMethod{
	"GetModelStatus":            {tfserving.MethodStatus, &apis.GetModelStatusRequest{}, &apis.GetModelStatusResponse{}},
	"HandleReloadConfigRequest": {tfserving.MethodReload, &apis.ReloadConfigRequest{}, &apis.ReloadConfigResponse{}},
	"Predict":                   {tfserving.MethodPredict, &apis.PredictRequest{}, &apis.PredictResponse{}},
	"GetModelMetadata":          {tfserving.MethodMetadata, &apis.GetModelMetadataRequest{}, &apis.GetModelMetadataResponse{}},
	"Classify":                  {predictionService + "Classify", &apis.ClassificationRequest{}, &apis.ClassificationResponse{}},
	"Regress":                   {predictionService + "Regress", &apis.RegressionRequest{}, &apis.RegressionResponse{}},
	"MultiInference":            {predictionService + "MultiInference", &apis.MultiInferenceRequest{}, &apis.MultiInferenceResponse{}},
}

// The quirks whose repair is that the option FakeBugs is off.
const (
	q93 agent.Quirk = 93 // policy all ends the thread
	q95 agent.Quirk = 95 // old events unload a model that came back
	q99 agent.Quirk = 99 // versions are sorted in the caller's config
)

// fakeServer is the server that a case asks for. config is what it was given, nil for
// none, and options.InitialConfig the same.
type fakeServer struct {
	options tfserving.Options
	config  *config.ModelServerConfig
}

func (c *call) fakeServer() (fakeServer, error) {
	given := c.in.object("server")
	s := fakeServer{options: tfserving.DefaultOptions(tfserving.ProfilePythonFake)}
	s.options.FakeBugs = c.quirks.Keeps(q93) && c.quirks.Keeps(q95) && c.quirks.Keeps(q99)
	s.options.ModelName = given.optStr("model_name").V
	s.options.ModelBasePath = given.optStr("base_path").V
	s.options.FakeNumVersions = given.integerOr("num_versions", 1)
	s.options.ModelConfigFile = given.optStr("config_file").V
	if !given.has("config") {
		return s, nil
	}
	s.config = &config.ModelServerConfig{}
	if err := textpb.Unmarshal(given.str("config"), s.config); err != nil {
		return s, err
	}
	initial := tfserving.ConfigFromProto(s.config)
	s.options.InitialConfig = &initial
	return s, nil
}

// configAsLeft is the message of a config of which the server may have changed
// the lists of versions.
func configAsLeft(message *config.ModelServerConfig, left tfserving.ServerConfig) any {
	if message == nil {
		return nil
	}
	message = proto.CloneOf(message)
	for i, m := range message.GetModelConfigList().GetConfig() {
		if policy := left.Models[i].Policy; policy.Kind == tfserving.Specific {
			m.ModelVersionPolicy = specificPolicy(policy.Versions)
		}
	}
	return pb(message)
}

func specificPolicy(versions []int64) *storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy {
	specific := &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific{Versions: slices.Clone(versions)}
	return &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy{
		PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_{Specific: specific},
	}
}

// fakeSequence is a fake whose time passes in steps.
type fakeSequence struct {
	c      *call
	given  fakeServer
	host   *steppedHost
	models *tfserving.FakeModels
}

func (c *call) fakeServerSequence() (any, error) {
	given, err := c.fakeServer()
	if err != nil {
		return nil, err
	}
	f := &fakeSequence{c: c, given: given, host: &steppedHost{files: c.dir}}
	if c.in.value("draws") != nil {
		for _, v := range c.in.list("draws") {
			n, ok := v.(int)
			if !ok {
				c.in.wrong("draws", "a list of ints")
			}
			f.host.draws = append(f.host.draws, n)
		}
	}
	server := tfserving.New(given.options, f.host)
	f.models = tfserving.FakeModelsOf(server)
	if server.Start(); f.host.exited {
		return nil, c.whyNotRead(given.options.ModelConfigFile)
	}
	out := []any{}
	for _, s := range c.in.steps("steps") {
		out = append(out, f.answer(s))
	}
	return object("steps", out), nil
}

// whyNotRead is what the fake's constructor raises of a config file.
func (c *call) whyNotRead(name string) error {
	if _, err := c.dir.ReadFile(name); err != nil {
		return err
	}
	return pysem.Raise("ParseError", "%s is no model server config", name)
}

func (f *fakeSequence) answer(s step) *pysem.Dict {
	var answer *pysem.Dict
	if s.name == "call" {
		answer = outcomeOf(s.str("method"), s.arguments, f.models.Call)
	} else {
		answer = attempt(f.do(s))
	}
	thread := "turns"
	if f.models.Died() {
		thread = "TypeError"
	}
	answer.Set("models", raw{encode(fakeModels(f.models))})
	answer.Set("queue", raw{encode(fakeQueue(f.models))})
	answer.Set("thread", thread)
	return answer
}

func (f *fakeSequence) do(s step) (any, error) {
	switch s.name {
	case "turns":
		f.host.pass(turn * timesOf(s.integerOr("n", 1)))
	case "seconds":
		f.host.pass(second * timesOf(s.integer("n")))
	case "load": // locked or not: there is no lock here
		message := &config.ModelServerConfig{}
		if err := textpb.Unmarshal(s.str("config"), message); err != nil {
			return nil, err
		}
		loaded := tfserving.ConfigFromProto(message)
		f.models.Load(loaded.Models)
		return configAsLeft(message, loaded), nil
	case "remove":
		return nil, f.models.Remove(s.strings("names"))
	case "write":
		f.c.dir.writeFiles(s.object("files").Dict, s.at("files"))
	case "config":
		if f.given.config == nil {
			return nil, nil
		}
		return configAsLeft(f.given.config, *f.given.options.InitialConfig), nil
	default:
		unknownStep(s)
	}
	return nil, nil
}

// outcomeOf makes the call with the request of the arguments and is what a client
// gets of it.
func outcomeOf(name string, a arguments, do func(method string, request []byte) ([]byte, error)) *pysem.Dict {
	method, known := fakeMethods[name]
	if !known {
		method = fakeMethod{path: name}
	}
	answer, err := do(method.path, requestOf(method, a))
	if failed, ok := err.(*env.RPCError); ok {
		return object("status", []any{failed.Code.String(), failed.Message})
	}
	if method.reply == nil {
		return object("r", answer)
	}
	reply := method.reply.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(answer, reply); err != nil {
		return attempt(nil, err)
	}
	return object("r", pb(reply))
}

// requestOf are the bytes of a request, which is bytes or the text of a message.
func requestOf(method fakeMethod, a arguments) []byte {
	if data, ok := a.value("request").([]byte); ok {
		return data
	}
	if method.request == nil {
		a.wrong("request", `bytes, {"$hex"}, for a path`)
	}
	request := method.request.ProtoReflect().New().Interface()
	if err := textpb.Unmarshal(a.str("request"), request); err != nil {
		a.wrong("request", "text format: "+err.Error())
	}
	data, err := proto.Marshal(request)
	if err != nil {
		a.wrong("request", "a message: "+err.Error())
	}
	return data
}
