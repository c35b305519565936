package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Goal: the binary can replace tensorflow_model_server. The reference's search accepts it, it can
// be called by that name, and it ends as the real server does.

// buildDir is the folder with the built program, "" until a test has built it.
var buildDir string

// builtProgram builds the program and returns its path. Under the race detector it skips the test,
// because the detector cannot watch a process that is built without it.
func builtProgram(t *testing.T) string {
	t.Helper()
	if underRace {
		t.Skip("the race detector sees nothing of a process of its own")
	}
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// limited returns a context for a child process. It ends with the test or after five minutes, so
// that a process that no signal ends does not hold up all tests.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

var buildOnce = sync.OnceValues(func() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "monosim-test-"); err != nil {
		return "", err
	}
	path = filepath.Join(buildDir, "monosim")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	// The tests get a cache folder of their own. Go's build cache is in the user's cache folder
	// too, so GOCACHE keeps it in use.
	built, err := exec.Command("go", "env", "GOCACHE").Output()
	cache, err2 := os.MkdirTemp("", "monosim-cache-") // the record of what failed last is kept there
	if err = errors.Join(err, err2); err == nil {
		err = errors.Join(os.Setenv("GOCACHE", strings.TrimSpace(string(built))), os.Setenv("XDG_CACHE_HOME", cache))
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(cache)
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

// modelServer makes a link to the program under the real server's name, and returns the link's
// path.
func modelServer(t *testing.T) string {
	t.Helper()
	path := builtProgram(t)
	link := filepath.Join(t.TempDir(), modelServerName)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// Goal: the binary contains the text for which tfs_wrapper.py:49 runs
// `strings BINARY | grep PredictionServiceGrpc`.
func TestTheBinaryHasTheMarker(t *testing.T) {
	data, err := os.ReadFile(modelServer(t))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(remoteOpMarker)) {
		t.Errorf("the linker dropped %s", remoteOpMarker)
	}
}

// runToEnd runs the model server until it ends.
func runToEnd(t *testing.T, args ...string) (state *os.ProcessState, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, modelServer(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState, out.String(), errs.String()
}

// Goal: the model server ends with the exit codes of TFS-9.2, and with signals that its parent
// sees.
func TestHowTheModelServerEnds(t *testing.T) {
	dir := t.TempDir()
	model, bad := filepath.Join(dir, "m"), filepath.Join(dir, "bad")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(model, "1"), 0o755),
		os.WriteFile(filepath.Join(model, "1", "saved_model.pb"), []byte("{}"), 0o644),
		os.WriteFile(bad, []byte("no field: 1"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		args   []string
		code   int // or -signal
		stdout string
	}{
		{"version", []string{"--version"}, 0, "TensorFlow ModelServer: 2.4.0\nTensorFlow Library: 2.4.0\n"},
		{"no model", []string{"--port=1"}, 255, "Failed to start server. Error: Invalid argument: " +
			"Both server_options.model_base_path and server_options.model_config_file are empty!\n"},
		{"a config that is none", []string{"--model_config_file=" + bad}, 255,
			"Failed to start server. Error: Invalid argument: Invalid protobuf file: '" + bad + "'\n"},
		{"more memory than there is", []string{"--model_base_path=" + model, "--monosim_memory_limit_bytes=1"}, -int(syscall.SIGKILL), ""},
		{"a TLS file that is none", []string{"--model_base_path=" + model, "--ssl_config_file=" + bad}, -int(syscall.SIGABRT), ""},
		{"an own flag that is none", []string{"--monosim_seed=x"}, 2, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			state, stdout, stderr := runToEnd(t, test.args...)
			if got := codeOf(state); got != test.code || stdout != test.stdout {
				t.Errorf("got %d %q\nwant %d %q\nstderr: %s", got, stdout, test.code, test.stdout, stderr)
			}
		})
	}
}

// codeOf returns the exit code in the form of Python's Popen: the negative number of a signal.
func codeOf(state *os.ProcessState) int {
	if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return state.ExitCode()
}

// Goal: a server whose command line a wrapper composes can get more flags by an environment
// variable. It serves, and SIGTERM ends it as it ends a program without handlers.
func TestTheModelServerServesUntilASignal(t *testing.T) {
	dir := t.TempDir()
	config, events := filepath.Join(dir, "config"), filepath.Join(dir, "events")
	if err := os.WriteFile(config, []byte("model_config_list {}"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(limited(t), modelServer(t), "--model_config_file="+config, "--port=8500", "--rest_api_port=8501")
	cmd.Env = append(os.Environ(), "MONOSIM_TFSERVING_FLAGS=--monosim_any_port --monosim_events="+events)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr := awaitLine(t, stderr, regexp.MustCompile(`Running gRPC ModelServer at (\S+) \.\.\.`))
	awaitLine(t, stderr, regexp.MustCompile(`Exporting HTTP/REST API at:(localhost:\d+) \.\.\.`))
	go io.Copy(io.Discard, stderr)
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Invoke(t.Context(), "/tensorflow.serving.ModelService/GetModelStatus", &emptypb.Empty{}, &emptypb.Empty{})
	if got := status.Convert(err).Message(); got != "Missing ModelSpec" {
		t.Errorf("a request without model_spec: got %v, want Missing ModelSpec", err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := codeOf(cmd.ProcessState); got != -int(syscall.SIGTERM) {
		t.Errorf("got exit %d, want -15", got)
	}
	if _, err := os.Stat(events); err != nil {
		t.Errorf("--monosim_events: %v", err)
	}
}

var endingSignals = []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM}

// ignoredAtStart holds the signals that all programs ignore which are started here. It is made before any
// test asks for a signal, after which package signal no longer knows.
var ignoredAtStart = func() map[syscall.Signal]bool {
	ignored := map[syscall.Signal]bool{}
	for _, s := range endingSignals {
		ignored[s] = signal.Ignored(s)
	}
	return ignored
}()

// Goal: every signal that ends a program without handlers ends the server, as upstream's has none.
func TestSignalsEndTheModelServer(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("model_config_list {}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, sent := range endingSignals {
		if ignoredAtStart[sent] {
			t.Logf("%v is ignored by all that is started here, as below nohup", sent)
			continue
		}
		cmd := exec.CommandContext(limited(t), modelServer(t), "--model_config_file="+config, "--monosim_any_port")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitLine(t, stderr, regexp.MustCompile(`Running gRPC ModelServer at (\S+)`))
		go io.Copy(io.Discard, stderr)
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := codeOf(cmd.ProcessState); got != -int(sent) {
			t.Errorf("%v: got exit %d, want %d", sent, got, -int(sent))
		}
	}
}

// Goal: a server with REST goes on after the reader of its log is gone, because upstream's
// evhttp_server.cc ignores SIGPIPE. It still loads new versions.
func TestTheModelServerOutlivesItsLog(t *testing.T) {
	sample, err := filepath.Abs("testdata/serving/ranker")
	if err != nil {
		t.Fatal(err)
	}
	models := t.TempDir()
	versions, err := os.ReadDir(sample)
	if err != nil {
		t.Fatal(err)
	}
	link := func(name string) {
		if err := os.Symlink(filepath.Join(sample, versions[0].Name()), filepath.Join(models, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("1")
	cmd := exec.CommandContext(limited(t), modelServer(t), "--model_name=m", "--model_base_path="+models,
		"--rest_api_port=8501", "--monosim_any_port", "--monosim_speed=100")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr := awaitLine(t, stderr, regexp.MustCompile(`Exporting HTTP/REST API at:(localhost:\d+) \.\.\.`))
	stderr.Close()
	link("2")
	for available := false; !available; {
		response, err := http.Get("http://" + addr + "/v1/models/m/versions/2")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		available = strings.Contains(string(body), "AVAILABLE")
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// awaitLine reads until a line matches, and returns the first group of the match. It reads byte by
// byte, so that the rest stays for the next reader.
func awaitLine(t *testing.T, from io.Reader, line *regexp.Regexp) string {
	t.Helper()
	in := bufio.NewReaderSize(oneByte{from}, 16)
	for {
		text, err := in.ReadString('\n')
		if m := line.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		if err != nil {
			t.Fatalf("no line %s: %v", line, err)
		}
	}
}

type oneByte struct{ io.Reader }

func (r oneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:1]) }

// Goal: the sample model of the README can be served and answers.
func TestTheSampleModelAnswers(t *testing.T) {
	sample, err := filepath.Abs("testdata/serving/ranker")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(limited(t), modelServer(t), "--model_name=ranker", "--model_base_path="+sample,
		"--rest_api_port=8501", "--monosim_any_port")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr := awaitLine(t, stderr, regexp.MustCompile(`Exporting HTTP/REST API at:(localhost:\d+) \.\.\.`))
	go io.Copy(io.Discard, stderr)
	response, err := http.Post("http://"+addr+"/v1/models/ranker:predict", "application/json",
		strings.NewReader(`{"instances": [[1, 2, 3], [4, 5, 6]]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Predictions []float64 }
	if err := json.Unmarshal(body, &answer); err != nil || response.StatusCode != http.StatusOK || len(answer.Predictions) != 2 {
		t.Errorf("got %s %s (%v), want two predictions", response.Status, body, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}
