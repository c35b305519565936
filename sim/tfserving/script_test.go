package tfserving

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// TestScripts runs every testdata/*.txt and testdata/upstream/*.txt. A script is a sequence of
// blocks. Each block has comments, commands, a line "----", and the expected output, up to an empty
// line. See scriptCommands for the commands.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata: %v", err)
	}
	upstream, err := filepath.Glob("testdata/upstream/*.txt")
	if err != nil || len(upstream) == 0 {
		t.Fatalf("no scripts in testdata/upstream: %v", err)
	}
	for _, file := range append(files, upstream...) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runScript(t, file, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-file +now; go test -run %s -update rewrites it):\n%s", file, t.Name(), diff)
			}
		})
	}
}

// runScript runs a script and returns its text with the actual output in place of the expected one.
func runScript(t *testing.T, file, text string) string {
	s := newScript(t)
	var out bytes.Buffer
	skipping := false
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case line == "----":
			out.WriteString("----\n")
			out.WriteString(s.out.String())
			s.out.Reset()
			skipping = true
		case skipping && line != "":
		case line == "" || strings.HasPrefix(line, "#"):
			skipping = false
			out.WriteString(line + "\n")
		default:
			s.where = fmt.Sprintf("%s:%d", file, i+1)
			out.WriteString(line + "\n")
			s.command(line)
		}
	}
	if s.out.Len() > 0 {
		t.Fatalf("%s: commands without ---- after them print:\n%s", s.where, s.out.String())
	}
	return out.String()
}

type script struct {
	t       scriptTest
	where   string
	host    *testHost
	server  *Server
	handles map[string]Handle
	reloads int
	out     bytes.Buffer
	// began, if set, is called with every server before its start. answered, if set, receives the
	// answers to reloads.
	began    func(*Server)
	answered func(number int, err *env.RPCError)
}

// scriptTest holds the methods that a script needs of *testing.T or *rapid.T.
type scriptTest interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newScript(t scriptTest) *script {
	s := &script{t: t, host: newTestHost(), handles: map[string]Handle{}}
	s.host.exit = func(code int, stdout string) { s.printf("exit %d %q", code, stdout) }
	return s
}

func (s *script) printf(format string, args ...any) {
	fmt.Fprintf(&s.out, "%7.3fs  %s\n", s.host.now.Seconds(), fmt.Sprintf(format, args...))
}

func (s *script) fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s: %s", s.where, fmt.Sprintf(format, args...))
}

// scriptCommands maps names to commands. The trailing comments show the arguments.
var scriptCommands = map[string]func(s *script, args []string){
	"server":   (*script).startServer, // PROFILE [--flag=value | OPTION=value]...
	"version":  (*script).addVersion,  // DIR [MB]: writes a SavedModel
	"dir":      (*script).mkdir,       // PATH
	"write":    (*script).write,       // PATH [TEXT...]: writes a file; the text may be quoted as in Go
	"file":     (*script).file,        // PATH MB
	"warmup":   (*script).warmup,      // DIR RECORDS [PREDICTIONLOG]
	"remove":   (*script).remove,      // PATH
	"rename":   (*script).rename,      // PATH PATH
	"fault":    (*script).fault,       // PATH TEXT...: lets List and SizeBytes fail for the path
	"heal":     (*script).heal,        // PATH
	"hang":     (*script).hang,        // from now on, reads of the disk are not answered
	"answer":   (*script).answer,      // answers the reads that hang so far; later ones still hang
	"thaw":     (*script).thaw,        // all are again
	"run":      (*script).run,         // DURATION: lets that time pass
	"at":       (*script).runTo,       // INSTANT: let time pass up to it
	"reload":   (*script).reload,      // [MODEL=PATH[,latest=N][,all][,specific=V+V][,once=N][,label.L=V][,logging][,platform=P][,type=N]]...
	"restore":  (*script).reloadCore,  // reloads without the first step (step 1); also takes custom=TEXT and an empty config
	"status":   (*script).status,      // [MODEL[:VERSION|@LABEL]]
	"predict":  (*script).predict,     // [MODEL[:VERSION|@LABEL]] [sig=S] [inputs=A,B] [filter=A,B] [hold=NAME] [within=D] [ALIAS=2x3[:DTYPE]]...
	"release":  (*script).release,     // NAME
	"metadata": (*script).metadata,    // MODEL[:VERSION] FIELD...
	"memory":   (*script).printMemory, //
	"logs":     (*script).printLogs,   // [info]: prints the warnings and errors since the last call; with info, all lines
}

func (s *script) command(line string) {
	fields := strings.Fields(line)
	command := scriptCommands[fields[0]]
	if command == nil {
		s.fatalf("unknown command %q", fields[0])
	}
	command(s, fields[1:])
}

