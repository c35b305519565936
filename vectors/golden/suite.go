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

// Suite is one file of cases about one module of the reference.
type Suite struct {
	// Name is the name of the module in operations; the file is <Name>.json.
	Name   string `json:"suite"`
	Source Source `json:"source"`
	// Notes explains the flags of the cases.
	Notes map[string]string `json:"notes,omitempty"`
	Cases []Case            `json:"cases"`
}

// Source says where the answers come from.
type Source struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	// Path is the module's file in the repository, Symbol the function or class that is asked.
	Path   string `json:"path"`
	Symbol string `json:"symbol"`
	// With names the surroundings of the reference that were real; empty where stand-ins
	// were used.
	With string `json:"with,omitempty"`
}

// Question is what a case asks, in the forms of the testee protocol. The raw parts keep
// what a decoder would lose: the order of keys, large ints, lone surrogates.
type Question struct {
	ID    string          `json:"id"`
	Op    string          `json:"op"`
	About string          `json:"about,omitempty"`
	Env   json.RawMessage `json:"env,omitempty"`
	Host  json.RawMessage `json:"host,omitempty"`
	Files json.RawMessage `json:"files,omitempty"`
	// Shows lists what the answer has beside its value: logs, metrics, waits.
	Shows []string        `json:"shows,omitempty"`
	In    json.RawMessage `json:"in"`
}

// Case is a question with its answer.
type Case struct {
	Question
	// Out or Error is the answer.
	Out   json.RawMessage `json:"out,omitempty"`
	Error json.RawMessage `json:"error,omitempty"`
	// Logs, Metrics and Waits are present if Shows lists them: log lines as [level, text],
	// calls of metric clients, and sleeps in ms.
	Logs    json.RawMessage `json:"logs,omitempty"`
	Metrics json.RawMessage `json:"metrics,omitempty"`
	Waits   json.RawMessage `json:"waits,omitempty"`
	// Verdict is match (the port answers the same) or diverge (it answers otherwise on
	// purpose: a flag names the quirk).
	Verdict string   `json:"verdict"`
	Flags   []string `json:"flags,omitempty"`
}

// Has reports whether the case has the flag.
func (c *Case) Has(flag string) bool { return slices.Contains(c.Flags, flag) }

// Line returns the case in the form of its suite's file.
func (c *Case) Line() (string, error) {
	text, err := compact(c)
	return string(text), err
}

// namesakes maps a module whose name another module has too to its operations.
var namesakes = map[string][]string{
	"monolith_utils": {"utils.CopyFile", "utils.CopyRecursively", "utils.enable_monkey_patch"},
}

// SuiteOf returns the name of the suite of an operation, which is its module. It accepts
// the id of a case too.
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

// manifestName is the file with the hashes.
const manifestName = "manifest.json"

// casesDir is the folder of the inputs that people wrote, from which suites are recorded.
const casesDir = "cases"

// KnownFailing lists the ids of the cases that the engine is known to fail.
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

// decodeStrict returns an error for unknown fields, and for text behind the value.
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

// Input is one line of a case file: a question without an answer.
type Input struct {
	Question
	Flags []string `json:"flags,omitempty"`
}

// Line returns the input in the form of a case file.
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
