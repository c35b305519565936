package clients

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	core "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/quirks"
)

// These are the gRPC methods of the model server that the client calls.
const (
	MethodPredict          = "/tensorflow.serving.PredictionService/Predict"
	MethodGetModelMetadata = "/tensorflow.serving.PredictionService/GetModelMetadata"
)

const predictTimeout = 30 * time.Second

// TFSClientOptions holds the flags of the model server client (tfs_client.py:52-62,
// client.py:31-43).
type TFSClientOptions struct {
	// Conf is the path of the agent.conf. It decides which server of this host is called.
	Conf string
	// Cmd is status, meta, load or profile. Any other word means get.
	Cmd string
	// ModelName is the model; None means the model of the server that Conf selects.
	ModelName pysem.OptString
	Signature string
	// Target is a comma-separated list of host:port; empty means the server on this host.
	Target string
	// InputType is instance or example_batch. Any other word means an example batch that is
	// converted to instances (Q140).
	InputType string
	InputFile pysem.OptString
	// FileType is pb or pbtxt.
	FileType  string
	BatchSize int
	Framing   StreamFraming
	// Threads, Duration (in whole seconds) and DataDir are for the command profile.
	Threads  int
	Duration time.Duration
	DataDir  pysem.OptString

	ValidSlots   []int
	UserFeatures pysem.Opt[[]int]
	Quirks       quirks.Set
}

// DefaultTFSClientOptions returns the defaults of the flags.
func DefaultTFSClientOptions() TFSClientOptions {
	return TFSClientOptions{
		Cmd: "hb", Signature: "serving_default", InputType: "dump", FileType: "pb",
		BatchSize: 8, Threads: 1, Duration: 600 * time.Second,
	}
}

// TFSAnswer is the result of a command. Only the field of that command is set.
type TFSAnswer struct {
	Status   []env.ModelVersionStatus
	Metadata *apis.GetModelMetadataResponse
	Load     env.StatusProto
	Predict  *apis.PredictResponse
	Profile  *Profile
	// Targets lists the called servers as host:port. All commands but profile call only the first.
	// It is set even with an error, if the servers were known by then.
	Targets []string
}

// Ended returns the exit status and output of the program after this answer. Python treats the
// status that load returns as an error message, even if it is OK (Q235).
func (a TFSAnswer) Ended(o TFSClientOptions) (exit int, printed string, err error) {
	switch {
	case o.Cmd == "profile":
		return 0, "", nil
	case o.Cmd != "load":
		text, err := textpb.Marshal(a.Message(o.Cmd))
		return 0, text + "\n", err
	case o.Quirks.Keeps(quirks.Q235) || a.Load.Code != rpcerrors.OK:
		return 1, "", nil
	}
	return 0, "", nil
}

// Message returns the message that a command prints, or that load returns. It is nil for a profile,
// whose results are only logged.
func (a TFSAnswer) Message(cmd string) proto.Message {
	switch cmd {
	case "status":
		response := &apis.GetModelStatusResponse{}
		for _, v := range a.Status {
			response.ModelVersionStatus = append(response.ModelVersionStatus, &apis.ModelVersionStatus{
				Version: v.Version, State: apis.ModelVersionStatus_State(v.State), Status: statusMessage(v.Status),
			})
		}
		return response
	case "meta":
		return a.Metadata
	case "load":
		return statusMessage(a.Load)
	case "profile":
		return nil
	}
	return a.Predict
}

func statusMessage(s env.StatusProto) *util.StatusProto {
	return &util.StatusProto{ErrorCode: core.Code(s.Code), ErrorMessage: s.Message}
}

// tfsProgram is a run of the client, with its flags and what follows from them.
type tfsProgram struct {
	TFSClient
	o     TFSClientOptions
	model string
	// targets lists the servers as host:port. All commands but profile call only the first.
	targets []string
}

// RunTFSClient runs the model server client with its parsed flags (tfs_client.py:357-500). The
// caller prints the answer. Errors are *env.RPCError of the server, or exceptions of the reference.
// The reference's command already fails earlier, because it calls a function that does not exist
// (Q67).
func RunTFSClient(e *env.Env, o TFSClientOptions) (TFSAnswer, error) {
	conf, err := agentconfig.Loader{Env: e, Quirks: o.Quirks}.FromFile(o.Conf)
	if err != nil {
		return TFSAnswer{}, err
	}
	host, err := OwnAddress(e, o.Quirks)
	if err != nil {
		return TFSAnswer{}, err
	}
	if !o.UserFeatures.Set && !o.Quirks.Keeps(quirks.Q136) {
		o.UserFeatures = pysem.Some([]int{})
	}
	p := &tfsProgram{
		TFSClient: TFSClient{
			Env: e, Framing: o.Framing, SlotsNamedFC: true, ValidSlots: o.ValidSlots, UserFeatures: o.UserFeatures,
		},
		o: o,
	}
	model, port, err := servedBy(conf)
	if err != nil && !o.ModelName.Set {
		return TFSAnswer{}, err
	}
	p.model = o.ModelName.Or(model)
	o.Target = cmp.Or(o.Target, host+":"+port.String())
	p.targets = strings.Split(o.Target, ",")
	a := TFSAnswer{Targets: p.targets}
	switch o.Cmd {
	case "status":
		a.Status, err = p.status()
	case "meta":
		a.Metadata, err = p.metadata()
	case "load":
		a.Load, err = p.load()
	case "profile":
		a.Profile, err = p.profile()
	default:
		a.Predict, err = p.get()
	}
	return a, err
}

