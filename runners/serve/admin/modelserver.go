package admin

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// ModelServer lists the admin actions of a served model server.
func ModelServer(s *serve.Server) []Action {
	m := modelServer{s}
	return []Action{
		Show("/state", "models with their versions, ports, and the faults that last", m.state),
		Do("/versions/break", "have every load of a version fail: of the directory of one, or of a model's base path", dirNamed{Path: "/models/ranker/3"}, m.breakVersion),
		Do("/versions/repair", "end that; a server that gave up looks at the version again only as upstream would", dirNamed{Path: "/models/ranker/3"}, m.repairVersion),
		Do("/versions/slow", "have requests to a version take longer, all until /heal; version 0 is all of the model", slowAsked{Model: "ranker", Version: 3, Delay: Span(time.Second)}, m.slow),
		Do("/slow", "have models work so many times as long on every request, until /heal; 1 ends it", slowedDown{Times: 5}, m.slowDown),
		Do("/versions/fail", "have requests to a version fail, all until /heal; version 0 is all of the model",
			failedVersion{Model: "ranker", Version: 3, Error: "INTERNAL:broken"}, m.failVersion),
		Do("/requests/fail", "have the next requests answered with an error", failedRequests{Next: 2, Methods: []string{"Predict"}, Error: "UNAVAILABLE:busy"}, m.fail),
		Do("/requests/delay", "have the next requests wait", delayedRequests{Next: 2, Methods: []string{"GetModelStatus"}, Delay: Span(2 * time.Second)}, m.delay),
		Do("/answers", "say what models answer to which inputs, in the place of what was said before; no models end it", exampleAnswers, m.answers),
		Do("/heal", "end all faults", Nothing{}, m.heal),
		exitAction(),
	}
}

// scriptedAnswers sets the answers of models. Its JSON has the form of the --monosim_answers file.
type scriptedAnswers struct {
	Models json.RawMessage `json:"models"`
}

var exampleAnswers = scriptedAnswers{Models: json.RawMessage(`{"ranker": [{"inputs": {"x": [1]}, "outputs": {"y": [2.5]}, "delay": "20ms"}]}`)}

func (m modelServer) answers(in scriptedAnswers) (Nothing, error) {
	if len(in.Models) == 0 {
		m.server.SetAnswers(nil)
		return Nothing{}, nil
	}
	text := append(append([]byte("models: "), in.Models...), '\n')
	script, err := answers.Parse("answers", text)
	if err != nil {
		return Nothing{}, err
	}
	for _, model := range script.Models() {
		if err := m.known("models", model); err != nil {
			return Nothing{}, err
		}
	}
	m.server.SetAnswers(script)
	return Nothing{}, nil
}

// known returns an error for the name of a model that the server does not have. A server that has none
// yet may be told of any.
func (m modelServer) known(field, model string) error {
	models := slices.Sorted(maps.Keys(m.server.Versions()))
	if len(models) == 0 || slices.Contains(models, model) {
		return nil
	}
	return fmt.Errorf("%s: found %q, want one of %s", field, model, strings.Join(models, ", "))
}

// befall begins a fault of requests. No model stands for all.
func (m modelServer) befall(f serve.RequestFault) (Nothing, error) {
	if f.Version < 0 {
		return Nothing{}, fmt.Errorf("version: found %d, want 1 or more, or 0 for all", f.Version)
	}
	if f.Model != "" {
		if err := m.known("model", f.Model); err != nil {
			return Nothing{}, err
		}
	}
	return Nothing{}, m.server.Befall(f)
}

// modelServer holds the functions behind the actions of one model server process.
type modelServer struct{ server *serve.Server }

type modelServerState struct {
	Serving bool             `json:"serving"`
	Ports   serve.Ports      `json:"ports"`
	Models  []modelShown     `json:"models"`
	Faults  []requestsFailed `json:"faults"`
	Broken  []string         `json:"broken"`
	// Slow is the factor by which the loading time of models is multiplied.
	Slow float64 `json:"slow"`
}

type modelShown struct {
	Model    string         `json:"model"`
	Versions []versionShown `json:"versions"`
}

type versionShown struct {
	Version int64  `json:"version"`
	State   string `json:"state"`
	Error   string `json:"error,omitempty"`
}

type requestsFailed struct {
	Next    int      `json:"next"`
	Methods []string `json:"methods,omitempty"`
	Model   string   `json:"model,omitempty"`
	Version int64    `json:"version,omitempty"`
	Delay   Span     `json:"delay"`
	Error   string   `json:"error,omitempty"`
}

func (m modelServer) state() (modelServerState, error) {
	state := modelServerState{Models: []modelShown{}, Faults: []requestsFailed{}, Broken: []string{}, Slow: m.server.Slowness()}
	select {
	case <-m.server.Serving():
		state.Serving, state.Ports = true, m.server.Ports()
	default:
	}
	models := m.server.Versions()
	for _, name := range slices.Sorted(maps.Keys(models)) {
		shown := modelShown{Model: name, Versions: []versionShown{}}
		for _, v := range models[name] {
			one := versionShown{Version: v.Version, State: v.State.String()}
			if _, why, failed := strings.Cut(v.String(), "("); failed {
				one.Error = strings.TrimSuffix(why, ")")
			}
			shown.Versions = append(shown.Versions, one)
		}
		state.Models = append(state.Models, shown)
	}
	pending, broken := m.server.Faults()
	for _, f := range pending {
		one := requestsFailed{Next: f.Next, Methods: f.Methods, Model: f.Model, Version: f.Version, Delay: Span(f.Delay)}
		if f.Err != nil {
			one.Error = f.Err.Code.String() + ":" + f.Err.Message
		}
		state.Faults = append(state.Faults, one)
	}
	state.Broken = append(state.Broken, broken...)
	return state, nil
}

