package scaffold

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// run runs `monosim init`.
func run(args ...string) (stdout string, err error) {
	var out bytes.Buffer
	cmd := NewCommand(func(w io.Writer) error { return steps.WriteGlue(w, "typescript", (&simrun.Runner{}).Faults()) })
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.String(), err
}

// written runs `monosim init` for a new folder inside a temporary one, and returns the new folder.
func written(t *testing.T, flags ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "first try")
	out, err := run(append(flags, dir)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t, dir) {
		if !strings.Contains(out, "wrote "+filepath.Join(dir, name)+"\n") {
			t.Errorf("got\n%s\nwant a line for %s", out, name)
		}
	}
	return dir
}

// names lists the files below a folder, with slashes.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheScenarioPasses(t *testing.T) {
	steps.Run(t, os.DirFS(written(t)), steps.Suite{Runner: &simrun.Runner{}, Paths: []string{"features"}, Seeds: 3})
}

func TestSettingsAreRead(t *testing.T) {
	dir := written(t)
	var settings struct {
		Features []string `yaml:"features"`
		Seeds    int      `yaml:"seeds"`
	}
	d := yaml.NewDecoder(bytes.NewReader(read(t, dir, "monosim.yaml")))
	d.KnownFields(true)
	if err := d.Decode(&settings); err != nil || settings.Seeds < 1 || !slices.Equal(settings.Features, []string{"features"}) {
		t.Errorf("monosim.yaml: got %+v, %v, want the folder features and seeds", settings, err)
	}
	var editor map[string][]string
	if err := json.Unmarshal(read(t, dir, ".vscode", "settings.json"), &editor); err != nil || len(editor["cucumber.glue"]) != 1 {
		t.Fatalf("settings.json: got %v, %v, want one file with step definitions", editor, err)
	}
	if glue := read(t, dir, editor["cucumber.glue"][0]); !bytes.Contains(glue, []byte("ZooKeeper goes down")) {
		t.Errorf("%s: found no sentence in %.200s", editor["cucumber.glue"][0], glue)
	}
	if !json.Valid(read(t, dir, ".vscode", "extensions.json")) {
		t.Error("extensions.json is no JSON")
	}
}

// Goal: GitHub Actions and GitLab CI accept the generated files. Method: validate them with
// check-jsonschema, which has the schemas that both publish.
func TestCIFilesAreValid(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "check_jsonschema") {
		t.Skip("PYTHON has no check-jsonschema: pip install check-jsonschema")
	}
	dir := written(t)
	for name, schema := range map[string]string{
		".github/workflows/monosim.yml": "vendor.github-workflows",
		".gitlab-ci.yml":                "vendor.gitlab-ci",
	} {
		out, err := pythontest.Command(t, python, "-m", "check_jsonschema", "--builtin-schema", schema, filepath.Join(dir, name)).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Goal: if any of the files exists already, init names that file, leaves it unchanged, and writes
// nothing.
func TestNothingIsReplaced(t *testing.T) {
	for _, flags := range [][]string{nil, {"--go", "--source", "../../.."}} {
		list := names(t, written(t, flags...))
		if len(list) < 4 {
			t.Fatalf("%v: got the files %q, want four or more", flags, list)
		}
		for _, name := range list {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := run(append(flags, dir)...)
			if command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), path) {
				t.Errorf("%s is there: got %v, want exit code 2 and an error that names it", name, err)
			}
			if left := names(t, dir); !slices.Equal(left, []string{name}) || string(read(t, path)) != "mine" {
				t.Errorf("%s is there: got the files %q after it, want that alone, as it was", name, left)
			}
		}
	}
}

func TestWhatFailsHalfwayLeavesNothing(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "deep", "folder")
	err := Write(dir, []File{{Name: "x/y"}, {Name: "a", Text: []byte("a file")}, {Name: "a/b", Text: []byte("not below a file")}})
	if err == nil {
		t.Fatal("got no error, want one of a/b")
	}
	if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing left", left, err)
	}
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"a", "b"}, `found argument "b", want one directory`},
		{[]string{"--source", "../../.."}, "found --source without --go"},
		{[]string{file}, file},
		{[]string{"--go", "--source", "../nowhere"}, "nowhere"},
		{[]string{"--go", "--source", "../../../runners/whatif/lab"}, "is not of module github.com/monosim/monosim"},
	} {
		_, err := run(c.args...)
		if command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want exit code 2 and %q", c.args, err, c.want)
		}
	}
}

// Goal: the tests of a generated module run at once, without the network and without go mod tidy.
func TestTheModuleRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds another module")
	}
	cmd := exec.Command("go", "test", "-count=1", "-v", "./...")
	cmd.Dir = written(t, "--go", "--source", "../../..")
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"--- PASS: TestBothPodsAreListed ", "--- PASS: TestScenarios/features/first.feature/Every_agent_lists_"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("go test: %v, want %q in\n%s", err, want, out)
		}
	}
}
