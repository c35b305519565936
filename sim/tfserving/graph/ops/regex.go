package ops

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// regexOps has the operations with regular expressions, whose language Go and TensorFlow share (RE2).
var regexOps = map[string]Kernel{
	"RegexReplace": regexReplace, "StaticRegexReplace": regexReplace,
	"RegexFullMatch": regexFullMatch, "StaticRegexFullMatch": regexFullMatch,
}

// textInput returns a text that an operation needs. A static operation has it in an attribute, and
// any other in an input, which must be a scalar.
func (c *Call) textInput(attr string, input int) (string, error) {
	if input >= len(c.In) {
		return c.Text(attr), nil
	}
	if shape := c.In[input].Shape(); len(shape) > 0 {
		return "", Invalidf("%s must be scalar, but received %s", strings.ToUpper(attr[:1])+attr[1:], value.ShapeText(shape))
	}
	return c.In[input].S()[0], nil
}

// pattern compiles the regular expression of the operation.
func (c *Call) pattern() (*regexp.Regexp, error) {
	pattern, err := c.textInput("pattern", 1)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(pattern)
	switch {
	case err != nil:
		return nil, Invalidf("Invalid pattern: %s, error: %s", pattern, reason(err))
	// Go accepts this form of a named group, and RE2 does not
	case slices.Contains(re.SubexpNames(), "") && strings.Contains(pattern, "(?<"):
		if at := strings.Index(pattern, "(?<"); at == 0 || pattern[at-1] != '\\' {
			return nil, Invalidf("Invalid pattern: %s, error: invalid perl operator: (?<", pattern)
		}
	}
	return re, nil
}

// rewriting is the replacement of a match: texts and groups. If RE2 cannot read the whole
// replacement, the parts end where the error is, and broken is true.
type rewriting struct {
	parts  []string // parts holds texts and group numbers; a group number is a single byte below 10
	most   int      // most is the highest group number in parts
	broken bool
}

func rewritingOf(s string) rewriting {
	var r rewriting
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			r.parts = append(r.parts, s[i:i+1])
			continue
		case i+1 < len(s) && s[i+1] == '\\':
			r.parts = append(r.parts, `\`)
		case i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
			r.parts, r.most = append(r.parts, string(s[i+1]-'0')), max(r.most, int(s[i+1]-'0'))
		default:
			r.broken = true
			return r
		}
		i++
	}
	return r
}

// of returns the replacement for a match. at holds the indices of the match and its groups in s.
func (r rewriting) of(s string, at []int) string {
	var out strings.Builder
	for _, part := range r.parts {
		if group := int(part[0]); group < 10 && len(part) == 1 {
			if at[2*group] >= 0 {
				out.WriteString(s[at[2*group]:at[2*group+1]])
			}
			continue
		}
		out.WriteString(part)
	}
	return out.String()
}

func regexReplace(c *Call) ([]Value, error) {
	re, err := c.pattern()
	if err != nil {
		return nil, err
	}
	text, err := c.textInput("rewrite", 2)
	if err != nil {
		return nil, err
	}
	with := rewritingOf(text)
	if with.most > re.NumSubexp() {
		return One(c.In[0]) // if the group does not exist, RE2 only logs that, and replaces nothing
	}
	all := c.Attrs["replace_global"] == nil || c.Flag("replace_global")
	return c.strings(c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) string {
		most := -1
		if !all {
			most = 1
		}
		found := re.FindAllStringSubmatchIndex(s, most)
		if !all && with.broken {
			return s
		}
		var out strings.Builder
		end := 0
		for _, at := range found {
			out.WriteString(s[end:at[0]] + with.of(s, at))
			end = at[1]
		}
		return out.String() + s[end:]
	}))
}

func regexFullMatch(c *Call) ([]Value, error) {
	part, err := c.pattern()
	if err != nil {
		return nil, err
	}
	re := regexp.MustCompile(`\A(?:` + part.String() + `)\z`)
	return One(value.Bools(c.In[0].Shape(), lists.Map(c.In[0].S(), re.MatchString)))
}

// reason returns what is wrong with an expression, in RE2's words (re2/regexp.cc).
func reason(err error) string {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err.Error()
	}
	text := bad.Code.String()
	if own, ok := map[syntax.ErrorCode]string{
		syntax.ErrMissingParen: "missing )", syntax.ErrMissingBracket: "missing ]", syntax.ErrInvalidRepeatSize: "invalid repetition size",
		syntax.ErrMissingRepeatArgument: "no argument for repetition operator", syntax.ErrInvalidRepeatOp: "bad repetition operator",
		syntax.ErrTrailingBackslash: `trailing \`, syntax.ErrInvalidNamedCapture: "invalid named capture group", syntax.ErrInvalidPerlOp: "invalid perl operator",
	}[bad.Code]; ok {
		text = own
	}
	return text + ": " + bad.Expr
}
