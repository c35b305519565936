package steps

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Goal: files are read as the authors of Gherkin read them. Method: files of the kinds that were
// once read wrongly. If GHERKIN_SRC names a checkout of cucumber/gherkin, also its valid test
// files, compared with their recorded pickles.

func TestKindsOfFeatureFiles(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"a comment in a description", "Feature: f\n  About it.\n  # a remark\n  More about it.\n\n  Scenario: s\n    Its own.\n    # a remark\n    More.\n    Given a v3 cluster of 1 shard with 1 replica\n    Then every pod runs\n"},
		{"tabs at the end of lines", "Feature: f\t\n  Scenario: s\t\n    Given a v3 cluster of 1 shard with 1 replica\t \n    Then every pod runs\t\n"},
		{"another language", "# language: fr\nFonctionnalité: f\n  Scénario: s\n    Soit a v3 cluster of 1 shard with 1 replica\n    Alors every pod runs\n"},
		{"stars and long keywords", "# language: de\nFunktionalität: f\n  Szenario: s\n    * a v3 cluster of 1 shard with 1 replica\n    Gegeben seien a v3 cluster of 1 shard with 1 replica\n    Dann every pod runs\n"},
		{"an outline in a rule", "Feature: f\n  Rule: r\n    Scenario Outline: s\n      Given a v3 cluster of 1 shard with <n> replica\n      Then every pod runs\n      Examples:\n        | n |\n        | 1 |\n"},
		{"a byte order mark", "\ufeffFeature: f\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    Then every pod runs\n"},
		{"white space beyond ASCII", "Feature: f\n\u3000Scenario:\u3000s\u00a0\n\u3000\u3000Given a v3 cluster of 1 shard with 1 replica\u00a0\n\u3000\u3000Then\u0020every pod runs\u2003\n"},
		{"a line that is longer than 64 kB", "Feature: f\n  # " + strings.Repeat("x", 100_000) + "\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    Then every pod runs\n"},
		{"carriage returns", "Feature: f\r\n  Scenario: s\r\n    Given a v3 cluster of 1 shard with 1 replica\r\n    Then every pod runs\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if report := run(t, suiteOf(&fakeRunner{}, c.text)); report.Passed != 1 {
				t.Errorf("got %d passed of %d, want one scenario", report.Passed, len(report.Results))
			}
		})
	}
}

// Goal: a mistake in a feature file is reported with its line, what was expected, and what may have
// been meant.
func TestMistakesOfFeatureFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a misspelt step", "Feature: f\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    Whne x\n    Thne y\n",
			"x.feature:4: found \"Whne x\", want a step, Scenario:, Rule:, Examples:, a row of a table, a doc string or a tag; did you mean \"When x\"\n" +
				"x.feature:5: found \"Thne y\", want a step, Scenario:, Rule:, Examples:, a row of a table, a doc string or a tag; did you mean \"Then y\""},
		{"a misspelt title", "Faeture: f\n", "x.feature:1: found \"Faeture: f\", want Feature: or a tag; did you mean \"Feature: f\""},
		{"another language", "# language: de\nFunktionalitat: f\n", "x.feature:2: found \"Funktionalitat: f\", want Feature: or a tag; did you mean \"Funktionalität: f\""},
		{"a row of another length", "Feature: f\n  Scenario Outline: s\n    Then <n> x\n    Examples:\n      | n | m |\n      | 1 |\n", "x.feature:6: inconsistent cell count within the table"},
		{"the end of the file", "@tag\n", "x.feature:2: found the end of the file, want Feature: or a tag"},
		{"no such language", "# language: xx\n", "x.feature:1: Language not supported: xx"},
		{"a step that is a description", "Feature: f\n  Scenario: s\n    Thne every pod runs\n", "x.feature:2: found a scenario that asserts nothing; of its description, is \"Thne every pod runs\" meant as \"Then every pod runs\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := suiteOf(&fakeRunner{}, c.text).Run(); err == nil || err.Error() != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestAnOutlineWithoutRowsIsSaid(t *testing.T) {
	const outline = "Feature: f\n  Scenario Outline: none\n    Given a v3 cluster of 1 shard with <n> replicas\n    Then every pod runs\n    Examples:\n      | n |\n"
	s := suiteOf(&fakeRunner{}, onePod)
	s.FS = fstest.MapFS{"x.feature": {Data: []byte(onePod)}, "y.feature": {Data: []byte(outline)}}
	s.Paths = []string{"."}
	var remarks []string
	s.Remark = func(text string) { remarks = append(remarks, text) }
	report := run(t, s)
	want := []string{`y.feature:2: Scenario Outline "none" has no row, so nothing of it runs`}
	if diff := cmp.Diff(want, remarks); diff != "" || report.Runs != 1 {
		t.Errorf("got %d runs and remarks (-want +got):\n%s", report.Runs, diff)
	}
	s.Paths = []string{"y.feature:3"}
	_, err := s.Run()
	var input *InputError
	if !errors.As(err, &input) || !strings.Contains(input.Error(), "has no row") {
		t.Errorf("by its line: got %v, want that it has no row", err)
	}
}

// pickled holds the name, tags and step texts of a pickle, for comparison with the official ones.
type pickled struct {
	Name  string
	Tags  []string
	Steps []string
}

func TestOfficialGoodFeatureFiles(t *testing.T) {
	src := os.Getenv("GHERKIN_SRC")
	if src == "" {
		t.Skip("GHERKIN_SRC names no checkout of cucumber/gherkin")
	}
	files, err := filepath.Glob(filepath.Join(src, "testdata", "good", "*.feature"))
	if err != nil || len(files) < 40 {
		t.Fatalf("testdata/good: got %d files, %v, want 40 or more", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := officialPickles(t, file+".pickles.ndjson")
			suite := Suite{FS: os.DirFS(filepath.Dir(file)), Paths: []string{filepath.Base(file)}, Runner: &fakeRunner{}}
			found, err := suite.find()
			if err != nil {
				t.Fatal(err)
			}
			var got []pickled
			for _, sc := range found {
				for _, c := range sc.cases {
					p := pickled{Name: c.written.Scenario.Name, Tags: c.tags}
					for _, st := range c.steps {
						p.Steps = append(p.Steps, st.text)
					}
					got = append(got, p)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pickles (-official +here):\n%s", diff)
			}
		})
	}
}

func officialPickles(t *testing.T, name string) (list []pickled) {
	t.Helper()
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			Pickle *struct {
				Name  string
				Tags  []struct{ Name string }
				Steps []struct{ Text string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Pickle == nil {
			continue
		}
		p := pickled{Name: line.Pickle.Name}
		for _, tag := range line.Pickle.Tags {
			p.Tags = append(p.Tags, tag.Name)
		}
		for _, st := range line.Pickle.Steps {
			p.Steps = append(p.Steps, st.Text)
		}
		list = append(list, p)
	}
	return list
}
