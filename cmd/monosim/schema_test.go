package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/serve/playground"
)

// Goal: an editor that uses the schemas accepts the plans that monosim accepts, and marks each kind
// of mistake. Method: check-jsonschema, a standard validator, checks the example plans and plans
// with one mistake each.
func TestSchemasOfPlans(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "check_jsonschema") {
		t.Skip("PYTHON has no check-jsonschema: pip install check-jsonschema")
	}
	for _, c := range []struct {
		print []string
		good  []string // patterns of files
		texts []string
		wrong []string
	}{
		{[]string{"train", "--schema"}, []string{"../../runners/train/plans/*.yaml"},
			[]string{"for: 1h30m\nseed: 3\nrun_config: {num_ps: 2, restore_ckpt: ~}\nrunner_config: {discovery_type: consul}\nscript: [\"10m: ps0 is killed\"]"},
			[]string{"seeds: 1", "for: soon", "job: {ps: many}", "job: {pss: 1}", "job: {step_time: 5}", "run_config: {num_pss: 1}", "run_config: {num_ps: 1.5}", "runner_config: {discovery_type: none}", "script: now"}},
		{[]string{"serve", "--schema"}, nil,
			[]string{playground.Example, "agent_version: 1\nenv: {A: 1, B: x}\nlocations: [{idc: a, cluster: b}]\nmodels: [{name: m, publish: false, sub_graphs: [{name: entry}]}]"},
			[]string{"a: 1", "replicas: many", "models: ctr", "models: [{name: m, sub_graphs: [{nam: entry}]}]", "models: [{name: m, publish: 3}]", "locations: [{idx: a}]"}},
		{[]string{"whatif", "schema"}, []string{"../../runners/whatif/plans/*.yaml"}, nil, []string{"a: 1", "- 1"}},
	} {
		name := strings.Join(c.print, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, schema, message := monosim(c.print...)
			if code != 0 {
				t.Fatalf("%s: exit code %d, %s", name, code, message)
			}
			dir := t.TempDir()
			written := func(file, text string) string {
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			args := []string{"-m", "check_jsonschema", "-o", "json", "--schemafile", written("schema.json", schema)}
			wanted := map[string]bool{}
			for i, text := range c.wrong {
				wanted[written("wrong"+string(rune('a'+i))+".yaml", text)] = true
			}
			for i, text := range c.texts {
				args = append(args, written("good"+string(rune('a'+i))+".yaml", text))
			}
			for _, pattern := range c.good {
				files, err := filepath.Glob(pattern)
				if err != nil || len(files) == 0 {
					t.Fatalf("%s: found no file, %v", pattern, err)
				}
				args = append(args, files...)
			}
			for file := range wanted {
				args = append(args, file)
			}
			// the error is not looked at: the exit code is 1 because some plans are wrong
			out, _ := pythontest.Command(t, python, args...).Output()
			var found struct {
				Errors []struct{ Filename, Path, Message string }
			}
			if err := json.Unmarshal(out, &found); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, e := range found.Errors {
				if !wanted[e.Filename] && filepath.Dir(e.Filename) != dir || strings.Contains(e.Filename, "good") {
					t.Errorf("%s: %s: %s", e.Filename, e.Path, e.Message)
				}
				delete(wanted, e.Filename)
			}
			for file := range wanted {
				text, _ := os.ReadFile(file)
				t.Errorf("%s: taken, want an error", text)
			}
		})
	}
}
