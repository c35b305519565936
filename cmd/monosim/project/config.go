// Package project reads and keeps what belongs to a folder of scenarios: its settings, and which
// of its scenarios failed last.
//
// Two things to use first:
//
//   - [Read] reads the file monosim.yaml of a folder.
//   - [LastOf] finds what failed last of some paths.
//
// To change
//
//   - what the file may say: the fields of [Config] and the method set
//   - where failures are kept, and in which form: last.go
//
// Unstable: any commit may change it.
package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"gopkg.in/yaml.v3"
)

// File is the name of the settings file, which monosim test reads from the working folder.
const File = "monosim.yaml"

// Config holds the settings that monosim test uses where no flag or argument is given. A setting
// that the file omits is empty.
type Config struct {
	Features []string // paths of features, as monosim test takes them
	Seeds    int
	Quirks   string
	Runners  []string
	Tags     string
}

// keys lists the settings that the file may have.
var keys = []string{"features", "seeds", "quirks", "runners", "tags"}

// Read reads the settings file. A missing file gives empty settings. An error names file:line, what
// was found and what was wanted.
func Read(name string) (Config, error) {
	var c Config
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer file.Close()
	decoder := yaml.NewDecoder(file)
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return c, nil // the file is empty or has only comments
	} else if err != nil {
		return c, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s:%d: found a second document, want one", name, max(second.Line, 1))
	}
	return c, c.fill(name, document.Content[0])
}

// fill sets the settings that a YAML mapping has.
func (c *Config) fill(name string, root *yaml.Node) error {
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: found %s, want lines as seeds: 3", name, root.Line, found(root))
	}
	said := map[string]int{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if line, twice := said[key.Value]; twice {
			return fmt.Errorf("%s:%d: found %s, which line %d has already", name, key.Line, key.Value, line)
		}
		said[key.Value] = key.Line
		if !slices.Contains(keys, key.Value) {
			return fmt.Errorf("%s:%d: found the unknown key %q, want one of %s, as %s, which is the nearest", name, key.Line, key.Value, strings.Join(keys, ", "), nearest(key.Value))
		}
		if want := c.set(key.Value, value); want != "" {
			return fmt.Errorf("%s:%d: %s: found %s, want %s", name, value.Line, key.Value, found(value), want)
		}
	}
	return nil
}

// set sets the field of one setting. It returns "" if the value is good, and otherwise says what
// was wanted.
func (c *Config) set(key string, value *yaml.Node) (want string) {
	ok := false
	switch key {
	case "features":
		c.Features, ok = texts(value)
		want = "a path, or a list of paths"
	case "seeds":
		c.Seeds, ok = number(value)
		want = "a number of 1 or more"
	case "quirks":
		c.Quirks, ok = text(value)
		want = "a text, as python, fixed or Q22,Q117"
	case "runners":
		c.Runners, ok = texts(value)
		want = "a runner, or a list of them, as [sim, real]"
	case "tags":
		c.Tags, ok = text(value)
		want = "a tag expression, as '@v3 and not @slow' in quotes"
	}
	if ok {
		return ""
	}
	return want
}

func nearest(key string) string {
	return slices.MinFunc(keys, func(a, b string) int {
		return levenshtein.ComputeDistance(a, key) - levenshtein.ComputeDistance(b, key)
	})
}

// text returns the string in a YAML node. It returns false for an empty or other value.
func text(n *yaml.Node) (string, bool) {
	return n.Value, n.Kind == yaml.ScalarNode && n.Tag == "!!str" && n.Value != ""
}

// texts returns the strings in a YAML node, which holds one string or a list of them.
func texts(n *yaml.Node) ([]string, bool) {
	if n.Kind != yaml.SequenceNode {
		one, ok := text(n)
		return []string{one}, ok
	}
	var list []string
	for _, member := range n.Content {
		one, ok := text(member)
		if !ok {
			return nil, false
		}
		list = append(list, one)
	}
	return list, len(list) > 0
}

func number(n *yaml.Node) (int, bool) {
	i, err := strconv.Atoi(n.Value)
	return i, err == nil && n.Kind == yaml.ScalarNode && n.Tag == "!!int" && i >= 1
}

// found describes the kind of a YAML node, for error messages.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Value == "":
		return "nothing"
	}
	return n.Value
}
