package gotestee

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/expr"
	"github.com/monosim/monosim/engine/pysem/pyre"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// pythonOps holds operations on features of Python that the reference uses directly.
var pythonOps = table{
	"python.eval":     (*call).pythonEval,
	"python.re_match": (*call).pythonMatch,
}

func (c *call) pythonEval() (any, error) {
	v, err := c.evaluated(c.In.Str("source"))
	if err != nil {
		return nil, err
	}
	text, err := expr.Repr(v)
	answer := caseworld.Object("type", expr.TypeName(v), "truth", expr.Truth(v), "repr", text)
	if pysem.IsRefused(err) && strings.Contains(err.Error(), "address") {
		answer.Set("repr", nil)
		return answer, nil
	}
	return answer, err
}

func (c *call) evaluated(source string) (any, error) {
	if c.In.Str("where") == "number" {
		return agentconfig.EvalNumber(source, c.In.Str("key"), "int")
	}
	names := agentconfig.ConditionNames(nil)
	for _, item := range c.In.Object("names").Items {
		names.Locals = append(names.Locals, expr.Name{ID: item.Key, Value: item.Value})
	}
	return expr.Eval(source, names)
}

func (c *call) pythonMatch() (any, error) {
	m, err := pyre.MatchText(c.In.Str("pattern"), c.In.Str("text"))
	if err != nil || m == nil {
		return nil, err
	}
	groups, named := []any{}, []any{}
	groups = append(groups, lists.Map(m.Groups, groupText)...)
	named = append(named, lists.Map(m.Named(), func(g pyre.Group) any { return []any{g.Name, groupText(g)} })...)
	return caseworld.Object("text", m.Text, "groups", groups, "named", named), nil
}

// groupText returns the text of a group in a match, or None if the group did not take part.
func groupText(g pyre.Group) any {
	if g.Set {
		return g.Text
	}
	return nil
}
