package clients_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pythontest"
)

// side is either the reference's Python clients of a model server, or this project's ports
// of them. Its methods return lines of text in the form that reference.py prints.
type side interface {
	monitor(port int)
	addr(subModel string) string
	status(name string, version *int64) string
	publishStatus(publish string, fixDense bool) string
	reload(server string, publishes []string, fixDense bool, defaultBase string) string
	stopMonitor()

	wrapper(w wrapperCall) string
	savedModels() string
	stopWrapper() string

	// tfsClient returns the line that tfs_client prints, or the printed message in hexadecimal.
	tfsClient(c clientCall, printed proto.Message) string
	// profile sends Predict calls for a second with two threads, from data files in a directory.
	// It counts answered and failed calls.
	profile(c clientCall, dataDir string) (answered, failed int)
}

// wrapperCall holds the arguments of a TFSWrapper, which starts the program that
// MONOLITH_TFS_BINARY names.
type wrapperCall struct {
	configFile               string
	archonPort, port, REST   int
	logFile                  string
	platformFile             string
	maxRetries, fetchTimeout int
}

// clientCall holds the command line flags of tfs_client.
type clientCall struct {
	conf, cmd, model, target, inputType, inputFile, fileType string
}

// pythonSide is reference.py.
type pythonSide struct {
	t *testing.T
	*pythontest.Program
}

// newPythonSide starts reference.py. It skips the test where the reference cannot be run.
func newPythonSide(t *testing.T, variables ...string) pythonSide {
	t.Helper()
	python := pythontest.Find(t)
	s := pythonSide{t, startPython(t, python, "reference.py", append(variables, "MONOLITH_SRC="+pythontest.Reference(t))...)}
	var hello struct{ Unavailable string }
	s.Order(t, map[string]any{"hello": true}, &hello)
	if hello.Unavailable != "" {
		t.Skip(hello.Unavailable)
	}
	return s
}

func (s pythonSide) ask(name string, given any) string {
	s.t.Helper()
	var answer struct{ Line, Hex string }
	s.Order(s.t, map[string]any{name: given}, &answer)
	return answer.Line + answer.Hex
}

func (s pythonSide) monitor(port int)            { s.ask("monitor", port) }
func (s pythonSide) addr(subModel string) string { return s.ask("addr", subModel) }
func (s pythonSide) status(name string, version *int64) string {
	return s.ask("status", []any{name, version})
}

func (s pythonSide) publishStatus(publish string, fixDense bool) string {
	return s.ask("publish_status", []any{publish, fixDense})
}

func (s pythonSide) reload(server string, publishes []string, fixDense bool, defaultBase string) string {
	return s.ask("reload", []any{server, publishes, fixDense, defaultBase})
}

func (s pythonSide) stopMonitor() { s.ask("stop_monitor", true) }

func (s pythonSide) wrapper(w wrapperCall) string {
	return s.ask("wrapper", []any{w.configFile, []int{w.archonPort, w.port, w.REST}, w.logFile, map[string]any{
		"platform_config_file": w.platformFile, "max_num_load_retries": w.maxRetries, "fetch_ps_timeout_ms": w.fetchTimeout,
	}})
}

func (s pythonSide) savedModels() string { return s.ask("saved_models", true) }
func (s pythonSide) stopWrapper() string { return s.ask("stop_wrapper", true) }

func (s pythonSide) tfsClient(c clientCall, printed proto.Message) string {
	s.t.Helper()
	flags := map[string]any{"conf": c.conf, "cmd_type": c.cmd, "model_name": c.model, "target": c.target}
	for name, value := range map[string]string{"input_type": c.inputType, "input_file": c.inputFile, "file_type": c.fileType} {
		if value != "" {
			flags[name] = value
		}
	}
	var got answer
	var line struct{ Line string }
	line.Line = s.ask("tfs_client", flags)
	if got.Hex = line.Line; isHex(got.Hex) {
		return hexOf(s.t, message(s.t, got, printed)) // the fields are in Go's order
	}
	return line.Line
}

