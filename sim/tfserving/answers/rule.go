package answers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/yamldoc"
)

// rule is one scripted answer with the conditions under which it is given.
type rule struct {
	hasVersion        bool
	version           int64
	method, signature string
	inputs            map[string]Values
	examples          []map[string]Values // examples is nil if any examples fit
	answer            Answer
}

// Parse reads a script. Errors begin with the name file and give the line, the column, what was
// found and what is wanted.
func Parse(file string, text []byte) (*Script, error) {
	script := &Script{models: map[string][]*rule{}}
	root, err := yamldoc.Read(text)
	if err == nil && root == nil {
		err = &yamldoc.Error{Line: 1, Column: 1, Text: "found nothing, want models"}
	}
	if err == nil {
		err = script.read(root)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return script, nil
}

func wrong(n *yaml.Node, format string, args ...any) error {
	return &yamldoc.Error{Line: n.Line, Column: n.Column, Text: fmt.Sprintf(format, args...)}
}

// fields reads a mapping. The map keys holds one function for each allowed key; fields calls it
// with the key's value. An unknown key is an error. The argument what names the mapping in errors.
func fields(n *yaml.Node, what string, keys map[string]func(*yaml.Node) error) error {
	return entries(n, what, func(key, value *yaml.Node) error {
		read, ok := keys[key.Value]
		if !ok {
			names := make([]string, 0, len(keys))
			for name := range keys { //lint:ordered sorted below
				names = append(names, name)
			}
			slices.Sort(names)
			return wrong(key, "found %q in %s, want one of %s", key.Value, what, strings.Join(names, ", "))
		}
		return read(value)
	})
}

// entries calls visit for each key of a mapping. A duplicate key is an error.
func entries(n *yaml.Node, what string, visit func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, "found %s for %s, want a mapping", kindName(n), what)
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return wrong(key, "found %q twice in %s", key.Value, what)
		}
		seen[key.Value] = true
		if err := visit(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

func list(n *yaml.Node, what string, visit func(*yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return wrong(n, "found %s for %s, want a list", kindName(n), what)
	}
	for _, item := range n.Content {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

func scalar[T any](n *yaml.Node, to *T, what, want string) error {
	if n.Kind != yaml.ScalarNode || n.Decode(to) != nil {
		return wrong(n, "found %s for %s, want %s", kindName(n), what, want)
	}
	return nil
}

func (s *Script) read(root *yaml.Node) error {
	return fields(root, "the script", map[string]func(*yaml.Node) error{"models": func(models *yaml.Node) error {
		return entries(models, "models", func(name, rules *yaml.Node) error {
			return list(rules, "model "+name.Value, func(n *yaml.Node) error {
				r, err := readRule(n)
				s.models[name.Value] = append(s.models[name.Value], r)
				return err
			})
		})
	}})
}

// methods lists the inference methods that a rule may name.
var methods = []string{"Predict", "Classify", "Regress", "MultiInference"}

func readRule(n *yaml.Node) (*rule, error) {
	r := &rule{}
	err := fields(n, "a rule", map[string]func(*yaml.Node) error{
		"version": func(n *yaml.Node) error {
			r.hasVersion = true
			return scalar(n, &r.version, "version", "a whole number")
		},
		"signature": func(n *yaml.Node) error { return scalar(n, &r.signature, "signature", "a name") },
		"method": func(n *yaml.Node) error {
			if err := scalar(n, &r.method, "method", "a name"); err != nil || slices.Contains(methods, r.method) {
				return err
			}
			return wrong(n, "found method %q, want one of %s", r.method, strings.Join(methods, ", "))
		},
		"inputs":   func(n *yaml.Node) error { return readTensors(n, "inputs", &r.inputs) },
		"examples": r.readExamples,
		"outputs":  func(n *yaml.Node) error { return readTensors(n, "outputs", &r.answer.Outputs) },
		"error":    r.readError,
		"delay":    r.readDelay,
	})
	if err == nil && r.answer.Err != nil && r.answer.Outputs != nil {
		err = wrong(n, "found outputs and an error, want one of them")
	}
	if err == nil && r.answer.Err == nil && r.answer.Outputs == nil && r.answer.Delay == 0 {
		err = wrong(n, "found no answer, want outputs, error or delay")
	}
	return r, err
}

func readTensors(n *yaml.Node, what string, to *map[string]Values) error {
	*to = map[string]Values{}
	return entries(n, what, func(alias, value *yaml.Node) error {
		v, err := readValues(value)
		(*to)[alias.Value] = v
		return err
	})
}

func (r *rule) readExamples(n *yaml.Node) error {
	r.examples = []map[string]Values{}
	return list(n, "examples", func(n *yaml.Node) error {
		var one map[string]Values
		err := readTensors(n, "an example", &one)
		r.examples = append(r.examples, one)
		return err
	})
}

func (r *rule) readError(n *yaml.Node) error {
	r.answer.Err = &env.RPCError{}
	name := ""
	err := fields(n, "error", map[string]func(*yaml.Node) error{
		"code":    func(n *yaml.Node) error { return scalar(n, &name, "code", "a code") },
		"message": func(n *yaml.Node) error { return scalar(n, &r.answer.Err.Message, "message", "a text") },
	})
	if err != nil {
		return err
	}
	code, ok := rpcerrors.Failure(name)
	if ok {
		r.answer.Err.Code = code
		return nil
	}
	return wrong(n, "found code %q, want a code of gRPC, as UNAVAILABLE", name)
}

func (r *rule) readDelay(n *yaml.Node) error {
	text := ""
	if err := scalar(n, &text, "delay", "a time, as 20ms"); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return wrong(n, "found delay %q, want a time above 0, as 20ms", text)
	}
	r.answer.Delay = d
	return nil
}
