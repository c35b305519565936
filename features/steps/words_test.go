package steps

import (
	"strings"
	"testing"
)

// samples has a text for each word, and with the ones of plural words a list.
var samples = map[string][]string{
	"n": {"12"}, "code": {"-9", "1"}, "duration": {"90s", "5m", "1h30m", "250ms", "1.5s"}, "text": {`"a; b"`, `""`},
	"path": {"/gip/binding/ctr:entry"}, "name": {"main"}, "layout": {"main", "/gip/layout"}, "names": {"entry", "entry, ps_0 and ps_1"},
	"servable": {"ctr:entry", "ps_0"}, "model": {"ctr:entry"}, "models": {"ctr:entry", "ctr:entry and ctr:ps_0"},
	"size": {"30 MB", "512 bytes"}, "pod": {"shard0-replica1"},
	"pods":    {"every pod", "no pod", "shard0-replica1", "shard0-replica0, shard0-replica1 and shard1-replica0"},
	"agents":  {"every agent", "the agent of shard0-replica1", "the agents of shard0-replica1 and shard1-replica0"},
	"server":  {"the ps server of shard0-replica0", "the model server"},
	"servers": {"every model server", "the model server of shard0-replica1", "the model server"},
	"call":    {"the reload", "the second Predict"}, "version": {"3", "-1"},
	"kind": {"ps", "entry"}, "places": {"ZooKeeper", "idc lf", "shard0-replica1 and ZooKeeper"},
	"state": {"AVAILABLE"}, "error": {"NOT_FOUND"}, "quirks": {"Q153", "Q154 and Q158"}, "case": {"utils.ZKPath/sample-dc-replica"},
	"json": {"12", "null", `"a b"`, `["a", {"b": "c"}]`, "{}"}, "raised": {"KeyError"},
}

// TestEverySentenceSaysOneThing makes texts of each sentence, with the parts that
// may be left out and without, and wants that nothing else matches them.
func TestEverySentenceSaysOneThing(t *testing.T) {
	for _, s := range sentences {
		for _, text := range examples(s) {
			found := match(text)
			if len(found) != 1 || found[0] != s {
				var texts []string
				for _, f := range found {
					texts = append(texts, f.text)
				}
				t.Errorf("%q of sentence %q: matched %q", text, s.text, texts)
			}
		}
	}
}

func examples(s *sentence) []string {
	texts := []string{""}
	rest := 0
	spread := func(parts ...string) {
		var next []string
		for _, text := range texts {
			for _, part := range parts {
				next = append(next, text+part)
			}
		}
		texts = next
	}
	for _, m := range token.FindAllStringSubmatchIndex(s.text, -1) {
		spread(s.text[rest:m[0]])
		rest = m[1]
		switch {
		case m[2] >= 0:
			spread(samples[s.text[m[2]:m[3]]]...)
		case m[4] >= 0:
			spread("", s.text[m[4]:m[5]])
		default:
			spread(strings.Split(s.text[m[0]:m[1]], "/")...)
		}
	}
	spread(s.text[rest:])
	switch s.kind {
	case anAssertion:
		plain := texts
		texts = nil
		for _, text := range plain {
			texts = append(texts, text, "within 30s "+text, "for 1h30m "+text)
		}
	case aCondition:
		spread("", " for 12s")
	}
	return texts
}

// TestSentenceOfFunctions wants each function to take as many arguments as its
// sentence has words.
func TestSentenceOfFunctions(t *testing.T) {
	for _, s := range sentences {
		want := s.expr.NumSubexp()
		switch s.kind {
		case anAssertion:
			want -= 2
		case aCondition:
			want--
		}
		if got := s.do.Type().NumIn() - 1; got != want {
			t.Errorf("%q: its function takes %d arguments, its words are %d", s.text, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a wrong verb", "the agent of shard0-replica1 is murdered", "the agent of {pod} is killed"},
		{"a typing error", "within 5s every pod rans", "{pods} run(s)"},
		{"a word too many", "the whole cluster starts", "the cluster starts"},
		{"another order", "12s of time pass", "{duration} pass(es)"},
		{"a state that does not exist", "the model server of shard0-replica0 has version 1 of ctr:entry READY", "{servers} has version {version} of {servable} {state}"},
		{"a missing word", "ctr:entry published to layout main", "{models} is/are published to layout {layout}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := nearest(test.text); got != test.want {
				t.Errorf("nearest(%q):\n got %q\nwant %q", test.text, got, test.want)
			}
		})
	}
}
