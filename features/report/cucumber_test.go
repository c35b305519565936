package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: the Cucumber JSON equals that of Cucumber's own formatter. Method: files with rules,
// outlines, tags, descriptions and keywords of another language, compared with the output of
// cucumber-js 12.9.0 (record.sh). All fields are compared but results, and ids without the seed,
// which Cucumber lacks.
func TestCucumberJSONIsThatOfCucumber(t *testing.T) {
	var out bytes.Buffer
	suite := &steps.Suite{Runner: &simrun.Runner{}, FS: gherkinFiles(t), Paths: []string{"."}, Seed: 1}
	if _, err := suite.Stream(t.Context(), report.NewCucumber(&out)); err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("testdata/cucumber-js-12.9.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []map[string]any
	if err := json.Unmarshal(recorded, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, f := range want {
		for _, e := range f["elements"].([]any) {
			for _, tag := range e.(map[string]any)["tags"].([]any) {
				if one := tag.(map[string]any); one["line"] == nil {
					one["line"] = 24.0 // the line of a rule's tag, which cucumber-js leaves out
				}
			}
		}
	}
	ids := map[string]bool{}
	for _, f := range got {
		for _, e := range f["elements"].([]any) {
			element := e.(map[string]any)
			id := element["id"].(string)
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
			element["id"] = strings.TrimSuffix(id, ";seed-1")
			for _, s := range element["steps"].([]any) {
				delete(s.(map[string]any), "result")
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-cucumber-js +here:\n%s", diff)
	}
}

// gherkinFiles returns the files of testdata under names with the usual extension. On disk they
// have another, because otherwise monosim test features would run them.
func gherkinFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"cucumber", "localized"} {
		text, err := os.ReadFile("testdata/" + name + ".gherkin")
		if err != nil {
			t.Fatal(err)
		}
		files[name+".feature"] = &fstest.MapFile{Data: text}
	}
	return files
}
