package catalogue

import (
	"strings"

	"github.com/monosim/monosim/runners/diff/testee"
)

// pythonOps declares eval and re.match. Their inputs are drawn from the grammar.
var pythonOps = operations{
	"python.eval": func(d *draws, c *testee.Case) object {
		c.Env = dict()
		if number := d.flip(4); number {
			return object{"source", spoil(d, derive(d, "confnumber")), "where", "number", "key", oneOf("num_ps", "agent_port", "dense_service_num")}
		}
		return object{"source", spoil(d, derive(d, pick(d, "condition", "any"))), "where", "condition", "key?1", absent{},
			"names?1", object{"i", oneOf(3, 0, 1, 2, 7, 12, bigInt("99999999999999999999")), "j?", oneOf(10, 0, 1, 5)}}
	},
	"python.re_match": func(d *draws, c *testee.Case) object {
		c.Env = dict()
		return object{"pattern", spoil(d, derive(d, "regex")), "text", spoil(d, derive(d, "subject")) + pick(d, "", "", "", "", "\n", "\nb")}
	},
}

// layoutFilter draws the text of a layout filter.
func layoutFilter(d *draws) string { return spoil(d, derive(d, "filter_")) }

// confNumber draws a number in a form that configurations allow, such as an expression.
func confNumber(d *draws) string { return confLine(spoil(d, derive(d, "confnumber"))) }

// confLine removes from a text what would end a line of a configuration or begin a comment.
func confLine(text string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "#", "+").Replace(text)
}