func (s *script) startServer(args []string) {
	o := s.options(args)
	if s.server != nil {
		s.server.Stop()
	}
	s.server = New(o, s.host)
	s.server.OnEvent = s.printEvent
	s.server.OnServing(func() {
		if slices.Contains(args, "porttaken") {
			s.server.FailToListen()
			return
		}
		s.printf("serving")
	})
	if s.began != nil {
		s.began(s.server)
	}
	s.server.Start()
}

func (s *script) printEvent(e Event) {
	text := ""
	if e.Err != nil {
		text = "  " + e.Err.Error()
	}
	s.printf("%s:%d %s%s", e.Model, e.Version, e.State, text)
}

func (s *script) atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.fatalf("%v", err)
	}
	return n
}

func (s *script) addVersion(args []string) {
	megabytes := 0
	if len(args) > 1 {
		megabytes = s.atoi(args[1])
	}
	s.host.disk.putModel(args[0], int64(megabytes)*1e6)
}

func (s *script) mkdir(args []string)  { s.host.disk.mkdir(args[0]) }
func (s *script) remove(args []string) { s.host.disk.remove(args[0]) }
func (s *script) rename(args []string) { s.host.disk.rename(args[0], args[1]) }

func (s *script) write(args []string) {
	text := strings.Join(args[1:], " ")
	if quoted, err := strconv.Unquote(text); err == nil {
		text = quoted
	}
	s.host.disk.write(args[0], text)
}

func (s *script) file(args []string) {
	s.host.disk.put(args[0], testFile{data: []byte("data"), size: int64(s.atoi(args[1])) * 1e6})
}

func (s *script) warmup(args []string) {
	log := &apis.PredictionLog{}
	if err := textformat.Unmarshal(strings.Join(args[2:], " "), log); err != nil {
		s.fatalf("%v", err)
	}
	message, err := proto.Marshal(log)
	if err != nil {
		s.fatalf("%v", err)
	}
	record := tfrecord.Append(nil, message)
	s.host.disk.put(args[0]+"/assets.extra/tf_serving_warmup_requests",
		testFile{data: bytes.Repeat(record, s.atoi(args[1]))})
}

func (s *script) fault(args []string) {
	s.host.disk.fault(args[0], statusf(rpcerrors.Unavailable, "%s", strings.Join(args[1:], " ")))
}
func (s *script) heal(args []string) { s.host.disk.fault(args[0], nil) }

func (s *script) hang([]string)   { s.host.hung = true }
func (s *script) answer([]string) { s.host.answer() }
func (s *script) thaw([]string) {
	s.host.hung = false
	s.host.answer()
}

func (s *script) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.fatalf("%v", err)
	}
	return d
}

func (s *script) run(args []string)   { s.host.runTo(s.host.now + s.duration(args[0])) }
func (s *script) runTo(args []string) { s.host.runTo(s.duration(args[0])) }

func (s *script) reload(args []string) {
	s.server.Reload(s.config(args), s.reloadDone())
}

func (s *script) reloadCore(args []string) {
	config, done := s.config(args), s.reloadDone()
	s.server.timers.Request(func() { s.server.core.reload(config, done) })
}

func (s *script) reloadDone() func(*env.RPCError) {
	s.reloads++
	number := s.reloads
	return func(err *env.RPCError) {
		if s.answered != nil {
			s.answered(number, err)
		}
		if err == nil {
			s.printf("reload %d: OK", number)
			return
		}
		s.printf("reload %d: %s", number, err)
	}
}

func (s *script) spec(arg string) env.ModelSpec {
	if i := strings.LastIndex(arg, "@"); i >= 0 {
		return env.ModelSpec{Name: arg[:i], Label: arg[i+1:]}
	}
	if i := strings.LastIndex(arg, ":"); i >= 0 {
		if version, err := strconv.ParseInt(arg[i+1:], 10, 64); err == nil {
			return env.ModelSpec{Name: arg[:i], HasVersion: true, Version: version}
		}
	}
	return env.ModelSpec{Name: arg}
}

func (s *script) status(args []string) {
	var versions []env.ModelVersionStatus
	var err error
	if len(args) == 0 {
		versions, err = s.server.StatusWithoutSpec()
	} else {
		versions, err = s.server.Status(s.spec(args[0]))
	}
	if err != nil {
		s.printf("status %s: %v", strings.Join(args, ""), err)
		return
	}
	s.printf("status %s:", strings.Join(args, ""))
	for _, v := range versions {
		fmt.Fprintf(&s.out, "          %d %s %s %q\n", v.Version, v.State, v.Status.Code, v.Status.Message)
	}
}

