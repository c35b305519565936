package parity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// caseFile is a file of cases that were recorded from the reference.
type caseFile struct {
	path  string
	cases []recordedCase
}

// recordedCase holds what this package uses of a recorded case.
type recordedCase struct {
	id     string
	module string   // Python file to which names.yaml assigns the module
	op     string   // what follows the module's name
	known  bool     // whether the case file says in which Python file the operation is
	flags  []string // quirks as Q22
	asked  question
	answer string
	// sequence means that the answer is a list of steps with their effects, in order.
	sequence, fails, holdsError, holdsBytes bool
	// turns counts callbacks, and steps at which a thread ran. logLines counts log lines with level
	// and text. metrics counts metrics with a name.
	turns, logLines, metrics int
}

// caseJSON is a case in the form that files have: a request of the testee protocol with its answer.
type caseJSON struct {
	ID      string                     `json:"id"`
	Op      string                     `json:"op"`
	Env     json.RawMessage            `json:"env"`
	Host    json.RawMessage            `json:"host"`
	Files   map[string]json.RawMessage `json:"files"`
	In      json.RawMessage            `json:"in"`
	Out     json.RawMessage            `json:"out"`
	Error   json.RawMessage            `json:"error"`
	Logs    any                        `json:"logs"`
	Metrics any                        `json:"metrics"`
	Flags   []string                   `json:"flags"`
}

// agentService is the reference's folder agent_service. The names of its files leave the folder
// out.
const agentService = "monolith/agent_service/"

// suiteJSON is a file of vectors: the cases of one function or class of the reference.
type suiteJSON struct {
	Source struct{ Path, Symbol string } `json:"source"`
	Cases  []caseJSON                    `json:"cases"`
}

func mayHoldCases(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasPrefix(name, "vectors/") && strings.HasSuffix(name, ".json")
}

// readCaseFile parses a file with one case a line, or a suite. For any other JSON it returns nil.
func readCaseFile(name string, text []byte) (*caseFile, error) {
	read := readCaseLines
	if strings.HasSuffix(name, ".json") {
		read = readSuite
	}
	cases, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(cases) == 0 {
		return nil, nil
	}
	return &caseFile{path: name, cases: cases}, nil
}

func readCaseLines(text []byte) (cases []recordedCase, err error) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var c caseJSON
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if cases, err = appendCase(cases, c); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return cases, nil
}

func readSuite(text []byte) (cases []recordedCase, err error) {
	var suite suiteJSON
	if err := json.Unmarshal(text, &suite); err != nil {
		return nil, nil // the file is JSON of another kind, such as a list or a schema
	}
	module := strings.TrimSuffix(path.Base(suite.Source.Path), ".py")
	for _, c := range suite.Cases {
		c.Op = cmp.Or(c.Op, module+"."+suite.Source.Symbol)
		if cases, err = appendCase(cases, c); err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	source := strings.TrimPrefix(suite.Source.Path, agentService)
	for i := range cases {
		if c := &cases[i]; path.Base(source) == c.module {
			c.module, c.known = source, true
		}
	}
	return cases, nil
}

// appendCase adds a case. A line that is a greeting or a remark is left out.
func appendCase(cases []recordedCase, c caseJSON) ([]recordedCase, error) {
	module, op, ok := strings.Cut(c.Op, ".")
	if !ok || c.Out == nil && c.Error == nil {
		return cases, nil
	}
	asked, err := questionOf(c)
	if err != nil {
		return nil, err
	}
	r := recordedCase{
		id: c.ID, module: module + ".py", op: op, flags: c.Flags, asked: asked, answer: string(c.Out) + string(c.Error),
		sequence: op == "sequence" || strings.HasSuffix(op, ".sequence"), fails: c.Error != nil,
		logLines: countLogLines(c.Logs), metrics: countMetrics(c.Metrics),
	}
	if c.Out != nil {
		var out any
		if err := json.Unmarshal(c.Out, &out); err != nil {
			return nil, err
		}
		r.look(out)
		r.turns += countTimedTurns(c.Op, out)
	}
	return append(cases, r), nil
}

// look searches an answer for errors and bytes. {"e": {"type": ...}} and "error" are errors inside
// it. {"$hex": ...} and {"$pb": ...} are bytes.
func (r *recordedCase) look(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			r.look(x)
		}
	case map[string]any:
		for key, x := range v {
			r.lookAt(key, x)
		}
	}
}

func (r *recordedCase) lookAt(key string, v any) {
	switch key {
	case "e", "error":
		if failure, ok := v.(map[string]any); ok && failure["type"] != nil {
			r.holdsError = true
		}
	case "$hex", "$pb":
		r.holdsBytes = true
	case "logs":
		r.logLines += countLogLines(v)
	case "metrics":
		r.metrics += countMetrics(v)
	default:
		r.turns += countTurns(key, v)
	}
	r.look(v)
}

// moduleCases sums up the cases of one module.
type moduleCases struct {
	files, ops                             []string
	total, answers, errors, bytes, ordered int
	logs, metrics                          int
	firstOrdered                           string // id of the first sequence whose order matters
	settings                               settingPairs
	contents                               [][2]string // pairs of cases whose inputs differ only in the contents of files
}

// settleModules finds the Python file for cases whose case file names only the operation, such as
// utils.CopyFile. It takes the Python file that a suite names for the same operation.
func (t *sourceTree) settleModules() {
	t.fileOfOp = map[string]string{}
	for _, f := range t.cases {
		for _, c := range f.cases {
			if c.known {
				t.fileOfOp[c.fullOp()] = c.module
			}
		}
	}
	for _, f := range t.cases {
		for i := range f.cases {
			if file := t.fileOfOp[f.cases[i].fullOp()]; file != "" {
				f.cases[i].module = file
			}
		}
	}
}

// fullOp returns the operation with the module's name in front, as the protocol has it.
func (r *recordedCase) fullOp() string {
	return strings.TrimSuffix(path.Base(r.module), ".py") + "." + r.op
}

func (t *sourceTree) casesOf(file string) moduleCases {
	var m moduleCases
	var all []recordedCase
	for _, f := range t.cases {
		before := m.total
		for _, c := range f.cases {
			if c.module == file {
				m.add(c)
				all = append(all, c)
			}
		}
		if m.total > before {
			m.files = append(m.files, f.path)
		}
	}
	m.settings, m.contents = pairsOf(all), contentPairsOf(all)
	return m
}

func (m *moduleCases) add(c recordedCase) {
	m.total++
	m.answers += one(!c.fails)
	m.errors += one(c.fails || c.holdsError)
	m.bytes += one(c.holdsBytes)
	m.logs += one(c.logLines > 0)
	m.metrics += one(c.metrics > 0)
	if c.showsOrder() {
		m.ordered++
		m.firstOrdered = cmp.Or(m.firstOrdered, c.id)
	}
	m.ops = addName(m.ops, c.op)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func addName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// flagged lists the files with a case whose flags name a quirk.
func (t *sourceTree) flagged(quirk string) (paths []string) {
	return lists.Select(t.cases, func(f caseFile) (string, bool) {
		return f.path, slices.ContainsFunc(f.cases, func(c recordedCase) bool { return slices.Contains(c.flags, quirk) })
	})
}
