package gotestee

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// tfsServers is a fake network of model servers, which answer as the case says. Each answer
// advances the case's clock. Calls and their log lines are recorded.
type tfsServers struct {
	env.Network
	clock     *caseworld.Clock
	answersMs []int // times of the answers; a negative one means that the call fails after that time
	replies   [][]byte
	calls     []any
	log       []string
	lines     env.Log
}

func (c *call) newTFSServers() *tfsServers {
	s := &tfsServers{
		Network: c.Env.Network, clock: c.Clock, answersMs: c.In.Ints("answers"),
		calls: []any{}, log: []string{}, lines: c.Env.Log,
	}
	if len(s.answersMs) == 0 {
		s.answersMs = []int{0}
	}
	s.replies = [][]byte{nil}
	if c.In.Has("replies") {
		s.replies = nil
		s.replies = append(s.replies, lists.Map(c.In.List("replies"), func(v any) []byte { return v.([]byte) })...)
	}
	c.Clock.Fixed = time.Unix(caseworld.EpochSec, int64(c.In.IntegerOr("nanosecond", 0)))
	c.Env.Network, c.Env.Models, c.Env.Log = s, tfsModelServers{s}, tfsLog{s}
	c.Env.Tasks = inlineTasks{c.Env.Tasks}
	return s
}

// answer records a call and returns the encoded answer. A timeout of 0 is recorded as null.
func (s *tfsServers) answer(target, method string, request proto.Message, timeout time.Duration) ([]byte, error) {
	var seconds any
	if timeout > 0 {
		seconds = int(timeout / time.Second)
	}
	ms := s.answersMs[len(s.calls)%len(s.answersMs)]
	s.skipEndless()
	s.calls = append(s.calls, caseworld.Raw{V: []any{caseworld.Hide(target), method, caseworld.PB(request).V, seconds}})
	s.clock.Fixed = s.clock.Fixed.Add(time.Duration(max(ms, -ms)) * time.Millisecond)
	if ms < 0 {
		return nil, pysem.Raise("CallError", "no answer")
	}
	return s.replies[(len(s.calls)-1)%len(s.replies)], nil
}

// skipEndless skips the case once it has made [caseworld.MostCounted] calls. A thread that measures
// servers which take no time calls for ever, and so does one whose calls fail before they are sent.
func (s *tfsServers) skipEndless() {
	if len(s.calls)+len(s.log) == caseworld.MostCounted {
		panic(caseworld.Skipped(fmt.Sprintf("in: found more than %d calls and lines, want fewer", caseworld.MostCounted)))
	}
}

func (s *tfsServers) Dial(addr string) env.Channel { return &tfsStub{s: s, target: addr} }

// tfsStub is a channel to one of the fake servers.
type tfsStub struct {
	env.Channel
	s      *tfsServers
	target string
}

func (t *tfsStub) Call(method string, request []byte, timeout time.Duration) ([]byte, error) {
	var message proto.Message = &apis.PredictRequest{}
	if method == clients.MethodGetModelMetadata {
		message = &apis.GetModelMetadataRequest{}
	}
	if err := proto.Unmarshal(request, message); err != nil {
		return nil, err
	}
	return t.s.answer(t.target, method, message, timeout)
}

func (t *tfsStub) Close() {}

// tfsModelServers turns calls with typed arguments into messages, and passes them to tfsServers.
type tfsModelServers struct{ s *tfsServers }

func (m tfsModelServers) Dial(addr string) env.ModelServer {
	return &tfsModelStub{s: m.s, target: addr}
}

type tfsModelStub struct {
	env.ModelServer
	s      *tfsServers
	target string
}

func (t *tfsModelStub) Status(spec env.ModelSpec, timeout time.Duration) ([]env.ModelVersionStatus, error) {
	request := &apis.GetModelStatusRequest{ModelSpec: &apis.ModelSpec{Name: spec.Name, SignatureName: spec.Signature}}
	data, err := t.s.answer(t.target, "/tensorflow.serving.ModelService/GetModelStatus", request, timeout)
	if err != nil {
		return nil, err
	}
	response := &apis.GetModelStatusResponse{}
	if err := proto.Unmarshal(data, response); err != nil {
		return nil, err
	}
	var list []env.ModelVersionStatus
	for _, v := range response.GetModelVersionStatus() {
		list = append(list, env.ModelVersionStatus{Version: v.GetVersion(), State: env.ModelState(v.GetState()), Status: statusOf(v.GetStatus())})
	}
	return list, nil
}