type dirNamed struct {
	Path string `json:"path"`
}

func (m modelServer) breakVersion(in dirNamed) (Nothing, error) {
	if in.Path == "" {
		return Nothing{}, errors.New("path: found none, want the directory of a version as the server is told it, as /models/ranker/3")
	}
	if err := placeOfVersions(in.Path); err != nil {
		return Nothing{}, err
	}
	m.server.Break(in.Path)
	return Nothing{}, nil
}

// placeOfVersions returns an error for a path that is neither a directory of versions nor that of a
// version in one. The version itself may come later.
func placeOfVersions(name string) error {
	name = filepath.Clean(strings.TrimPrefix(name, "file://"))
	base := name
	if isVersion(name) {
		base = filepath.Dir(name)
	}
	entries, err := os.ReadDir(base)
	switch {
	case err != nil:
		return fmt.Errorf("path: found %q, want the base path of a model or a version below one; there is no directory %s", name, base)
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isVersion(e.Name()) }):
		return fmt.Errorf("path: found %q, want the base path of a model or a version below one; %s has no versions", name, base)
	}
	return nil
}

func isVersion(name string) bool {
	_, err := strconv.ParseInt(filepath.Base(name), 10, 64)
	return err == nil
}

func (m modelServer) repairVersion(in dirNamed) (Nothing, error) {
	if !m.server.Repair(in.Path) {
		_, broken := m.server.Faults()
		return Nothing{}, fmt.Errorf("path: found no broken %q, want one of %s", in.Path, cmp.Or(strings.Join(broken, ", "), "none: nothing is broken"))
	}
	return Nothing{}, nil
}

type slowAsked struct {
	Model   string `json:"model"`
	Version int64  `json:"version"`
	Delay   Span   `json:"delay"`
}

func (m modelServer) slow(in slowAsked) (Nothing, error) {
	return m.befall(serve.RequestFault{Next: -1, Model: in.Model, Version: in.Version, Delay: time.Duration(in.Delay), Methods: inferences})
}

type slowedDown struct {
	Times float64 `json:"times"`
}

func (m modelServer) slowDown(in slowedDown) (Nothing, error) {
	if err := m.server.Slow(in.Times); err != nil {
		return Nothing{}, fmt.Errorf("times: %w", err)
	}
	return Nothing{}, nil
}

// inferences lists the methods that run a model and compute an answer.
var inferences = []string{"Classify", "MultiInference", "Predict", "Regress"}

type failedVersion struct {
	Model   string `json:"model"`
	Version int64  `json:"version"`
	Error   string `json:"error"`
}

func (m modelServer) failVersion(in failedVersion) (Nothing, error) {
	failure, err := parseStatus(in.Error)
	if err != nil {
		return Nothing{}, err
	}
	return m.befall(serve.RequestFault{Next: -1, Model: in.Model, Version: in.Version, Err: failure, Methods: inferences})
}

type failedRequests struct {
	Next    int      `json:"next"`
	Methods []string `json:"methods,omitempty"`
	Model   string   `json:"model,omitempty"`
	Error   string   `json:"error"`
}

func (m modelServer) fail(in failedRequests) (Nothing, error) {
	failure, err := parseStatus(in.Error)
	if err != nil {
		return Nothing{}, err
	}
	return m.befallNext(serve.RequestFault{Next: in.Next, Methods: in.Methods, Model: in.Model, Err: failure})
}

type delayedRequests struct {
	Next    int      `json:"next"`
	Methods []string `json:"methods,omitempty"`
	Model   string   `json:"model,omitempty"`
	Delay   Span     `json:"delay"`
}

func (m modelServer) delay(in delayedRequests) (Nothing, error) {
	return m.befallNext(serve.RequestFault{Next: in.Next, Methods: in.Methods, Model: in.Model, Delay: time.Duration(in.Delay)})
}

func (m modelServer) befallNext(f serve.RequestFault) (Nothing, error) {
	if f.Next < 1 {
		return Nothing{}, fmt.Errorf("next: found %d, want 1 or more", f.Next)
	}
	return m.befall(f)
}

func (m modelServer) heal(Nothing) (Nothing, error) {
	m.server.Heal()
	return Nothing{}, nil
}

// parseStatus parses a gRPC status of the form CODE:text, for example UNAVAILABLE:busy.
func parseStatus(text string) (*env.RPCError, error) {
	name, message, _ := strings.Cut(text, ":")
	if code, ok := rpcerrors.Failure(name); ok {
		return &env.RPCError{Code: code, Message: message}, nil
	}
	var names []string
	for code := rpcerrors.Code(1); code <= rpcerrors.Unauthenticated; code++ {
		names = append(names, code.String())
	}
	return nil, fmt.Errorf("error: found %q, want CODE:text with a code of %s", text, strings.Join(names, ", "))
}
