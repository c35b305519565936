package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Source is a plan file that was read, to be decoded with values set to others.
type Source struct {
	file string
	text []byte
	root yaml.Node
}

// Read reads a plan file. An error that is [Problems] lists what is wrong with it,
// sorted by place; warnings do not keep it from running.
func Read(path string) (*Source, *Plan, Problems, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, Problems{{Code: FileError, File: path, Line: 1, Column: 1, Message: reason(err)}}
	}
	return Parse(path, text)
}

// Parse is Read of a text that is at hand; relative paths count from path's folder.
func Parse(path string, text []byte) (*Source, *Plan, Problems, error) {
	s := &Source{file: path, text: text}
	if err := yaml.Unmarshal(text, &s.root); err != nil {
		return nil, nil, nil, syntaxProblem(path, err)
	}
	if s.root.Kind == 0 || len(s.root.Content) == 0 {
		return nil, nil, nil, Problems{{Code: Required, File: path, Line: 1, Column: 1, Message: "the file is empty, apiVersion is required"}}
	}
	p, warnings, err := s.With(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return s, p, warnings, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

func syntaxProblem(path string, err error) Problems {
	line, text := 1, err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
	}
	return Problems{{Code: FileError, File: path, Line: line, Column: 1, Message: "no YAML: " + text}}
}

// reason is the error of a file operation without its path.
func reason(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return fmt.Sprintf("%s: %s", e.Path, e.Err)
	}
	return err.Error()
}

// Value sets what stands at a path: "fleet.ps.replicas" to "9". "fleet." may be left
// out.
type Value struct{ Path, Text string }

// With decodes the plan with values set. An error is [Problems].
func (s *Source) With(values []Value) (*Plan, Problems, error) {
	root := s.root.Content[0]
	if len(values) > 0 {
		root = clone(root)
		for _, v := range values {
			set(root, strings.Split(RootPath(v.Path), "."), v.Text)
		}
	}
	p := &Plan{Dir: filepath.Dir(s.file)}
	d := &decoder{file: s.file, places: map[string]place{"": {root.Line, root.Column, root.Line, root.Column}}}
	d.read = func(path string) (string, error) { return readBeside(p.Dir, path) }
	d.structure(reflect.ValueOf(p).Elem(), root, "")
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(s.file), filepath.Ext(s.file))
	}
	d.finish(p, values)
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

// isWarning tells problems that do not keep a plan from running.
func isWarning(p Problem) bool {
	return p.Code == Overloaded || strings.HasPrefix(p.Message, warned)
}

const warned = "warning: "

func readBeside(dir, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", errors.New(reason(err))
	}
	return string(text), nil
}

// RootPath is a path of solve or sweep from the root of the plan.
func RootPath(path string) string {
	for _, tier := range TierNames {
		if strings.HasPrefix(path, tier+".") {
			return "fleet." + path
		}
	}
	return path
}

func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// set puts a scalar at a path below a mapping, and makes what is missing on the way.
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
