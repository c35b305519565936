// Package golden has the cases that were recorded from the real Python, as data: one suite
// for each module of the reference, each case with its input and the answer.
//
// Two things to use first:
//
//   - [Suites] reads the suites of a directory; [FS] is the directory in this binary.
//   - [Lint] lists what is wrong with them.
//
// Cases are never written by hand: add inputs to cases/<suite>.jsonl and record them with
// monosim vectors record --python. To change
//
//   - the form of a file: suite.go and write.go
//   - how files are put into a binary: embed.go and pack.go
//
// Unstable: any commit may change it.
package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Suite is a file of golden cases about one module of the reference.
type Suite struct {
	// Name is the module's name, with which its operations begin. The suite's file is <Name>.json.
	Name   string `json:"suite"`
	Source Source `json:"source"`
	// Notes explains the flags that the cases have, by flag.
	Notes map[string]string `json:"notes,omitempty"`
	Cases []Case            `json:"cases"`
}

// Source says from which code of the reference the answers were recorded.
type Source struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	// Path is the module's file in the repository. Symbol is the function or class that the cases
	// call.
	Path   string `json:"path"`
	Symbol string `json:"symbol"`
	// With names the real libraries that the reference used during the recording, such as a version
	// of tensorflow. It is empty if stand-ins were used.
	With string `json:"with,omitempty"`
}

// Question is what a case asks, in the JSON forms of the testee protocol. Its parts stay undecoded
// JSON, because a decoder would lose details: the order of keys, large ints, lone surrogates.
type Question struct {
	ID    string          `json:"id"`
	Op    string          `json:"op"`
	About string          `json:"about,omitempty"`
	Env   json.RawMessage `json:"env,omitempty"`
	Host  json.RawMessage `json:"host,omitempty"`
	Files json.RawMessage `json:"files,omitempty"`
	// Shows lists what the answer includes besides the result: logs, metrics, waits.
	Shows []string        `json:"shows,omitempty"`
	In    json.RawMessage `json:"in"`
}

// Case is a question with its answer.
type Case struct {
	Question
	// Out is the result of a successful answer; Error is the error of a failed one.
	Out   json.RawMessage `json:"out,omitempty"`
	Error json.RawMessage `json:"error,omitempty"`
	// Logs, Metrics and Waits are present if Shows lists them: log lines as [level, text],
	// calls of metric clients, and sleeps in ms.
	Logs    json.RawMessage `json:"logs,omitempty"`
	Metrics json.RawMessage `json:"metrics,omitempty"`
	Waits   json.RawMessage `json:"waits,omitempty"`
	// Verdict is "match" if the port gives the same answer. It is "diverge" if the port answers
	// otherwise on purpose, and then a flag names the quirk.
	Verdict string   `json:"verdict"`
	Flags   []string `json:"flags,omitempty"`
}

// Has reports whether the case has a flag, such as the id of a quirk.
func (c *Case) Has(flag string) bool { return slices.Contains(c.Flags, flag) }

// Line returns the case as one line of compact JSON, as in its suite's file.
func (c *Case) Line() (string, error) {
	text, err := compact(c)
	return string(text), err
}

// namesakes resolves modules with the same name. It maps the suite of such a module to the
// operations that belong to it.
var namesakes = map[string][]string{
	"monolith_utils": {"utils.CopyFile", "utils.CopyRecursively", "utils.enable_monkey_patch"},
}

// SuiteOf returns the name of the suite to which an operation belongs. op may also be the id of a
// case.
func SuiteOf(op string) string {
	op, _, _ = strings.Cut(op, "/")
	for suite, ops := range namesakes {
		if slices.Contains(ops, op) {
			return suite
		}
	}
	module, _, _ := strings.Cut(op, ".")
	return module
}

// manifestName is the name of the file with the hashes of all suites.
const manifestName = "manifest.json"

// casesDir is the folder of the case files. They hold questions that people wrote. The suites are
// recorded from these questions.
const casesDir = "cases"

// KnownFailing is the name of the file that lists the ids of the cases that the engine is known to
// fail.
const KnownFailing = "known_failing.txt"

// Suites reads the suites of a directory, sorted by name.
func Suites(fsys fs.FS) ([]*Suite, error) {
	names, err := fs.Glob(fsys, "*.json")
	if err != nil {
		return nil, err
	}
	var suites []*Suite
	for _, name := range names {
		if name == manifestName {
			continue
		}
		s, err := ReadSuite(fsys, strings.TrimSuffix(name, ".json"))
		if err != nil {
			return nil, err
		}
		suites = append(suites, s)
	}
	return suites, nil
}

// ReadSuite reads one suite of a directory.
func ReadSuite(fsys fs.FS, suite string) (*Suite, error) {
	name := suite + ".json"
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	var s Suite
	if err := decodeStrict(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &s, nil
}

// decodeStrict decodes one JSON value. It returns an error for an unknown field, and for text after
// the value.
func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("found more than one JSON value, want one")
	}
	return nil
}

// Input is one line of a case file: a question whose answer is not recorded yet.
type Input struct {
	Question
	Flags []string `json:"flags,omitempty"`
}

// Line returns the input as one line of compact JSON, as in a case file.
func (in *Input) Line() (string, error) {
	text, err := compact(in)
	return string(text), err
}

// CaseFile has the inputs of one suite.
type CaseFile struct {
	Suite  string
	Inputs []Input
}

// CaseFiles reads the case files of a directory, sorted by suite.
func CaseFiles(fsys fs.FS) ([]CaseFile, error) {
	names, err := fs.Glob(fsys, casesDir+"/*.jsonl")
	if err != nil {
		return nil, err
	}
	var list []CaseFile
	for _, name := range names {
		f := CaseFile{Suite: strings.TrimSuffix(path.Base(name), ".jsonl")}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
			var in Input
			if err := decodeStrict([]byte(line), &in); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			f.Inputs = append(f.Inputs, in)
		}
		list = append(list, f)
	}
	return list, nil
}
