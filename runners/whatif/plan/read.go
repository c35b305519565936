package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/engine/lists"
)

// Source is a plan file that was read and can be decoded again with changed values.
type Source struct {
	// limit is the function that Limit was given. For a plan that is too large it returns the path
	// of a key and the reason, and for others "".
	limit func(*Plan) (path, why string)

	file    string
	folders []string
	root    yaml.Node
}

// Read reads a plan file. An error of type [Problems] lists all mistakes, sorted by place. The
// returned Problems are only warnings: the plan can be run despite them. Files that the plan names
// have to be in or below its folder or one of the folders listed in more.
func Read(path string, more ...string) (*Source, *Plan, Problems, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, Problems{{Code: fileError, File: path, Line: 1, Column: 1, Message: reason(err)}}
	}
	return Parse(path, text, more...)
}

// Parse parses a plan from its text, as [Read] does. Relative paths refer to the folder of
// path.
func Parse(path string, text []byte, more ...string) (*Source, *Plan, Problems, error) {
	s := &Source{file: path, folders: append([]string{filepath.Dir(path)}, more...)}
	if err := yaml.Unmarshal(text, &s.root); err != nil {
		return nil, nil, nil, syntaxProblem(path, text, err)
	}
	if second := secondDocument(text); second != nil {
		return nil, nil, nil, Problems{{Code: fileError, File: path, Line: second.Line, Column: second.Column, Message: "found a second document, a plan is one"}}
	}
	if s.root.Kind == 0 || len(s.root.Content) == 0 {
		return nil, nil, nil, Problems{{Code: requiredKey, File: path, Line: 1, Column: 1, Message: "the file is empty, apiVersion is required"}}
	}
	p, warnings, err := s.With(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return s, p, warnings, nil
}

// secondDocument returns the start of a second YAML document, nil if there is none.
func secondDocument(text []byte) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if d.Decode(&first) != nil || errors.Is(d.Decode(&second), io.EOF) {
		return nil
	}
	return &yaml.Node{Line: max(second.Line, 1), Column: max(second.Column, 1)}
}

// reason returns the text of a file error without the name of the operation.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Sprintf("%s: %s", e.Path, e.Err)
	}
	return err.Error()
}

// Value replaces the value at a path, such as "fleet.ps.replicas", by a text. The prefix
// "fleet." may be left out.
type Value struct{ Path, Text string }

// With decodes the plan with some values replaced. Its error is of type [Problems].
func (s *Source) With(values []Value) (*Plan, Problems, error) {
	p, d := s.decode(values)
	if s.limit != nil && !slices.ContainsFunc(d.problems, func(one Problem) bool { return !isWarning(one) }) {
		if path, why := s.limit(p); why != "" {
			d.report(path, tooLarge, "%s", why)
		}
	}
	var warnings, problems Problems
	for _, one := range d.problems {
		if isWarning(one) {
			warnings = append(warnings, one)
		} else {
			problems = append(problems, one)
		}
	}
	warnings.sort()
	return p, warnings, problems.err()
}

// Limit makes With refuse plans that are too large. The function of decides: for a plan that is too
// large it returns the path of the key to blame and the reason, and "" for others. Limit returns an
// error if the plan is too large as it is.
func (s *Source) Limit(of func(*Plan) (path, why string)) error {
	s.limit = of
	_, _, err := s.With(nil)
	return err
}

// TooLarge returns a problem at the value of path. It says that this value makes the plan too
// large, and why.
func (s *Source) TooLarge(path, why string) Problems {
	_, d := s.decode(nil)
	d.problems = nil
	d.report(path, tooLarge, "%s", why)
	return d.problems
}

// Searchable returns, as [Problems], what a valid plan lacks for a search: values to vary,
// and an objective.
func (s *Source) Searchable() error {
	p, d := s.decode(nil)
	d.problems = nil
	if len(p.Solve.Over) == 0 && p.Solve.Maximise == "" {
		d.reportKey("solve", requiredKey, "solve.over is required to search, as solve: {over: {ps.replicas: 4..24}}, or solve: {maximise: rate}")
	}
	if len(p.Objectives()) == 0 {
		d.reportKey("slo", requiredKey, "slo is required to search, as slo: [p99(request) <= 50ms]")
	}
	return d.problems.err()
}

