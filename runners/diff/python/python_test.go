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

// descriptors.pb must be what the .proto files of engine/proto give, or the
// testee would run the reference with other messages than the engine's.
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

// names.json must be what the reference's sources give, or a name could be missing
// from the map beside it.
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

// examples are the answered cases of the protocol.
var examples = filepath.Join("..", "testee", "testdata", "examples.jsonl")

// Every example must be answered as recorded, by the rules of comparison that
// PROTOCOL.md states.
func TestExamplesAreAnsweredAsRecorded(t *testing.T) {
	interpreter := findInterpreter(t)
	out, err := pythontest.Command(t, interpreter, "check_examples.py", examples).CombinedOutput()
	if err != nil {
		t.Errorf("check_examples.py: %v\n%s", err, out)
	}
}

// A line that is no request is answered and does not end the testee.
func TestALineThatIsNoRequestIsSkipped(t *testing.T) {
	answers := ask(t, findInterpreter(t), "{", `{"id":"after","op":"utils.isabs","env":{},"in":{"path":"/a"}}`)
	if len(answers) != 2 {
		t.Fatalf("got %d answers, want 2: %v", len(answers), answers)
	}
	if answers[0].Skipped == "" || answers[1].ID != "after" || string(answers[1].Out) != "true" {
		t.Errorf("got %+v, want the first skipped and true for the second", answers)
	}
}

// What the reference evaluates or prints reaches neither requests nor answers.
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

// Two runs must give the same bytes, though the reference walks sets.
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

// answer is one line of the testee's output.
type answer struct {
	ID      string          `json:"id"`
	Out     json.RawMessage `json:"out"`
	Skipped string          `json:"skipped"`
}

// run answers what the testee prints for the lines.
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

// ask answers the testee's answers to the lines.
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

// findInterpreter answers the Python to use. It skips the test where the reference
// cannot be run.
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