func (t *tfsModelStub) Reload(data []byte, timeout time.Duration) (env.StatusProto, error) {
	models := &config.ModelServerConfig{}
	if err := proto.Unmarshal(data, models); err != nil {
		return env.StatusProto{}, err
	}
	request := &apis.ReloadConfigRequest{Config: models}
	reply, err := t.s.answer(t.target, "/tensorflow.serving.ModelService/HandleReloadConfigRequest", request, timeout)
	if err != nil {
		return env.StatusProto{}, err
	}
	response := &apis.ReloadConfigResponse{}
	err = proto.Unmarshal(reply, response)
	return statusOf(response.GetStatus()), err
}

func statusOf(s *util.StatusProto) env.StatusProto {
	return env.StatusProto{Code: rpcerrors.Code(s.GetErrorCode()), Message: s.GetErrorMessage()}
}

func (t *tfsModelStub) Close() {}

// tfsLog is a log that keeps only lines about a profile. Of a line about a failure it keeps the
// beginning.
type tfsLog struct{ s *tfsServers }

func (tfsLog) Enabled(env.Level) bool { return true }

func (l tfsLog) Logf(level env.Level, format string, args ...any) {
	const failure = "Warning! call request failed"
	line := fmt.Sprintf(format, args...)
	l.s.lines.Logf(level, "%s", line)
	switch {
	case strings.HasPrefix(line, failure):
		line = failure
	case !strings.HasPrefix(line, "[Profile]") && !strings.HasPrefix(line, "Processing "):
		return
	}
	l.s.skipEndless()
	l.s.log = append(l.s.log, line)
}

// inlineTasks runs each task to its end inside the call of Go. Sleeps take no time.
type inlineTasks struct{ env.Tasks }

func (inlineTasks) Sleep(time.Duration) {}

func (inlineTasks) Go(name string, fn func()) env.Task {
	fn()
	return endedTask(name)
}

type endedTask string

func (t endedTask) Name() string { return string(t) }
func (endedTask) Done() bool     { return true }
func (endedTask) Join()          {}

// tfsClientMain runs the program tfs_client with the flags that the case gives.
func (c *call) tfsClientMain() (any, error) {
	o := c.tfsOptions()
	s := c.newTFSServers()
	c.Env.Random = &draws{numbers: c.In.Ints("draws")}
	answer, err := clients.RunTFSClient(c.Env, o)
	var result any
	exit, printed := 0, ""
	if err == nil {
		exit, printed, err = answer.Ended(o)
	}
	if err != nil {
		exit = 1
	} else if o.Cmd == "load" {
		result = agentconfig.GenStatusProto(answer.Load.Code, pysem.Some(answer.Load.Message))
	}
	return caseworld.Object("result", caseworld.Attempt(result, err), "exit", exit, "printed", printed, "calls", s.calls, "log", s.log), nil
}

func (c *call) tfsOptions() clients.TFSClientOptions {
	flags := c.In.ObjectOr("options")
	o := clients.DefaultTFSClientOptions()
	o.Conf = flags.StrOr("conf", "")
	o.Cmd = flags.StrOr("cmd_type", o.Cmd)
	o.ModelName, o.InputFile, o.DataDir = flags.OptStr("model_name"), flags.OptStr("input_file"), flags.OptStr("profile_data_dir")
	o.Signature = flags.StrOr("signature_name", o.Signature)
	o.Target = flags.StrOr("target", "")
	o.InputType = flags.StrOr("input_type", o.InputType)
	o.FileType = flags.StrOr("file_type", o.FileType)
	o.BatchSize = flags.CountOr("batch_size", o.BatchSize)
	o.Threads = flags.CountOr("parallel_num", o.Threads)
	o.Duration = time.Duration(flags.CountOr("profile_duration", int(o.Duration/time.Second))) * time.Second
	o.Framing = c.framing()
	o.ValidSlots, o.UserFeatures = c.globals()
	o.Quirks = c.Quirks
	return o
}

func (c *call) profileThread() (any, error) {
	client := c.client()
	s := c.newTFSServers()
	load := clients.PredictLoad{
		ModelName: c.In.Str("model_name"), Signature: c.In.ObjectOr("options").StrOr("signature_name", clients.DefaultTFSClientOptions().Signature),
		Duration: time.Duration(c.In.Count("repeat_time")) * time.Second,
	}
	for i := range c.In.Count("servers") {
		load.Channels = append(load.Channels, s.Dial(fmt.Sprintf("s%d", i)))
	}
	load.Data = lists.MapOrNil(c.In.Strings("data"), tensorOf)
	thread := client.NewProfileThread(c.In.Integer("job_id"), load)
	thread.Run()
	latencies := lists.Map(thread.LatenciesMs, func(ms float64) any { return ms })
	return caseworld.Object("calls", s.calls, "log", s.log, "latencies_ms", latencies), nil
}

func tensorOf(text string) *framework.TensorProto {
	return clients.MakeTensorProto([][]byte{[]byte(text)})
}
