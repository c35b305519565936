package loopback_test

import (
	"testing"

	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Goal: a message has the words that say why a process ended. Method: what programs write at their
// end, in several languages.
func TestTheLastLinesOfAProcess(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"one line", "started\n", "started"},
		{"the last ones", "1\n2\n3\n\n4\n", "2 / 3 / 4"},
		{"usage", "sleep: unrecognized option '--conf=x'\nTry 'sleep --help' for more information.\n", "sleep: unrecognized option '--conf=x' / Try 'sleep --help' for more information."},
		{"JavaScript", "a.mjs:2\nthrow new SyntaxError('bad');\n^\n\nSyntaxError: bad\n    at start (a.mjs:2:34)\n    at a.mjs:3:1\n\nNode.js v20.20.2\n", "^ / SyntaxError: bad / Node.js v20.20.2"},
		{"Python", "Traceback (most recent call last):\n  File \"a\", line 3, in <module>\n    f()\nValueError: bad\n", "Traceback (most recent call last): / ValueError: bad"},
		{"Java", "Exception in thread \"main\" X: bad\n\tat X.main(X.java:1)\nCaused by: Y: why\n\tat X.main(X.java:1)\n", "Exception in thread \"main\" X: bad / Caused by: Y: why"},
		{"Go", "listens\npanic: bad\n\ngoroutine 1 [running]:\nmain.f()\n\t/a.go:3 +0x18\nmain.main()\n\t/a.go:4 +0x18\nexit status 2\n", "listens / panic: bad"},
	} {
		if got := loopback.LastLines(c.text); got != c.want {
			t.Errorf("%s: want %q, got %q", c.name, c.want, got)
		}
	}
}
