// Package golden holds the cases recorded from the real Python, as data: one suite for
// each module of the reference, each case with its input and the answer.
//
// Two things to use first:
//
//   - [Suites] reads the suites of a directory; [FS] is the one of this binary.
//   - [Lint] lists what is wrong with them.
//
// Cases are never written by hand: add inputs to cases/<suite>.jsonl and record them
// with monosim vectors record --python. The form of a file is in suite.go and write.go;
// how they are in a binary, in embed.go and pack.go.
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
	// Name is the module as operations call it; the file is <Name>.json.
	Name   string `json:"suite"`
	Source Source `json:"source"`
	// Notes say what the flags of the cases mean.
	Notes map[string]string `json:"notes,omitempty"`
	Cases []Case            `json:"cases"`
}

// Source says where the answers come from.
type Source struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	// Path is the module's file in the repository, Symbol what of it is asked.
	Path   string `json:"path"`
	Symbol string `json:"symbol"`
	// With is what of the reference's surroundings was real; empty where a stand-in did.
	With string `json:"with,omitempty"`
}

// Question is what a case asks, in the forms of the testee protocol. The raw parts
// keep what a decoder would lose: the order of keys, large ints, lone surrogates.
type Question struct {
	ID    string          `json:"id"`
	Op    string          `json:"op"`
	About string          `json:"about,omitempty"`
	Env   json.RawMessage `json:"env,omitempty"`
	Host  json.RawMessage `json:"host,omitempty"`
	Files json.RawMessage `json:"files,omitempty"`
	// Shows names what the answer has beside it: logs, metrics, waits.
	Shows []string        `json:"shows,omitempty"`
	In    json.RawMessage `json:"in"`
}

// Case is one case with its answer.
type Case struct {
	Question
	// Out or Error is the answer.
	Out   json.RawMessage `json:"out,omitempty"`
	Error json.RawMessage `json:"error,omitempty"`
	// Logs, Metrics and Waits are what Shows names: log lines as [level, text], what
	// metric clients were told, and sleeps in ms.
	Logs    json.RawMessage `json:"logs,omitempty"`
	Metrics json.RawMessage `json:"metrics,omitempty"`
	Waits   json.RawMessage `json:"waits,omitempty"`
	// Verdict is match (the port answers the same) or diverge (it does not, on
	// purpose: a flag names the quirk).
	Verdict string   `json:"verdict"`
	Flags   []string `json:"flags,omitempty"`
}

// Has reports whether the case has the flag.
func (c *Case) Has(flag string) bool { return slices.Contains(c.Flags, flag) }

// Line returns the case as its suite's file has it.
func (c *Case) Line() (string, error) {
	text, err := compact(c)
	return string(text), err
}

// namesakes holds the modules whose name another one has, with their operations.
var namesakes = map[string][]string{
	"monolith_utils": {"utils.CopyFile", "utils.CopyRecursively", "utils.enable_monkey_patch"},
}

// SuiteOf returns the name of the suite that an operation belongs to: its module. An id of a case
// will do.
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

// casesDir holds the inputs that a person wrote, from which suites are recorded.
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

// decodeStrict refuses fields that are not known and whatever follows.
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

// Input is one line of a case file: a case without an answer.
type Input struct {
	Question
	Flags []string `json:"flags,omitempty"`
}

// Line returns the input as a case file has it.
func (in *Input) Line() (string, error) {
	text, err := compact(in)
	return string(text), err
}

// CaseFile is the inputs of one suite.
type CaseFile struct {
	Suite  string
	Inputs []Input
}

// CaseFiles reads the inputs below cases, sorted by suite.
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
