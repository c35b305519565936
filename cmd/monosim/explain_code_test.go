package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/whatif"
	"github.com/monosim/monosim/runners/show/documents"
	"github.com/monosim/monosim/runners/show/jsonschema"
	"github.com/monosim/monosim/runners/show/rules"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

func TestEveryCodeIsExplained(t *testing.T) {
	for _, d := range documents.All() {
		if n := len(rules.Numbers(d)); n < 5 {
			t.Errorf("%s: got %d rules, want 5 or more", d.Path, n)
		}
	}
	for _, code := range allCodes() {
		list, err := explainCode(code)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: got %v, %v", code, list, err)
			continue
		}
		for _, e := range list {
			if strings.TrimSpace(strings.TrimPrefix(e.Text, e.Code)) == "" {
				t.Errorf("%s: nothing is said", e.Code)
			}
		}
	}
}

func TestExplainSaysWhatItWants(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"ZK-" + "6.44", `code: found "ZK-` + `6.44", want one of sim/zookeeper/SPEC.md - did you mean "ZK-6.4"?`},
		{"FOO-1", `code: found "FOO-1", want a quirk as Q117, or a rule as ZK-6.4`},
		{"Q" + "4711", `quirk: found "Q` + `4711", want an id of the register`},
	} {
		if _, err := explainCode(c.code); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.code, err, c.want)
		}
	}
}

