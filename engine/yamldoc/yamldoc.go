// Package yamldoc reads a file that is one YAML document. Its errors give the line and column of
// what it does not accept.
//
//   - [Read] returns the root of the document.
//   - [Error] has the place of a mistake, for a caller that names the file.
//
// To change what is accepted, look here. What the keys mean is up to the packages that read them.
//
// Unstable: any commit may change it.
package yamldoc

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Error is a mistake at a line and column, counted from 1.
type Error struct {
	Line, Column int
	Text         string
}

func (e *Error) Error() string {
	return strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ": " + e.Text
}

// Read returns the root of the only document in a text, nil if there is none. Each alias in it is
// replaced by the node that it stands for. A second document is an [Error], though YAML readers
// silently drop it. A merge key is an [Error] too, and so are aliases without an end.
func Read(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntax(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, &Error{max(second.Line, 1), max(second.Column, 1), "found a second document, want one"}
	case !errors.Is(err, io.EOF):
		return nil, syntax(err)
	}
	if len(first.Content) == 0 {
		return nil, nil
	}
	if merge := mergeKey(first.Content[0]); merge != nil {
		return nil, &Error{merge.Line, merge.Column, "found a merge key, want its fields written out"}
	}
	left := mostAliased
	if err := expand(first.Content[0], nil, nil, &left); err != nil {
		return nil, err
	}
	return first.Content[0], nil
}

// mostAliased is the most nodes that the aliases of a document may stand for, as a few aliases of
// aliases can stand for any number.
const mostAliased = 1_000_000

// expand replaces each alias below a node by the node that it stands for. around holds the nodes
// around it, and alias is the outermost alias among them, nil if there is none. left is how many more
// nodes the aliases of the document may stand for.
func expand(n *yaml.Node, around []*yaml.Node, alias *yaml.Node, left *int) error {
	around = append(around, n)
	for i, child := range n.Content {
		outer := alias
		if child.Kind == yaml.AliasNode {
			outer = cmp.Or(alias, child)
			child = child.Alias
			n.Content[i] = child
		}
		if outer != nil {
			*left--
		}
		switch {
		case slices.Contains(around, child):
			return &Error{outer.Line, outer.Column, "found alias *" + outer.Value + " inside of what it stands for, want it outside"}
		case *left < 0:
			return &Error{outer.Line, outer.Column, "found aliases for more than " + strconv.Itoa(mostAliased) + " values, want fewer"}
		}
		if err := expand(child, around, outer, left); err != nil {
			return err
		}
	}
	return nil
}

// mergeKey returns the first merge key below a node, or nil.
func mergeKey(n *yaml.Node) *yaml.Node {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Tag == "!!merge" {
			return child
		}
		if found := mergeKey(child); found != nil {
			return found
		}
	}
	return nil
}

var lined = regexp.MustCompile(`^line (\d+): (.*)$`)

// syntax converts an error of the YAML reader into an Error with its position. The reader gives at
// most the line.
func syntax(err error) error {
	e := &Error{1, 1, strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := lined.FindStringSubmatch(e.Text); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Text = m[2]
	}
	if strings.Contains(e.Text, "incompatible YAML document") {
		e.Text = "found a %YAML directive of another version than 1.1, want none"
	}
	return e
}
