package steps

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/fault"
)

// samples holds example texts for each placeholder. For those that accept lists it also has a list.
var samples = map[string][]string{
	"n": {"12"}, "status": {"503"}, "code": {"-9", "1"}, "duration": {"90s", "5m", "1h30m", "250ms", "1.5s"}, "text": {`"a; b"`, `""`},
	"path": {"/gip/binding/ctr:entry"}, "name": {"main"}, "layout": {"main", "/gip/layout"}, "names": {"entry", "entry, ps_0 and ps_1"},
	"servable": {"ctr:entry", "ps_0"}, "model": {"ctr:entry"}, "models": {"ctr:entry", "ctr:entry and ctr:ps_0"},
	"size": {"30 MB", "512 bytes"}, "pod": {"shard0-replica1"}, "trainer": {"chief", "worker12", "ps0", "evaluator"}, "method": {"StopTraining"},
	"pods":    {"every pod", "no pod", "shard0-replica1", "shard0-replica0, shard0-replica1 and shard1-replica0"},
	"agents":  {"every agent", "the agent of shard0-replica1", "the agents of shard0-replica1 and shard1-replica0"},
	"server":  {"the ps server of shard0-replica0", "the model server"},
	"servers": {"every model server", "the model server of shard0-replica1", "the model server"},
	"call":    {"the reload", "the second Predict"}, "version": {"3", "-1"},
	"kind": {"ps", "entry"}, "task": {"0"}, "places": {"ZooKeeper", "idc lf", "shard0-replica1 and ZooKeeper"},
	"state": {"AVAILABLE"}, "error": {"NOT_FOUND"}, "quirks": {"Q153", "Q154 and Q158"}, "case": {"utils.ZKPath/sample-dc-replica"},
	"site": {"shard0-replica1/pace.call:service info#12"},
	"json": {"12", "null", `"a b"`, `["a", {"b": "c"}]`, "{}"}, "raised": {"KeyError"},
}

// known is the vocabulary of the simulation.
var known = newVocabulary(simulated())

func simulated() []runners.FaultKind {
	var kinds []runners.FaultKind
	for _, k := range fault.Kinds() {
		kinds = append(kinds, k.FaultKind)
	}
	return kinds
}

// TestEverySentenceSaysOneThing: Goal: no text matches two sentences. Method: make texts of each
// sentence, with and without its optional parts.
func TestEverySentenceSaysOneThing(t *testing.T) {
	for _, s := range known {
		for _, text := range examples(s) {
			found := known.match(text)
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

func examples(s *Sentence) []string {
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
	case aCondition, anOnset:
		spread("", " for 12s")
	}
	return texts
}

// Goal: if a function does not fit its sentence, making the sentence panics. That holds for the
// vocabulary and for a caller's own sentences.
func TestASentenceWantsItsFunction(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() *Sentence
		want string
	}{
		{"too few arguments", func() *Sentence { return Action("{n} lamp(s) go(es) out", func(*World) error { return nil }) },
			`sentence "{n} lamp(s) go(es) out": found func(*steps.World) error, want a function of *steps.World and 1 words that returns error`},
		{"no World", func() *Sentence { return Action("it rains", func() error { return nil }) },
			`sentence "it rains": found func() error, want a function of *steps.World and 0 words that returns error`},
		{"an assertion that looks at once", func() *Sentence { return Assertion("it rains", func(*World) error { return nil }) },
			`sentence "it rains": found func(*steps.World) error, want a function of *steps.World and 0 words that returns func() error`},
		{"a word that nobody knows", func() *Sentence { return Action("a {lamp}", func(*World) error { return nil }) },
			`sentence "a {lamp}": no word "lamp"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); got != c.want {
					t.Errorf("panic:\n got %s\nwant %s", got, c.want)
				}
			}()
			c.make()
		})
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
			if got := known.nearest(test.text); got != test.want {
				t.Errorf("nearest(%q):\n got %q\nwant %q", test.text, got, test.want)
			}
		})
	}
}
