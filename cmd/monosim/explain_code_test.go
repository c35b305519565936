package main

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/show/documents"
	"github.com/monosim/monosim/runners/show/rules"
)

func TestEveryCodeIsExplained(t *testing.T) {
	for _, d := range documents.All() {
		if n := len(rules.Numbers(d)); n < 5 {
			t.Errorf("%s: got %d rules, want 5 or more", d.Path, n)
		}
	}
	for _, code := range allCodes() {
		list, err := explainCode(code)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: got %v, %v", code, list, err)
			continue
		}
		for _, e := range list {
			if strings.TrimSpace(strings.TrimPrefix(e.Text, e.Code)) == "" {
				t.Errorf("%s: nothing is said", e.Code)
			}
		}
	}
}

func TestExplainSaysWhatItWants(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"ZK-" + "6.44", `code: found "ZK-` + `6.44", want one of sim/zookeeper/SPEC.md - did you mean "ZK-6.4"?`},
		{"FOO-1", `code: found "FOO-1", want a quirk as Q117, or a rule as ZK-6.4`},
		{"Q" + "4711", `quirk: found "Q` + `4711", want an id of the register`},
	} {
		if _, err := explainCode(c.code); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.code, err, c.want)
		}
	}
}