func (s *script) predict(args []string) {
	request := &apis.PredictRequest{Inputs: map[string]*framework.TensorProto{}}
	hold, within := "", time.Duration(0)
	for _, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case !assigned:
			request.ModelSpec = specMessage(s.spec(strings.Trim(arg, `"`)))
		case name == "sig":
			request.ModelSpec.SignatureName = value
		case name == "inputs":
			for _, alias := range strings.Split(value, ",") {
				request.Inputs[alias] = &framework.TensorProto{Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1}}
			}
		case name == "filter":
			request.OutputFilter = strings.Split(value, ",")
		case name == "hold":
			hold = value
		case name == "within":
			within = s.duration(value)
		default: // ALIAS=2x3 or ALIAS=2x3:DT_INT32: an input with this shape
			request.Inputs[name] = s.input(value)
		}
	}
	inference, err := s.server.Begin(request)
	if err != nil {
		s.printf("predict: %v", err)
		return
	}
	inference.Limit(within)
	if inference.Batched() {
		began := s.host.now
		inference.Start(func() {
			s.predicted(inference)
			fmt.Fprintf(&s.out, "          after %v\n", s.host.now-began)
			inference.End()
		})
		return
	}
	if s.predicted(inference) && hold != "" {
		s.handles[hold] = inference.handle
		return
	}
	inference.End()
}

// predicted prints the answer to a request, and reports whether the request succeeded.
func (s *script) predicted(inference *Inference) bool {
	answer, err := inference.Run()
	if err != nil {
		s.printf("predict: %v", err)
		return false
	}
	response := answer.(*apis.PredictResponse)
	s.printf("predict: %s version %d signature %s outputs %q", inference.Model(), inference.Version(),
		response.GetModelSpec().GetSignatureName(), sortedKeys(response.GetOutputs()))
	return true
}

// input makes a tensor from a text such as "2x3" or "2:DT_INT32". Without a dtype it has floats.
func (s *script) input(text string) *framework.TensorProto {
	sizes, dtype, typed := strings.Cut(text, ":")
	p := &framework.TensorProto{Dtype: framework.DataType_DT_FLOAT, TensorShape: &framework.TensorShapeProto{}, FloatVal: []float32{1}}
	if typed {
		p.Dtype, p.FloatVal, p.IntVal = framework.DataType(framework.DataType_value[dtype]), nil, []int32{2}
	}
	for _, size := range strings.FieldsFunc(sizes, func(r rune) bool { return r == 'x' }) {
		p.TensorShape.Dim = append(p.TensorShape.Dim, &framework.TensorShapeProto_Dim{Size: int64(s.atoi(size))})
	}
	return p
}

// release ends a held request. It does nothing for an unknown name.
func (s *script) release(args []string) {
	handle := s.handles[args[0]]
	delete(s.handles, args[0])
	handle.Release()
}

func (s *script) metadata(args []string) {
	request := &apis.GetModelMetadataRequest{MetadataField: args[min(1, len(args)):]}
	if len(args) > 0 {
		request.ModelSpec = specMessage(s.spec(args[0]))
	}
	m, err := s.server.GetModelMetadata(request)
	if err != nil {
		s.printf("metadata: %v", err)
		return
	}
	s.printf("metadata: version %d", m.GetModelSpec().GetVersion().GetValue())
	for _, field := range sortedKeys(m.GetMetadata()) {
		value := m.GetMetadata()[field]
		signatures := &apis.SignatureDefMap{}
		if value.UnmarshalTo(signatures) != nil {
			fmt.Fprintf(&s.out, "          %s = %s\n", field, value.GetValue())
			continue
		}
		for _, name := range sortedKeys(signatures.GetSignatureDef()) {
			sig := signatures.GetSignatureDef()[name]
			fmt.Fprintf(&s.out, "          %s %q -> %q\n", name, sortedKeys(sig.GetInputs()), sortedKeys(sig.GetOutputs()))
		}
	}
}

func (s *script) printMemory([]string) {
	s.printf("memory: %d MB", s.server.ResidentBytes()/1e6)
}

func (s *script) printLogs(args []string) {
	logs := slices.DeleteFunc(s.host.logs, func(line string) bool { return len(args) == 0 && strings.HasPrefix(line, "INFO") })
	for i, n := 0, 1; i < len(logs); i, n = i+n, 1 {
		for i+n < len(logs) && logs[i+n] == logs[i] {
			n++
		}
		times := ""
		if n > 1 {
			times = fmt.Sprintf(" (%d times)", n)
		}
		fmt.Fprintf(&s.out, "          %s%s\n", logs[i], times)
	}
	s.host.logs = nil
}