// Goal: the explanation of every key of a plan is the text of the plan's schema. This includes keys
// below lists, and paths that leave out "fleet".
func TestEveryKeyOfAPlanIsExplained(t *testing.T) {
	var root jsonschema.Schema
	if err := json.Unmarshal(plan.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	keys := 0
	var walk func(s *jsonschema.Schema, path string)
	walk = func(s *jsonschema.Schema, path string) {
		for _, one := range s.AnyOf {
			walk(one, path)
		}
		if s.Items != nil {
			walk(s.Items, path)
		}
		for name, one := range s.Properties {
			at := strings.TrimPrefix(path+"."+name, ".")
			if one.Description != "" && !strings.Contains(at, "shard_skew.") {
				keys++
				if text, err := whatif.ExplainMetric(at); err != nil || !strings.Contains(text, one.Description) {
					t.Errorf("%s: got %s, %v, want %q in it", at, text, err, one.Description)
				}
			}
			walk(one, at)
		}
	}
	walk(&root, "")
	if keys < 150 {
		t.Errorf("%d keys, want all", keys)
	}
	if list, err := explainCode("ps.replicas"); err != nil || !strings.Contains(list[0].Text, "containers") {
		t.Errorf("ps.replicas: got %v, %v", list, err)
	}
}

var (
	printedCode = regexp.MustCompile(`\b(?:CAP-E?\d+(?:\.\d+)?|Q\d+)\b`)
	capitals    = regexp.MustCompile(`^[A-Z][A-Z ]{2,}$`)
	shouted     = regexp.MustCompile(`\b[A-Z]{4,}(?:-\d+)?\b`)
	stopped     = regexp.MustCompile(`(?m)^ +stopped: (.*)$`)
)

// Goal: `monosim explain` knows everything that reports and errors of monosim whatif print: every
// code, and every word that is not plain English. Method: collect them from the texts in its code
// and from recorded reports.
func TestEveryWordOfReportsIsExplained(t *testing.T) {
	wanted := map[string]string{"M/M/c": "theory", "M/G/1": "theory", "M/G/c": "theory", "M^X": "theory", "Allen-Cunneen": "theory", "Erlang C": "theory", "flaps": "AUTOSCALER", "not settled": "LATENCY", "greatest proven": "ANSWER", "cheapest proven": "ANSWER", "n_eff": "verdicts", "certificate": "ANSWER", "MSER-5": "LATENCY", "W_q": "theory", "P(wait)": "theory", "knee": "SWEEP", "VIF": "JSON"}
	for _, list := range [][]string{plan.Causes, model.PartNames[:], plan.MetricNames()} {
		for _, word := range list {
			wanted[word] = "reports"
		}
	}
	reasons := 0
	for _, room := range []string{"judge", "search"} { // sources of the codes for why a run stopped and what excludes a cell
		files, _ := filepath.Glob("../../runners/whatif/" + room + "/*.go")
		for _, path := range files {
			if err := constants(path, func(name, text string) {
				if strings.HasPrefix(name, "stopped") || strings.HasPrefix(name, "by") {
					wanted[text], reasons = path, reasons+1
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if reasons < 10 {
		t.Errorf("%d constants that say why, want more", reasons)
	}
	for _, root := range []string{"../../runners/whatif", "whatif"} {
		err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				err = literals(path, func(text string) {
					for _, code := range printedCode.FindAllString(text, -1) {
						wanted[code] = path
					}
					// words of TensorFlow Serving and of Beam are not explained
					if capitals.MatchString(text) && text != "AVAILABLE" && text != "EXTERNAL" {
						wanted[text] = path
					}
				})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reports, err := filepath.Glob("../../runners/whatif/plans/*.txt")
	if err != nil || len(reports) < 10 {
		t.Fatalf("%d reports: %v", len(reports), err)
	}
	for _, path := range reports {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range printedCode.FindAllString(string(text), -1) {
			wanted[code] = path
		}
		for _, m := range stopped.FindAllStringSubmatch(string(text), -1) {
			wanted[m[1]] = path
		}
		for line := range strings.Lines(string(text)) {
			if name := strings.TrimSpace(line[:min(13, len(line)-1)]); capitals.MatchString(name) {
				wanted[name], line = path, line[13:]
			}
			for _, word := range shouted.FindAllString(line, -1) {
				wanted[word] = path
			}
		}
	}
	if len(wanted) < 100 {
		t.Errorf("found %d codes and words, want more", len(wanted))
	}
	for word, where := range wanted {
		if list, err := explainCode(word); err != nil || len(list) != 1 || strings.TrimSpace(list[0].Text) == "" {
			t.Errorf("%s (%s): got %v, %v", word, where, list, err)
		}
	}
}

// literals calls the function each for every string literal in a Go file.
func literals(path string, each func(text string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				each(text)
			}
		}
		return true
	})
	return nil
}

// constants calls the function each for every constant of a Go file that is a string.
func constants(path string, each func(name, text string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		for i := 0; ok && i < min(len(spec.Names), len(spec.Values)); i++ {
			if lit, is := spec.Values[i].(*ast.BasicLit); is && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					each(spec.Names[i].Name, text)
				}
			}
		}
		return true
	})
	return nil
}

// Goal: `monosim whatif explain` prints the same as `monosim explain`. Method: codes and words of
// each kind.
func TestBothExplainTheSame(t *testing.T) {
	for _, words := range []string{"CAP-3.12", "cap-e06", "Q109", "METASTABLE", "metastable", "n_eff", "certificate", "WHY NOT LESS", "queue_full", "words", "CAP-3.12 n_eff", "W_q"} {
		code, want, message := monosim(append([]string{"explain"}, strings.Fields(words)...)...)
		if code != 0 || len(want) < 40 {
			t.Errorf("%s: exit %d, %q, %s", words, code, want, message)
		}
		if code, got, _ := monosim(append([]string{"whatif", "explain"}, strings.Fields(words)...)...); code != 0 || got != want {
			t.Errorf("%s: exit %d, got %q, want %q", words, code, got, want)
		}
	}
	_, metric, _ := monosim("whatif", "explain", "p99(request)")
	if _, got, _ := monosim("explain", "p99(request)"); !strings.Contains(got, strings.TrimSpace(metric)) || metric == "" {
		t.Errorf("got %q, want %q in it", got, metric)
	}
	for _, name := range []string{"explain", "whatif explain"} {
		if code, _, message := monosim(append(strings.Fields(name), "metastabel")...); code != command.ExitBadInput || !strings.Contains(message, fmt.Sprintf("did you mean %q", "METASTABLE")) && !strings.Contains(message, "want a quirk as Q117") {
			t.Errorf("%s: exit %d, %s", name, code, message)
		}
	}
}
