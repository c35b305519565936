package ops

import (
	"regexp"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// regexOps has the operations with regular expressions, whose language Go and TensorFlow share (RE2).
var regexOps = map[string]Kernel{
	"RegexReplace": regexReplace, "StaticRegexReplace": regexReplace,
	"RegexFullMatch": regexFullMatch, "StaticRegexFullMatch": regexFullMatch,
}

// textInput returns an attribute of a static operation, or the input of another.
func (c *Call) textInput(attr string, input int) string {
	if input < len(c.In) {
		return c.In[input].S()[0]
	}
	return c.text(attr)
}

func regexReplace(c *Call) ([]Value, error) {
	pattern := c.textInput("pattern", 1)
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, invalidf("Invalid pattern: %s, error: %s", pattern, reason(err))
	}
	// RE2 writes a group as \1, Go as ${1}, and only Go has a meaning for $.
	with := strings.ReplaceAll(c.textInput("rewrite", 2), "$", "$$")
	with = regexp.MustCompile(`\\(\d|\\)`).ReplaceAllStringFunc(with, func(s string) string {
		if s == `\\` {
			return `\`
		}
		return "${" + s[1:] + "}"
	})
	all := c.Attrs["replace_global"] == nil || c.flag("replace_global")
	return c.strings(c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) string {
		if all {
			return re.ReplaceAllString(s, with)
		}
		at := re.FindStringSubmatchIndex(s)
		if at == nil {
			return s
		}
		return s[:at[0]] + string(re.ExpandString(nil, with, s, at)) + s[at[1]:]
	}))
}

func regexFullMatch(c *Call) ([]Value, error) {
	pattern := c.textInput("pattern", 1)
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, invalidf("Invalid pattern: %s, error: %s", pattern, reason(err))
	}
	re := regexp.MustCompile(`\A(?:` + pattern + `)\z`)
	return one(value.Bools(c.In[0].Shape(), lists.Map(c.In[0].S(), re.MatchString)))
}

// reason returns what is wrong with an expression, in the words that RE2 and Go share.
func reason(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "error parsing regexp: "), "`", "")
}
