package generate

import (
	"strings"

	"github.com/monosim/monosim/runners/diff/testee"
)

// genPython invents for eval and re.match, from the grammar.
var genPython = map[string]generator{
	"python.eval": func(d *draws, c *testee.Case) {
		c.Env = dict()
		if d.flip(4) {
			c.In = dict("source", spoil(d, derive(d, "confnumber")), "where", "number", "key", pick(d, "num_ps", "agent_port", "dense_service_num"))
			return
		}
		names := dict("i", pick[any](d, 3, 0, 1, 2, 7, 12, bigInt("99999999999999999999")))
		if d.flip(2) {
			names.Set("j", pick(d, 10, 0, 1, 5))
		}
		c.In = dict("source", spoil(d, derive(d, pick(d, "condition", "any"))), "where", "condition", "names", names)
	},
	"python.re_match": func(d *draws, c *testee.Case) {
		c.Env = dict()
		c.In = dict("pattern", spoil(d, derive(d, "regex")), "text", spoil(d, derive(d, "subject"))+pick(d, "", "", "", "", "\n", "\nb"))
	},
}

// layoutFilter is a filter of a layout.
func layoutFilter(d *draws) string { return spoil(d, derive(d, "filter_")) }

// confNumber is a number as a configuration writes it.
func confNumber(d *draws) string { return confLine(spoil(d, derive(d, "confnumber"))) }

// confLine makes a value of a configuration of a text: one that neither ends its line nor
// begins a comment.
func confLine(text string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "#", "+").Replace(text)
}
