package scope

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/agnivade/levenshtein"
	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
)

// nameSection is the part of names.yaml about one file.
type nameSection struct {
	File    string        `yaml:"file"`
	Package string        `yaml:"package"`
	Go      goNames       `yaml:"go"`
	None    []excuseNames `yaml:"none"`
	Later   []excuseNames `yaml:"later"`
}

// excuseNames lists names that have no port, and the reason for that.
type excuseNames struct {
	Reason string   `yaml:"reason"`
	Names  []string `yaml:"names"`
	// Rest stands for all names of the file that are not listed anywhere.
	Rest bool `yaml:"rest"`
}

// goNames maps Python names to the Go names that port them. A member has its class in front.
type goNames []goName

type goName struct {
	python string
	golang []string
}

// UnmarshalYAML reads a YAML map from Python names. A value is a Go name or a list of Go names. For
// a class, the value may be a map of its members.
func (g *goNames) UnmarshalYAML(node *yaml.Node) error {
	return eachPair(node, func(python string, value *yaml.Node) error {
		if value.Kind == yaml.MappingNode {
			return g.addClass(python, value)
		}
		golang, err := oneOrMore(value)
		*g = append(*g, goName{python, golang})
		return err
	})
}

// addClass adds a class and its members. A Go name that begins with a dot is a
// member of the first type that ports the class.
func (g *goNames) addClass(class string, members *yaml.Node) error {
	base := ""
	return eachPair(members, func(member string, value *yaml.Node) error {
		golang, err := oneOrMore(value)
		if err != nil {
			return err
		}
		if member == "is" {
			base = golang[0]
			*g = append(*g, goName{class, golang})
			return nil
		}
		for i, name := range golang {
			if strings.HasPrefix(name, ".") {
				golang[i] = base + name
			}
		}
		*g = append(*g, goName{class + "." + member, golang})
		return nil
	})
}

// eachPair calls fn for each pair of a YAML map, in the order of the file.
func eachPair(node *yaml.Node, fn func(key string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: found %q, want a map", node.Line, node.Value)
	}
	for i := 0; i < len(node.Content); i += 2 {
		if err := fn(node.Content[i].Value, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// oneOrMore reads a YAML node that is a Go name or a list of Go names. An empty list is an error.
func oneOrMore(node *yaml.Node) ([]string, error) {
	if node.Kind == yaml.ScalarNode {
		return []string{node.Value}, nil
	}
	var list []string
	if err := node.Decode(&list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("line %d: found no Go name, want one at least", node.Line)
	}
	return list, nil
}

// fill copies the ports and reasons of the section to the recorded names. The section must list
// each recorded name once, and no other name.
func (s *nameSection) fill(names []Name) error {
	byName := map[string]*Name{}
	for i := range names {
		byName[names[i].Name] = &names[i]
	}
	said := map[string]bool{}
	take := func(name string) (*Name, error) {
		n := byName[name]
		if n == nil {
			return nil, fmt.Errorf("found %s, which the reference does not have; nearest is %s", name, nearestName(name, names))
		}
		if said[name] {
			return nil, fmt.Errorf("found %s twice", name)
		}
		said[name] = true
		return n, nil
	}
	for _, g := range s.Go {
		n, err := take(g.python)
		if err != nil {
			return err
		}
		if n.Go, err = s.qualify(g.golang); err != nil {
			return fmt.Errorf("%s: %w", g.python, err)
		}
	}
	for _, list := range []struct {
		excuses []excuseNames
		later   bool
	}{{s.None, false}, {s.Later, true}} {
		for _, x := range list.excuses {
			if err := x.fill(names, take, said, list.later); err != nil {
				return err
			}
		}
	}
	for _, n := range names {
		if !said[n.Name] {
			return fmt.Errorf("found nothing about the %s %s (line %d); say what ports it, or why nothing does", n.Kind, n.Name, n.Line)
		}
	}
	return nil
}

// fill sets the reason of the listed names. If Rest is set, it sets the reason of all names that
// are not in said. Rest is allowed only for names to be ported later. So every name that will never
// have a port must be listed.
func (x excuseNames) fill(names []Name, take func(string) (*Name, error), said map[string]bool, later bool) error {
	if x.Reason == "" || (len(x.Names) > 0) == x.Rest || x.Rest && !later {
		return fmt.Errorf("found reason %q for %q, want a reason and its names, or with later the rest", x.Reason, x.Names)
	}
	list := x.Names
	if x.Rest {
		for _, n := range names {
			if !said[n.Name] {
				list = append(list, n.Name)
			}
		}
	}
	for _, name := range list {
		n, err := take(name)
		if err != nil {
			return err
		}
		n.Reason, n.Later = x.Reason, later
	}
	return nil
}

// A Go name that does not begin with a package belongs to the package of its section.
var (
	goSymbol    = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$`)
	withPackage = regexp.MustCompile(`^[a-z0-9_]+(/[a-z0-9_]+)+\.`)
)

// qualify puts the section's package in front of each Go name that has no package.
func (s *nameSection) qualify(golang []string) ([]string, error) {
	var full []string
	for _, name := range golang {
		prefix := withPackage.FindString(name)
		symbol := name[len(prefix):]
		if !goSymbol.MatchString(symbol) {
			return nil, fmt.Errorf("found Go name %q, want a name or Type.Member, with a package or without", name)
		}
		prefix = cmp.Or(prefix, s.Package+".")
		if prefix == "." {
			return nil, fmt.Errorf("found Go name %q without a package, want one", name)
		}
		full = append(full, prefix+symbol)
	}
	return full, nil
}

// nearestName returns the recorded name with the smallest edit distance to name.
func nearestName(name string, names []Name) string {
	return nearestOf(name, lists.Map(names, func(n Name) string { return n.Name }))
}

func nearestOf(name string, known []string) string {
	best, edits := "none", -1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, k); edits < 0 || d < edits {
			best, edits = k, d
		}
	}
	return best
}
