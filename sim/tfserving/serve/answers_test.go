package serve

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/answers"
)

// post sends a request to the REST API, and returns the HTTP status with the answer on one line.
func (l *lab) post(path, body string) string {
	l.Helper()
	response, err := http.Post("http://"+l.restAddr()+path, "application/json", strings.NewReader(body))
	l.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	l.must(err)
	return response.Status[:3] + " " + strings.Join(strings.Fields(string(text)), " ")
}

// Goal: the REST API answers from the graph of a model (TFS-12.5).
func TestRESTRunsTheGraph(t *testing.T) {
	l := newLab(t)
	l.must(os.CopyFS(l.path("half", "1"), os.DirFS("../graph/testdata/models/half_plus_two")))
	l.serve(tfserving.Profile24, func(o *Options) {
		o.Machine.InitialConfig, o.Machine.ModelName, o.Machine.ModelBasePath, o.Machine.RESTAPIPort = nil, "half", l.path("half"), 1
	})
	for _, row := range []struct{ path, body, want string }{
		{"predict", `{"instances": [1.0, 2.0, 5.0]}`, `200 { "predictions": [2.5, 3.0, 4.5 ] }`},
		{"regress", `{"signature_name": "regress_x_to_y", "examples": [{"x": 1.0}, {"x": 5.0}]}`, `200 { "results": [2.5, 4.5] }`},
		{"classify", `{"signature_name": "classify_x_to_y", "examples": [{"x": 2.0}]}`, `200 { "results": [[["", 3.0]] ] }`},
		{"regress", `{"signature_name": "regress_x_to_y", "examples": [{"y": 1.0}]}`,
			`400 { "error": "Name: <unknown>, Feature: x (data type: float) is required but could not be found.\n\t [[{{node ParseExample/ParseExampleV2}}]]" }`},
	} {
		if got := l.post("/v1/models/half:"+row.path, row.body); got != row.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", row.path, row.body, got, row.want)
		}
	}
}

// readmeScript returns the script of answers that README.md shows.
func readmeScript(t *testing.T) []byte {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, found := bytes.Cut(readme, []byte("```yaml\n"))
	script, _, ended := bytes.Cut(script, []byte("```"))
	if !found || !ended {
		t.Fatal("README.md has no script")
	}
	return script
}

// Goal: with the README's script as --monosim_answers, the server gives the answers and the delay
// that the script says.
func TestTheScriptOfTheREADME(t *testing.T) {
	l := newLab(t)
	l.export("ranker", 1, `{"signatures": {
		"serving_default": {"inputs": {"x": {"dtype": 1, "shape": [-1, 3]}}, "outputs": {"score": {"dtype": 1, "shape": [-1]}}},
		"classify": {"inputs": {"inputs": {"dtype": 7, "shape": [-1]}}, "outputs": {"classes": {"dtype": 7, "shape": [-1, -1]}, "scores": {"dtype": 1, "shape": [-1, -1]}},
			"method": "tensorflow/serving/classify"}}}`)
	script, err := answers.Parse("README.md", readmeScript(t))
	l.must(err)
	l.serve(tfserving.Profile24, func(o *Options) {
		o.Machine.InitialConfig, o.Machine.ModelName, o.Machine.ModelBasePath, o.Machine.RESTAPIPort = nil, "ranker", l.path("ranker"), 1
		o.Machine.Answers, o.Speed = script, 1
	})
	began := time.Now()
	if got := l.post("/v1/models/ranker:predict", `{"instances": [[1, 2, 3]]}`); got != `200 { "predictions": [0.75 ] }` {
		t.Errorf("got %s", got)
	}
	if took := time.Since(began); took < 20*time.Millisecond {
		t.Errorf("answered after %v, want 20ms or more", took)
	}
	if got := l.post("/v1/models/ranker:predict", `{"instances": [[0, 0, 0]]}`); got != `503 { "error": "the batch is full" }` {
		t.Errorf("got %s", got)
	}
	if got := l.post("/v1/models/ranker:classify", `{"signature_name": "classify", "examples": [{"age": 30}]}`); got != `200 { "results": [[["low", 0.25], ["high", 0.75]] ] }` {
		t.Errorf("got %s", got)
	}
	other := `{"instances": [[1, 2, 4]]}`
	if got := l.post("/v1/models/ranker:predict", other); !strings.HasPrefix(got, `200 { "predictions": [0.`) {
		t.Errorf("what no rule fits: got %s", got)
	}
	l.s.SetAnswers(nil)
	if got := l.post("/v1/models/ranker:predict", `{"instances": [[0, 0, 0]]}`); !strings.HasPrefix(got, "200 ") {
		t.Errorf("without the script: got %s", got)
	}
}

// Goal: a mistake in the file of --monosim_answers ends the program with exit code 2 and the place
// of the mistake.
func TestMistakesInTheFileOfAnswers(t *testing.T) {
	l := newLab(t)
	file := l.path("answers.yaml")
	l.must(os.WriteFile(file, []byte("models:\n  ranker:\n    - delay: soon\n"), 0o600))
	for _, row := range []struct{ file, want string }{
		{file, file + `:3:14: found delay "soon", want a time above 0, as 20ms`},
		{l.path("none.yaml"), "open " + l.path("none.yaml") + ": no such file or directory"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main("server", []string{"--monosim_answers=" + row.file}, &stdout, &stderr, nil)
		if want := "server: --monosim_answers: " + row.want + "\n"; code != 2 || stderr.String() != want {
			t.Errorf("got %d %s, want 2 %s", code, stderr.String(), want)
		}
	}
}
