package gotestee

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// fakeServerOps are the fake model server as it is started; their forms stand at the
// top of runners/diff/python/ops/fake_tfserving.py.
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
	"GetModelStatus":            {node.MethodStatus, &apis.GetModelStatusRequest{}, &apis.GetModelStatusResponse{}},
	"HandleReloadConfigRequest": {node.MethodReload, &apis.ReloadConfigRequest{}, &apis.ReloadConfigResponse{}},
	"Predict":                   {node.MethodPredict, &apis.PredictRequest{}, &apis.PredictResponse{}},
	"GetModelMetadata":          {node.MethodMetadata, &apis.GetModelMetadataRequest{}, &apis.GetModelMetadataResponse{}},
	"Classify":                  {predictionService + "Classify", &apis.ClassificationRequest{}, &apis.ClassificationResponse{}},
	"Regress":                   {predictionService + "Regress", &apis.RegressionRequest{}, &apis.RegressionResponse{}},
	"MultiInference":            {predictionService + "MultiInference", &apis.MultiInferenceRequest{}, &apis.MultiInferenceResponse{}},
}

// The quirks whose repair is that the option FakeBugs is off.
const (
	q93 quirks.Quirk = 93 // policy all ends the thread
	q95 quirks.Quirk = 95 // old events unload a model that came back
	q99 quirks.Quirk = 99 // versions are sorted in the caller's config
)

// fakeServer is the server that a case asks for. config is what it was given, nil for
// none, and options.InitialConfig the same.
type fakeServer struct {
	options tfserving.Options
	config  *config.ModelServerConfig
}

func (c *call) fakeServer() (fakeServer, error) {
	given := c.In.Object("server")
	s := fakeServer{options: tfserving.DefaultOptions(tfserving.ProfilePythonFake)}
	s.options.FakeBugs = c.Quirks.Keeps(q93) && c.Quirks.Keeps(q95) && c.Quirks.Keeps(q99)
	s.options.ModelName = given.OptStr("model_name").V
	s.options.ModelBasePath = given.OptStr("base_path").V
	s.options.FakeNumVersions = given.IntegerOr("num_versions", 1)
	s.options.ModelConfigFile = given.OptStr("config_file").V
	if !given.Has("config") {
		return s, nil
	}
	s.config = &config.ModelServerConfig{}
	if err := textpb.Unmarshal(given.Str("config"), s.config); err != nil {
		return s, err
	}
	initial := modelconfig.ConfigFromProto(s.config)
	s.options.InitialConfig = &initial
	return s, nil
}

// configAsLeft is the message of a config of which the server may have changed
// the lists of versions.
func configAsLeft(message *config.ModelServerConfig, left modelconfig.ServerConfig) any {
	if message == nil {
		return nil
	}
	message = proto.CloneOf(message)
	for i, m := range message.GetModelConfigList().GetConfig() {
		if policy := left.Models[i].Policy; policy.Kind == modelconfig.Specific {
			m.ModelVersionPolicy = specificPolicy(policy.Versions)
		}
	}
	return caseworld.PB(message)
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
	models *fake.Models
}

func (c *call) fakeServerSequence() (any, error) {
	given, err := c.fakeServer()
	if err != nil {
		return nil, err
	}
	f := &fakeSequence{c: c, given: given, host: &steppedHost{files: c.Dir, log: c.Env.Log}}
	if c.In.Value("draws") != nil {
		for _, v := range c.In.List("draws") {
			n, ok := v.(int)
			if !ok {
				c.In.Wrong("draws", "a list of ints")
			}
			f.host.draws = append(f.host.draws, n)
		}
	}
	server := tfserving.New(given.options, f.host)
	f.models = server.Fake().Models()
	if server.Start(); f.host.exited {
		return nil, c.whyNotRead(given.options.ModelConfigFile)
	}
	out := []any{}
	for _, s := range c.In.Steps("steps") {
		out = append(out, f.answer(s))
	}
	return caseworld.Object("steps", out), nil
}

// whyNotRead is what the fake's constructor raises of a config file.
func (c *call) whyNotRead(name string) error {
	if _, err := c.Dir.ReadFile(name); err != nil {
		return err
	}
	return pysem.Raise("ParseError", "%s is no model server config", name)
}

func (f *fakeSequence) answer(s caseworld.Step) *pysem.Dict {
	var answer *pysem.Dict
	if s.Name == "call" {
		answer = outcomeOf(s.Str("method"), s.Arguments, f.models.Call)
	} else {
		answer = caseworld.Attempt(f.do(s))
	}
	thread := "turns"
	if f.models.Died() {
		thread = "TypeError"
	}
	answer.Set("models", caseworld.Raw{V: caseworld.Encode(fakeModels(f.models))})
	answer.Set("queue", caseworld.Raw{V: caseworld.Encode(fakeQueue(f.models))})
	answer.Set("thread", thread)
	return answer
}

func (f *fakeSequence) do(s caseworld.Step) (any, error) {
	switch s.Name {
	case "turns":
		f.host.pass(turn * timesOf(s.IntegerOr("n", 1)))
	case "seconds":
		f.host.pass(second * timesOf(s.Integer("n")))
	case "load": // locked or not: there is no lock here
		message := &config.ModelServerConfig{}
		if err := textpb.Unmarshal(s.Str("config"), message); err != nil {
			return nil, err
		}
		loaded := modelconfig.ConfigFromProto(message)
		f.models.Load(loaded.Models)
		return configAsLeft(message, loaded), nil
	case "remove":
		return nil, f.models.Remove(s.Strings("names"))
	case "write":
		f.c.Dir.WriteFiles(s.Object("files").Dict, s.At("files"))
	case "config":
		if f.given.config == nil {
			return nil, nil
		}
		return configAsLeft(f.given.config, *f.given.options.InitialConfig), nil
	default:
		caseworld.UnknownStep(s)
	}
	return nil, nil
}

// outcomeOf makes the call with the request of the arguments and is what a client
// gets of it.
func outcomeOf(name string, a caseworld.Arguments, do func(method string, request []byte) ([]byte, error)) *pysem.Dict {
	method, known := fakeMethods[name]
	if !known {
		method = fakeMethod{path: name}
	}
	answer, err := do(method.path, requestOf(method, a))
	if failed, ok := err.(*env.RPCError); ok {
		return caseworld.Object("status", []any{failed.Code.String(), failed.Message})
	}
	if method.reply == nil {
		return caseworld.Object("r", answer)
	}
	reply := method.reply.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(answer, reply); err != nil {
		return caseworld.Attempt(nil, err)
	}
	return caseworld.Object("r", caseworld.PB(reply))
}

// requestOf are the bytes of a request, which is bytes or the text of a message.
func requestOf(method fakeMethod, a caseworld.Arguments) []byte {
	if data, ok := a.Value("request").([]byte); ok {
		return data
	}
	if method.request == nil {
		a.Wrong("request", `bytes, {"$hex"}, for a path`)
	}
	request := method.request.ProtoReflect().New().Interface()
	if err := textpb.Unmarshal(a.Str("request"), request); err != nil {
		a.Wrong("request", "text format: "+err.Error())
	}
	data, err := proto.Marshal(request)
	if err != nil {
		a.Wrong("request", "a message: "+err.Error())
	}
	return data
}
