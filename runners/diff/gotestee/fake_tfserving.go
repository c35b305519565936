package gotestee

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// fakeServerOps holds the operations on the fake model server.
// runners/diff/python/ops/fake_tfserving.py describes them.
var fakeServerOps = table{
	"mocked_tfserving.FakeTFServing.sequence": caseworld.With((*call).fakeServer, (*call).fakeServerSequence),
	"mocked_tfserving.FakeTFServing.served":   caseworld.With((*call).fakeServer, (*call).fakeServerServed),
}

// fakeMethod is a method of the fake's services, with the types of its messages.
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

// These are faults of the fake server, which the option FakeBugs keeps.
const (
	q93 quirks.Quirk = 93 // a model with the policy all ends the thread
	q95 quirks.Quirk = 95 // events from before a model's return unload it
	q99 quirks.Quirk = 99 // the versions are sorted in place, in the caller's config
)

// fakeServer describes the server that a case asks for. config is the configuration that it gets,
// the same as options.InitialConfig, or nil.
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
	s.options.ModelConfigFile = given.OptStr("config_file").V
	if given.Value("config_file") == "" {
		return s, pyos.Error(fs.ErrNotExist, "")
	}
	if text, err := pyos.ReadText(c.Dir, s.options.ModelConfigFile); err == nil {
		if models, err := agentconfig.ParseModels(text, true); err == nil {
			skipManyVersions(models.GetModelConfigList())
		}
	}
	if !given.Has("config") {
		return s, s.oneModel(given)
	}
	var err error
	if s.config, err = agentconfig.ParseModels(given.Str("config"), true); err != nil {
		return s, err
	}
	skipManyVersions(s.config.GetModelConfigList())
	initial := modelconfig.ConfigFromProto(s.config)
	s.options.InitialConfig = &initial
	return s, nil
}

// skipManyVersions skips a case whose server would make more versions of a model than
// [caseworld.MostCounted], since it makes each at once.
func skipManyVersions(models *config.ModelConfigList) {
	for _, m := range models.GetConfig() {
		if n := m.GetModelVersionPolicy().GetLatest().GetNumVersions(); n > caseworld.MostCounted {
			panic(caseworld.Skipped(fmt.Sprintf("num_versions of %s: found %d, want %d at most", m.GetName(), n, caseworld.MostCounted)))
		}
	}
}

// oneModel sets the number of versions of the model that the server makes a configuration for. A
// number beyond its field is a ValueError.
func (s *fakeServer) oneModel(given caseworld.Arguments) error {
	if n, isInt := pysem.Big(given.Value("num_versions")); isInt && s.options.ModelConfigFile == "" {
		if _, err := message.Int(n, 0, math.MaxUint32); err != nil {
			return err
		}
	}
	s.options.FakeNumVersions = given.CountOr("num_versions", 1)
	return nil
}

// configAsLeft returns a configuration after the server has used it, with the lists of versions
// that the server has sorted in place.
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

// fakeSequence is a fake server whose time passes only by steps.
type fakeSequence struct {
	c      *call
	given  fakeServer
	host   *steppedHost
	models *fake.Models
}

func (c *call) fakeServerSequence(given fakeServer) (any, error) {
	f := &fakeSequence{c: c, given: given, host: &steppedHost{files: c.Dir, log: c.Env.Log}}
	f.host.draws = c.In.Ints("draws")
	server := tfserving.New(given.options, f.host)
	f.models = server.Fake().Models()
	if server.Start(); f.host.exited {
		return nil, c.whyNotRead(given.options.ModelConfigFile)
	}
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: f.do(), After: func(_ caseworld.Step, answer *pysem.Dict) {
		answer.Set("models", fakeModels(f.models))
		answer.Set("queue", fakeQueue(f.models))
		answer.Set("thread", "turns")
		if f.models.Died() {
			answer.Set("thread", "TypeError")
		}
	}})), nil
}

// whyNotRead returns the exception that the fake's constructor raises for a config file.
func (c *call) whyNotRead(name string) error {
	text, err := pyos.ReadText(c.Dir, name)
	if err == nil {
		_, err = agentconfig.ParseModels(text, true)
	}
	return err
}

func (f *fakeSequence) do() caseworld.Do {
	return caseworld.Do{
		"call": func(s caseworld.Step, method string) caseworld.Answered {
			return caseworld.Answered{Dict: outcomeOf(method, s.Arguments, f.models.Call)}
		},
		"turns":   func(s caseworld.Step) { f.host.pass(turn * timesOf(s.CountOr("n", 1))) },
		"seconds": func(s caseworld.Step) { f.host.pass(second * timesOf(s.Count("n"))) },
		"load": func(text string) (any, error) { // the reference's option lock has no effect here, where no lock exists
			message, err := agentconfig.ParseModels(text, true)
			if err != nil {
				return nil, err
			}
			skipManyVersions(message.GetModelConfigList())
			loaded := modelconfig.ConfigFromProto(message)
			f.models.Load(loaded.Models)
			return configAsLeft(message, loaded), nil
		},
		"remove": f.models.Remove,
		"write":  func(files *pysem.Dict) { f.c.Dir.WriteFiles(files, "in.steps.write.files") },
		"config": func() any {
			if f.given.config == nil {
				return nil
			}
			return configAsLeft(f.given.config, *f.given.options.InitialConfig)
		},
	}
}