// servedBy returns the model and the port of the server that a configuration runs
// (tfs_client.py:365-381). For a dense model it returns the name dense, although the model is
// served as dense_0 (Q141).
func servedBy(conf *agentconfig.AgentConfig) (model string, port pysem.OptInt, err error) {
	switch conf.DeployType {
	case agentconfig.DeployPS:
		shard, err := conf.ShardID()
		return fmt.Sprintf("ps_%d", shard), conf.TFSPSPort, err
	case agentconfig.DeployDense:
		return agentconfig.ServerDense, conf.TFSDensePort, nil
	}
	return agentconfig.ServerEntry, conf.TFSEntryPort, nil
}

func (p *tfsProgram) status() ([]env.ModelVersionStatus, error) {
	server := p.Env.Models.Dial(p.targets[0])
	defer server.Close()
	return server.Status(env.ModelSpec{Name: p.model, Signature: p.o.Signature}, 0)
}

// load sends the first server the configuration in a text proto file.
func (p *tfsProgram) load() (env.StatusProto, error) {
	file, err := pathOf(p.o.InputFile)
	if err != nil {
		return env.StatusProto{}, err
	}
	text, err := pyos.ReadText(p.Env.Files, file)
	if err != nil {
		return env.StatusProto{}, err
	}
	models, err := agentconfig.ParseModels(text, agentconfig.PublicProtos(p.o.Quirks))
	if err != nil {
		return env.StatusProto{}, err
	}
	server := p.Env.Models.Dial(p.targets[0])
	defer server.Close()
	status, err := server.Reload(serialize(models), 0)
	if err == nil {
		p.Env.Log.Logf(env.Info, "%v load done!", pylog.Message(models))
	}
	return status, err
}

// pathOf returns the path that Python would pass to open or os.path.exists. None is a TypeError.
func pathOf(file pysem.OptString) (string, error) {
	if !file.Set {
		return "", pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	return file.V, nil
}

func (p *tfsProgram) spec() *apis.ModelSpec {
	return &apis.ModelSpec{Name: p.model, SignatureName: p.o.Signature}
}

func (p *tfsProgram) metadata() (*apis.GetModelMetadataResponse, error) {
	// No model server knows these fields, so it rejects the first of them (Q234).
	fields := []string{"base_path", "num_versions", "signature_name"}
	if !p.o.Quirks.Keeps(quirks.Q234) {
		fields = []string{"signature_def"}
	}
	request := &apis.GetModelMetadataRequest{ModelSpec: p.spec(), MetadataField: fields}
	response := &apis.GetModelMetadataResponse{}
	return response, p.call(MethodGetModelMetadata, request, response, 0)
}

// get sends one batch to a Predict call (tfs_client.py:468-496).
func (p *tfsProgram) get() (*apis.PredictResponse, error) {
	name, input, err := p.input()
	if err != nil {
		return nil, err
	}
	response := &apis.PredictResponse{}
	return response, p.call(MethodPredict, predictRequest(p.spec(), name, input), response, predictTimeout)
}

func predictRequest(spec *apis.ModelSpec, name string, input *framework.TensorProto) *apis.PredictRequest {
	return &apis.PredictRequest{ModelSpec: spec, Inputs: map[string]*framework.TensorProto{name: input}}
}

// input returns the input tensor that the flags ask for, and the name of the model's input. The
// file can be omitted only for an example batch.
func (p *tfsProgram) input() (string, *framework.TensorProto, error) {
	if p.o.InputType == "example_batch" {
		// Without a file the reference uses a name that does not exist yet (uuid.uuid1).
		file := p.o.InputFile.Or(p.Env.Files.TempFile())
		if err := p.mustExist(file); err != nil {
			return "", nil, err
		}
		input, err := p.ExampleBatchProtoV2(file, p.o.BatchSize)
		return "example_batch", input, err
	}
	file, err := pathOf(p.o.InputFile)
	if err != nil {
		return "", nil, err
	}
	if err := p.mustExist(file); err != nil {
		return "", nil, err
	}
	if p.o.InputType != "instance" {
		input, err := p.ExampleBatchToInstance(file, p.o.FileType)
		return "instances", input, err
	}
	if !env.Exists(p.Env.Files, file) {
		if err := p.RandomFile(file, variantInstance, p.o.BatchSize); err != nil {
			return "", nil, err
		}
	}
	input, err := p.InstanceProto(p.o.InputFile, p.o.BatchSize)
	return "instances", input, err
}

// mustExist returns a FileNotFoundError for a missing file if Q135 is repaired. The reference tries
// to generate the file and fails (Q135).
func (p *tfsProgram) mustExist(file string) error {
	if p.o.Quirks.Keeps(quirks.Q135) || env.Exists(p.Env.Files, file) {
		return nil
	}
	return pysem.Raise("FileNotFoundError", "[Errno 2] No such file or directory: %s", pysem.Repr(file))
}

func (p *tfsProgram) call(method string, request, response proto.Message, timeout time.Duration) error {
	channel := p.Env.Network.Dial(p.targets[0])
	defer channel.Close()
	data, err := channel.Call(method, serialize(request), timeout)
	if err != nil {
		return err
	}
	return proto.Unmarshal(data, response)
}