func (s pythonSide) profile(c clientCall, dataDir string) (answered, failed int) {
	s.t.Helper()
	line := s.ask("profile", map[string]any{
		"conf": c.conf, "cmd_type": c.cmd, "model_name": c.model, "target": c.target,
		"profile_data_dir": dataDir, "parallel_num": 2, "profile_duration": 1,
	})
	if _, err := fmt.Sscan(line, &answered, &failed); err != nil {
		s.t.Fatalf("profile: %q: %v", line, err)
	}
	return answered, failed
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// portedSide is the ported code of engine/agent, on the real machine.
type portedSide struct {
	*program
	m *tfs.TFSMonitor
	w *tfs.TFSWrapper
}

func newPortedSide(t *testing.T, variables map[string]string) *portedSide {
	return &portedSide{program: startProgram(t, variables)}
}

func (s *portedSide) conf(pairs ...any) *agentconfig.AgentConfig {
	fields := []dataclass.Field{{Name: "bzid", Value: "b"}, {Name: "base_name", Value: "n"}, {Name: "deploy_type", Value: "mixed"}}
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, dataclass.Field{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	conf, err := agentconfig.NewConfig(s.e, fields...)
	if err != nil {
		panic(err)
	}
	return conf
}

// line runs fn in a task and returns its line, or the text of its error.
func (s *portedSide) line(fn func() (string, error)) (line string) {
	s.t.Helper()
	s.do(func() {
		var err error
		if line, err = fn(); err != nil {
			line = err.Error()
		}
	})
	return line
}

func (s *portedSide) monitor(port int) {
	s.do(func() {
		conf := s.conf()
		conf.TFSEntryPort, conf.TFSPSPort = pysem.Some(port), pysem.Some(port)
		s.m = tfs.NewTFSMonitor(s.e, conf)
		s.m.Start()
	})
}

func (s *portedSide) addr(subModel string) string {
	return s.line(func() (string, error) { return s.m.Addr(subModel) })
}

func (s *portedSide) status(name string, version *int64) string {
	return s.line(func() (string, error) {
		spec := env.ModelSpec{Name: name}
		if version != nil {
			spec.HasVersion, spec.Version = true, *version
		}
		versions, err := s.m.StatusOf(spec)
		return versionLines(versions), err
	})
}

func versionLines(versions []env.ModelVersionStatus) string {
	var list []string
	for _, v := range versions {
		list = append(list, versionLine(v))
	}
	return strings.Join(list, ", ")
}

func versionLine(v env.ModelVersionStatus) string {
	return fmt.Sprintf("%d %v %d %s", v.Version, v.State, int(v.Status.Code), v.Status.Message)
}

func parsePublishes(publishes ...string) ([]*datadef.PublishMeta, error) {
	var list []*datadef.PublishMeta
	for _, text := range publishes {
		m, err := datadef.ParsePublishMeta([]byte(text))
		if err != nil {
			return nil, err
		}
		list = append(list, &m)
	}
	return list, nil
}

func (s *portedSide) publishStatus(publish string, fixDense bool) string {
	return s.line(func() (string, error) {
		publishes, err := parsePublishes(publish)
		if err != nil {
			return "", err
		}
		found, err := s.m.PublishStatus(publishes[0], fixDense)
		var list []string
		for _, f := range found {
			list = append(list, f.Name+" "+f.Path+" "+versionLine(f.Status))
		}
		return strings.Join(list, ", "), err
	})
}

func (s *portedSide) reload(server string, publishes []string, fixDense bool, defaultBase string) string {
	return s.line(func() (string, error) {
		metas, err := parsePublishes(publishes...)
		if err != nil {
			return "", err
		}
		configs, err := s.m.GenModelConfig(metas, fixDense)
		if err != nil {
			return "", err
		}
		model, err := agentconfig.GenModelConfig(agentconfig.ModelConfigArgs{
			Name: "default", BasePath: pysem.Some(defaultBase), VersionPolicy: pysem.Some("latest"), VersionData: 1,
		})
		if err != nil {
			return "", err
		}
		config := configs.Of(server)
		list := config.GetModelConfigList()
		if list == nil {
			return "", fmt.Errorf("no model of the publishes is for %s", server)
		}
		list.Config = append(list.Config, model)
		status, err := s.m.Reload(server, config)
		return fmt.Sprintf("%d %s", int(status.Code), status.Message), err
	})
}

func (s *portedSide) stopMonitor() { s.do(s.m.Stop) }

func (s *portedSide) wrapper(w wrapperCall) string {
	return s.line(func() (string, error) {
		conf := s.conf("platform_config_file", w.platformFile, "max_num_load_retries", w.maxRetries, "fetch_ps_timeout_ms", w.fetchTimeout)
		conf.TFSPortArchon, conf.TFSPortGRPC, conf.TFSPortHTTP = pysem.Some(w.archonPort), pysem.Some(w.port), pysem.Some(w.REST)
		s.w = tfs.NewTFSWrapper(s.e, conf, w.configFile, w.logFile)
		grpc, err := s.w.IsGRPCRemoteOp()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("gRPC %s: %s", pysem.Str(grpc), s.w.Command()), s.w.Start()
	})
}

func (s *portedSide) savedModels() string {
	return s.line(func() (string, error) {
		names, err := s.w.ListSavedModels()
		if err != nil {
			return "", err
		}
		found, err := s.w.ListSavedModelsStatus()
		if err != nil {
			return "", err
		}
		var list []string
		for _, f := range found {
			list = append(list, f.Name+" "+versionLine(f.Status))
		}
		return fmt.Sprintf("poll %s, models %s, %s", polled(s.w.Poll()), quoted(names), strings.Join(list, ", ")), nil
	})
}

// quoted formats names as Python prints a list of strings.
func quoted(names []string) string {
	var list []any
	for _, name := range names {
		list = append(list, name)
	}
	return pysem.Repr(list)
}

func polled(code int, done bool) string {
	if !done {
		return "None"
	}
	return fmt.Sprint(code)
}

func (s *portedSide) stopWrapper() string {
	return s.line(func() (string, error) {
		if err := s.w.Stop(); err != nil {
			return "", err
		}
		for _, done := s.w.Poll(); !done; _, done = s.w.Poll() {
			s.w.Exited().Wait()
		}
		return "poll " + polled(s.w.Poll()), nil
	})
}

func (s *portedSide) tfsClient(c clientCall, _ proto.Message) string {
	return s.line(func() (string, error) {
		o := clients.DefaultTFSClientOptions()
		o.Conf, o.Cmd, o.ModelName, o.Target = c.conf, c.cmd, pysem.Some(c.model), c.target
		if c.inputType != "" {
			o.InputType = c.inputType
		}
		if c.inputFile != "" {
			o.InputFile = pysem.Some(c.inputFile)
		}
		if c.fileType != "" {
			o.FileType = c.fileType
		}
		answer, err := clients.RunTFSClient(s.e, o)
		if err != nil {
			return "", err
		}
		return hexOf(s.t, answer.Message(c.cmd)), nil
	})
}

func (s *portedSide) profile(c clientCall, dataDir string) (answered, failed int) {
	s.t.Helper()
	line := s.line(func() (string, error) {
		o := clients.DefaultTFSClientOptions()
		o.Conf, o.Cmd, o.ModelName, o.Target = c.conf, c.cmd, pysem.Some(c.model), c.target
		o.DataDir, o.Threads, o.Duration = pysem.Some(dataDir), 2, time.Second
		o.ValidSlots, o.UserFeatures = []int{1}, pysem.Some([]int{})
		answer, err := clients.RunTFSClient(s.e, o)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(answer.Profile.Count, s.log.count("Warning!")), nil
	})
	if _, err := fmt.Sscan(line, &answered, &failed); err != nil {
		s.t.Fatalf("profile: %q: %v", line, err)
	}
	return answered, failed
}

var (
	_ side = pythonSide{}
	_ side = (*portedSide)(nil)
)
