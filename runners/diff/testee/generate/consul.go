package generate

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genConsulClient invents for the client of Consul, over an agent that plays a script.
var genConsulClient = map[string]generator{"consul.Client.sequence": genConsulSequence}

func genConsulSequence(d *draws, c *testee.Case) {
	c.Env = dict()
	if d.flip(3) {
		c.Env.Set(pick(d, "CONSUL_HTTP_HOST", "TCE_HOST_IP"), pick(d, "c", "", "10.0.0.1", "fd00::1", "[fd00::1]", "/opt/tmp/sock/consul.sock", "c:1", "a b", "模", "localhost"))
	}
	if d.flip(4) {
		c.Env.Set("CONSUL_HTTP_PORT", numeral(d))
	}
	c.In = dict("steps", list(d, 6, func() any { return consulStep(d) }))
	if !d.flip(8) {
		c.In.Set("script", list(d, 8, func() any { return consulEntry(d) }))
	}
}

// consulEntry is what the agent does with a request, mostly an answer.
func consulEntry(d *draws) any {
	kind := pick(d, "answer", "answer", "answer", "answer", "close", "cut", "stall", "timeout", "reset", "hang-up", "garbage", "pipe", "refuse", "unanswered", "no_name")
	switch kind {
	case "answer", "close", "cut", "stall":
		return []any{kind, pick(d, 200, 200, 200, 200, 500, 404, 503, 201, 400, 999), consulBody(d)}
	}
	return []any{kind}
}

// consulBody is what the agent says, mostly JSON.
func consulBody(d *draws) any {
	if d.flip(5) {
		return pick[any](d, "", "no leader", "<html>", "模", hexBytes("\xff"), hexBytes("[1, \"\xed\xa0\xbd\"]"), text(d, 6))
	}
	return pick[any](d, `[]`, `[{"Port": 1, "Host": "a", "Tags": {"index": "0", "name": "ps", "ip": "a"}}]`, `null`, `{}`, `{"a": 1, "b": 2, "a": 3}`, `[1, 2`, `[1,]`, `[NaN, -Infinity]`,
		`123456789012345678901234567890`, `1e999`, `-0`, `01`, `"x"`, `""`, `true`, `["\ud83d", "\ude00"]`, `"\ud83d\ude00"`, "\ufeff[]", ` [1] `, "[\"\t\"]", `[1] x`, `'a'`, `{"a" 1}`, `{1: 2}`,
		`[[[[[[]]]]]]`, `1.0`, `1e5`, "\u00a0[]", `"\u00"`, `"\x"`, `[1e-7, 12345678901234567890.0]`)
}

// consulName is a service's.
func consulName(d *draws) string {
	if d.flip(6) {
		return text(d, 4)
	}
	return pick(d, "n", "m", "a.b.c", "", "a b", "a&b=c", "模", "a\n", "a%20b", "a/b", "é", "a\x7f", "\u0080")
}

func consulStep(d *draws) any {
	switch d.n(8) {
	case 0, 1, 2:
		a := dict("name", pick(d, "n", consulName(d)))
		if d.flip(3) {
			a.Set("timeout", pick(d, 9, 1, 30))
		}
		if d.flip(2) {
			a.Set("cachetime", pick(d, 10, 1, 0, -1, 1<<40))
		}
		return []any{"lookup", a}
	case 3, 4, 5:
		a := consulService(d)
		if d.flip(3) {
			a.Set("tags", consulTags(d))
		}
		if d.flip(4) {
			a.Set("check_script", pick(d, "true", "", "模"))
		}
		if d.flip(2) {
			a.Set("heartbeats", d.n(5))
		}
		return []any{"register", a}
	case 6:
		return []any{"deregister", consulService(d)}
	}
	return step("pass", "seconds", pick(d, 10, 1, 0, 11, 3600))
}

// consulService is a service's name and port, seldom with the agent's host.
func consulService(d *draws) *pysem.Dict {
	a := dict("name", consulName(d), "port", pick(d, 1, 2, 0, -1, 65536, 1<<40))
	if d.flip(4) {
		a.Set("host", pick(d, "h", "", "fd00::1", "[fd00::1]", "/s", "h:1", "a b", "模", "[", "[]"))
	}
	return a
}

// consulTags are tags of any values that are plain.
func consulTags(d *draws) *pysem.Dict {
	tags := dict()
	for range d.length(4) {
		tags.Set(pick(d, "index", "name", "ip", "", "模", "a:b"), pick[any](d, 0, "ps", nil, true, false, float(d), -1, "", "\"", "\u2028", "\x00", []any{1, "a"}, dict("a", nil), bigInt("123456789012345678901234567890"), text(d, 3)))
	}
	return tags
}