// outcomeOf makes the call that the arguments describe, and returns what the client receives.
func outcomeOf(name string, a caseworld.Arguments, do func(method string, request []byte) ([]byte, error)) *pysem.Dict {
	method, known := fakeMethods[name]
	if !known {
		method = fakeMethod{path: name}
	}
	request := requestOf(method, a)
	var reload apis.ReloadConfigRequest
	if method.path == node.MethodReload && proto.Unmarshal(request, &reload) == nil {
		skipManyVersions(reload.GetConfig().GetModelConfigList())
	}
	answer, err := do(method.path, request)
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

// requestOf returns a request in bytes. The case gives it as bytes or as the text form of a
// message.
func requestOf(method fakeMethod, a caseworld.Arguments) []byte {
	if data, ok := a.Value("request").([]byte); ok {
		return data
	}
	if method.request == nil {
		a.Wrong("request", `bytes, {"$hex"}, for a path`)
	}
	request := method.request.ProtoReflect().New().Interface()
	if err := textformat.Parse(a.Str("request"), request); err != nil {
		a.Wrong("request", "text format: "+err.Error())
	}
	data, err := proto.Marshal(request)
	if err != nil {
		a.Wrong("request", "a message: "+err.Error())
	}
	return data
}

// The time of a case passes in seconds, or in turns of the fake's thread. A turn takes as long as
// in sim/tfserving.
const (
	turn   = 10 * time.Microsecond
	second = time.Second
	// growthPeriod is the time between two random choices of the thread.
	growthPeriod = 30*time.Second + turn
)

func timesOf(n int) time.Duration { return time.Duration(n) }

// steppedHost is the host of a model server. Its time passes only when pass is called, and it has
// at most one timer.
type steppedHost struct {
	now, due time.Duration
	wake     func() // nil if no timer is set
	draws    []int
	files    *caseworld.Directory
	log      env.Log
	exited   bool
}

// pass lets the time d pass. Each time the timer ends, it calls the timer's function.
func (h *steppedHost) pass(d time.Duration) {
	until := h.now + d
	for h.wake != nil && h.due <= until {
		wake := h.wake
		h.now, h.wake = h.due, nil
		wake()
	}
	h.now = until
}

func (h *steppedHost) Now() time.Duration { return h.now }

func (h *steppedHost) After(d time.Duration, fn func()) (cancel func()) {
	h.due, h.wake = h.now+d, fn
	return func() { h.wake = nil }
}

// Choose returns a random number of the case, modulo n. It takes the next number every 30 s,
// because that is when the server chooses. For a set's order (python.hashseed) it returns 0, so
// that sets count as sorted.
func (h *steppedHost) Choose(site string, n int) int {
	if len(h.draws) == 0 || site == "python.hashseed" {
		return 0
	}
	time := int(h.now/growthPeriod) - 1
	return h.draws[time%len(h.draws)] % n
}

func (h *steppedHost) Exit(int, string) { h.exited = true }

func (h *steppedHost) Log(level env.Level, format string, args ...any) {
	h.log.Logf(level, format, args...)
}

func (h *steppedHost) Look(ask func(tfserving.Storage), told func()) {
	ask(configFiles{files: h.files})
	told()
}

func (h *steppedHost) Work(do, done func()) {
	do()
	done()
}

func (h *steppedHost) Watch(string, func()) (cancel func(), ok bool) { return nil, false }

// configFiles is the storage of a fake server. It can only read the config file.
type configFiles struct {
	tfserving.Storage
	files *caseworld.Directory
}

func (s configFiles) ReadFile(name string) ([]byte, error) { return s.files.ReadFile(name) }

// fakePort is the port of the fake server of a case.
const fakePort = 8500

// fakeServerServed starts the fake server on the case's host and calls it over the
// simulated network.
func (c *call) fakeServerServed(given fakeServer) (any, error) {
	if given.options.ModelConfigFile != "" {
		caseworld.BadCasef("in.server.config_file: found one, want it in FakeTFServing.sequence alone")
	}
	given.options.Port = fakePort
	node.Start(node.Config{
		Options: given.options, Proc: c.Machine.Node.NewProcess("fake model server"), Host: c.Machine.Net, Files: c.Machine.FS,
		Dir: "/", Exit: func(int, string) {}, Output: c.Env.Log.Logf,
	})
	channels := map[string]env.Channel{}
	calls := []any{}
	for _, a := range c.In.Rows("calls", "address", "method", "request") {
		address := a.Str("address")
		if channels[address] == nil {
			channels[address] = c.Env.Network.Dial(fmt.Sprintf("%s:%d", address, fakePort))
			defer channels[address].Close()
		}
		c.Env.Tasks.Sleep(time.Second)
		calls = append(calls, outcomeOf(a.Str("method"), a, func(method string, request []byte) ([]byte, error) {
			return channels[address].Call(method, request, 0)
		}))
	}
	c.Env.Tasks.Sleep(time.Second)
	return caseworld.Object("listening", []any{fake.ListenHost}, "workers", fake.Workers, "calls", calls), nil
}
