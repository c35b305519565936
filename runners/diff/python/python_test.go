package python

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pythontest"
)

// Goal: descriptors.pb is what the .proto files of engine/proto generate. Otherwise the testee
// would run the reference with other messages than the engine has.
func TestDescriptorsAreThoseOfTheProtoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "descriptors.pb")
	if out, err := pythontest.Command(t, "go", "run", "../../../engine/proto/gen", "-descriptors", path).CombinedOutput(); err != nil {
		t.Fatalf("generate descriptors: %v\n%s", err, out)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("descriptors.pb")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("descriptors.pb has %d bytes that differ from the %d of engine/proto; run: go generate ./runners/diff/python", len(got), len(want))
	}
}

// Goal: names.json is what names.py finds in the reference's sources. Otherwise the map beside it
// could lack a name.
func TestNamesAreThoseOfTheReference(t *testing.T) {
	got, err := pythontest.Command(t, findInterpreter(t), "names.py").Output()
	if err != nil {
		t.Fatalf("names.py: %v", err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "..", "vectors", "scope", "names.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("vectors/scope/names.json differs; run: make names (-recorded +now)\n%s", diff)
	}
}

// examples is the file with the answered example cases of the protocol.
var examples = filepath.Join("..", "testee", "testdata", "examples.jsonl")

// Goal: every example is answered as recorded, by the rules of comparison in PROTOCOL.md.
func TestExamplesAreAnsweredAsRecorded(t *testing.T) {
	interpreter := findInterpreter(t)
	out, err := pythontest.Command(t, interpreter, "check_examples.py", examples).CombinedOutput()
	if err != nil {
		t.Errorf("check_examples.py: %v\n%s", err, out)
	}
}

// Goal: a line that is not a request gets an answer, and the testee goes on.
func TestALineThatIsNoRequestIsSkipped(t *testing.T) {
	answers := ask(t, findInterpreter(t), "{", `{"id":"after","op":"utils.isabs","env":{},"in":{"path":"/a"}}`)
	if len(answers) != 2 {
		t.Fatalf("got %d answers, want 2: %v", len(answers), answers)
	}
	if answers[0].Skipped == "" || answers[1].ID != "after" || string(answers[1].Out) != "true" {
		t.Errorf("got %+v, want the first skipped and true for the second", answers)
	}
}

// Goal: neither an exit nor a print in what the reference evaluates disturbs requests and answers.
func TestACaseThatEvaluatesExitOrPrintsLeavesTheProtocolAlone(t *testing.T) {
	answers := ask(t, findInterpreter(t),
		`{"id":"exit","op":"utils.AgentConfig.from_file","env":{},"files":{"a.conf":"deploy_type ps\nversion_data exit(3)\n"},"in":{"fname":"a.conf"}}`,
		`{"id":"print","op":"utils.AgentConfig.from_file","env":{},"files":{"a.conf":"deploy_type ps\nversion_data print(7)\n"},"in":{"fname":"a.conf"}}`,
		`{"id":"after","op":"utils.isabs","env":{},"in":{"path":"a"}}`)
	if len(answers) != 3 {
		t.Fatalf("got %d answers, want 3: %v", len(answers), answers)
	}
	if answers[2].ID != "after" || string(answers[2].Out) != "false" {
		t.Errorf("got %+v, want false for the last", answers)
	}
}

// Goal: two runs give the same bytes, though the reference iterates over sets.
func TestTwoRunsAnswerAlike(t *testing.T) {
	interpreter := findInterpreter(t)
	text, err := os.ReadFile(examples)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if first, second := run(t, interpreter, lines), run(t, interpreter, lines); first != second {
		t.Errorf("two runs over %d cases differ", len(lines))
	}
}

// answer is one line that the testee writes.
type answer struct {
	ID      string          `json:"id"`
	Out     json.RawMessage `json:"out"`
	Skipped string          `json:"skipped"`
}

// run starts the testee with these lines as its input, and returns its output.
func run(t *testing.T, interpreter string, lines []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), interpreter, "testee.py")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("testee.py: %v", err)
	}
	return string(out)
}

// ask sends lines to the testee and returns its answers.
func ask(t *testing.T, interpreter string, lines ...string) []answer {
	t.Helper()
	var answers []answer
	for line := range strings.Lines(run(t, interpreter, lines)) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("answer %q: %v", line, err)
		}
		answers = append(answers, a)
	}
	return answers
}

// findInterpreter returns the Python interpreter to use. It skips the test if the reference cannot
// be run.
func findInterpreter(t *testing.T) string {
	t.Helper()
	pythontest.Reference(t)
	interpreter := pythontest.Find(t)
	probe := ask(t, interpreter, `{"id":"probe","op":"utils.isabs","env":{},"in":{"path":"/"}}`)
	if len(probe) == 1 && probe[0].Skipped != "" {
		t.Skip(probe[0].Skipped)
	}
	return interpreter
}