func (s *Source) decode(values []Value) (*Plan, *decoder) {
	root := s.root.Content[0]
	if len(values) > 0 {
		root = clone(root)
		for _, v := range values {
			set(root, strings.Split(RootPath(v.Path), "."), v.Text)
		}
	}
	p := &Plan{Dir: filepath.Dir(s.file)}
	d := &decoder{file: s.file, folders: s.folders, words: map[string]string{}, places: map[string]place{"": {root.Line, root.Column, root.Line, root.Column}}}
	d.read = func(path string) (string, error) { return readBeside(d.opener(p), p.Dir, path) }
	d.structure(reflect.ValueOf(p).Elem(), root, "")
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(s.file), filepath.Ext(s.file))
	}
	p.Uncertain = d.unsure
	d.finish(p, values)
	return p, d
}

// isWarning reports whether a plan can be run despite a problem.
func isWarning(p Problem) bool {
	return p.Code == overloaded || strings.HasPrefix(p.Message, warned)
}

const warned = "warning: "

// readBeside reads a file whose path may be relative to the folder dir.
func readBeside(read func(string) ([]byte, error), dir, path string) (string, error) {
	text, err := read(resolved(dir, path))
	if err != nil {
		return "", errors.New(reason(err))
	}
	return string(text), nil
}

// opener returns a function that reads a file and adds its path to the plan's Files.
func (d *decoder) opener(p *Plan) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		folder, below, err := d.folderOf(path)
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		text, err := folder.ReadFile(below)
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			err = &fs.PathError{Op: "open", Path: path, Err: failed.Err}
		}
		if err == nil && !slices.Contains(p.Files, path) {
			p.Files = append(p.Files, path)
		}
		return text, err
	}
}

// errElsewhere is the error for a file that the plan may not read, because it lies outside
// the allowed folders.
var errElsewhere = errors.New("outside of the plan's folder, want it there or below, or its folder as --files")

// folderOf opens the allowed folder that contains a file or directory named by the plan.
// Links cannot lead out of that folder.
func (d *decoder) folderOf(path string) (folder *os.Root, below string, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	for _, folder := range d.folders {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, "", err
		}
		if below, ok := confined.Within(folder, abs); ok {
			root, err := os.OpenRoot(folder)
			return root, below, err
		}
	}
	return nil, "", &fs.PathError{Op: "open", Path: path, Err: errElsewhere}
}

// RootPath returns the path from the root of the plan, for a path in solve or sweep that may lack
// the prefix "fleet.".
func RootPath(path string) string {
	for _, tier := range append([]string{"mixed"}, TierNames...) {
		if strings.HasPrefix(path, tier+".") {
			return "fleet." + path
		}
	}
	return path
}

func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = lists.Map(n.Content, clone)
	return &c
}

// set puts a scalar at a path below a node, and creates missing mappings on the way.
func set(n *yaml.Node, path []string, text string) {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(n.Content) {
			if len(path) == 1 {
				n.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: n.Line, Column: n.Column, Style: yaml.DoubleQuotedStyle}
				return
			}
			set(n.Content[i], path[1:], text)
		}
		return
	}
	if n.Kind != yaml.MappingNode {
		*n = yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
	}
	at := -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] {
			at = i + 1
		}
	}
	if at < 0 {
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: path[0], Line: n.Line, Column: n.Column}
		n.Content = append(n.Content, key, &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column})
		at = len(n.Content) - 1
	}
	if len(path) == 1 {
		old := n.Content[at]
		n.Content[at] = &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: old.Line, Column: old.Column, Style: yaml.DoubleQuotedStyle}
		return
	}
	set(n.Content[at], path[1:], text)
}
