package catalogue

import (
	"github.com/monosim/monosim/runners/diff/testee"
)

// consulOps declares the operations on the client of Consul. Its agent follows a script.
var consulOps = operations{
	"consul.Client": func(d *draws, c *testee.Case) object {
		for _, name := range []string{"CONSUL_HTTP_HOST", "CONSUL_HTTP_PORT", "TCE_HOST_IP"} {
			d.vary(c.Env, name+"?", oneOf("c", "9", "", "10.0.0.1"))
		}
		return nil
	},
	"consul.Client.sequence": func(d *draws, c *testee.Case) object {
		c.Env = dict()
		d.vary(c.Env, pick(d, "CONSUL_HTTP_HOST", "TCE_HOST_IP")+"?3", oneOf("c", "", "10.0.0.1", "fd00::1", "[fd00::1]", "/opt/tmp/sock/consul.sock", "c:1", "a b", "模", "localhost"),
			"CONSUL_HTTP_PORT?4", numeral)
		return object{"script!8", some(8, consulEntry), "steps", consulSteps}
	},
	"consul.Client.threads.sequence": func(d *draws, _ *testee.Case) object {
		d.undrawable = true
		return object{"script?", nil, "steps", steps(0, 0,
			do("register", "name", nil, "port", nil, "tags?", nil, "check_script?", nil, "host?", nil), do("deregister", "name", nil, "port", nil, "host?", nil), do("pass", "seconds", nil),
		), "until_ms", nil}
	},
}

var consulSteps = steps(0, 6,
	do("lookup", "name", oneOf("n", consulName), "timeout?3", oneOf(9, 1, 30), "cachetime?", oneOf(10, 1, 0, -1, 1<<40)).often(3),
	do("register", "name", consulName, "port", consulPort, "tags?3", entries(4, oneOf("index", "name", "ip", "", "模", "a:b"), consulTag),
		"check_script?4", oneOf("true", "", "模"), "host?4", consulHost, "heartbeats?", from(0, 4)).often(3),
	do("deregister", "name", consulName, "port", consulPort, "host?4", consulHost),
	do("pass", "seconds", oneOf(10, 1, 0, 11, 3600)),
)

// consulEntry draws what the Consul agent does with a request. Mostly it answers.
func consulEntry(d *draws) any {
	kind := pick(d, "answer", "answer", "answer", "answer", "close", "cut", "stall", "timeout", "reset", "hang-up", "garbage", "pipe", "refuse", "unanswered", "no_name")
	switch kind {
	case "answer", "close", "cut", "stall":
		return []any{kind, oneOf(200, 200, 200, 200, 500, 404, 503, 201, 400, 999), consulBody}
	}
	return []any{kind}
}

// consulBody draws the body of an answer, mostly JSON.
func consulBody(d *draws) any {
	if d.flip(5) {
		return oneOf("", "no leader", "<html>", "模", bytesOf("\xff"), bytesOf("[1, \"\xed\xa0\xbd\"]"), oddText(6))
	}
	return oneOf(`[]`, `[{"Port": 1, "Host": "a", "Tags": {"index": "0", "name": "ps", "ip": "a"}}]`, `null`, `{}`, `{"a": 1, "b": 2, "a": 3}`, `[1, 2`, `[1,]`, `[NaN, -Infinity]`,
		`123456789012345678901234567890`, `1e999`, `-0`, `01`, `"x"`, `""`, `true`, `["\ud83d", "\ude00"]`, `"\ud83d\ude00"`, "\ufeff[]", ` [1] `, "[\"\t\"]", `[1] x`, `'a'`, `{"a" 1}`, `{1: 2}`,
		`[[[[[[]]]]]]`, `1.0`, `1e5`, "\u00a0[]", `"\u00"`, `"\x"`, `[1e-7, 12345678901234567890.0]`)
}

var (
	consulName = oneOf("n", "m", "a.b.c", "", "a b", "a&b=c", "模", "a\n", "a%20b", "a/b", "é", "a\x7f", "\u0080", oddText(4), oddText(4))
	consulPort = oneOf(1, 2, 0, -1, 65536, 1<<40)
	consulHost = oneOf("h", "", "fd00::1", "[fd00::1]", "/s", "h:1", "a b", "模", "[", "[]")
	consulTag  = oneOf(0, "ps", nil, true, false, float, -1, "", "\"", "\u2028", "\x00", []any{1, "a"}, object{"a", nil}, bigInt("123456789012345678901234567890"), oddText(3))
)
