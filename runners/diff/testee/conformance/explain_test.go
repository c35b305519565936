package conformance

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/vectors/scope"
)

func TestExplanationsAreQuirksThatDiverge(t *testing.T) {
	quirks, err := scope.Quirks()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range explanations {
		if !slices.ContainsFunc(quirks, func(q scope.Quirk) bool { return q.ID == e.quirk && q.Decision == scope.Diverge }) {
			t.Errorf("%s: found no such quirk with the decision diverge", e.quirk)
		}
	}
}

func TestADifferenceIsExplained(t *testing.T) {
	const max64, beyond = "9223372036854775807", "9223372036854775808"
	for _, c := range []struct{ name, op, want, got, quirk string }{
		{"a number beyond 64 bits", "utils.pasre_sub_model_name", `["ps",{"$int":"` + beyond + `"}]`, `["ps",{"$int":"` + max64 + `"}]`, "Q226"},
		{"a number beyond 64 bits in a text", "utils.x", `["--port=` + beyond + ` -a"]`, `["--port=` + max64 + ` -a"]`, "Q226"},
		{"another number", "utils.x", `{"$int":"9223372036854775806"}`, `{"$int":"` + max64 + `"}`, ""},
		{"a number and something else", "utils.x", `[{"$int":"` + beyond + `"},1]`, `[{"$int":"` + max64 + `"},2]`, ""},
		{"a refusal that names its field", "utils.x", `[{"r":7}]`, `[{"e":{"type":"ExpressionRefused","message":"num_ps: Q230: the name os is not evaluated here"}}]`, "Q230"},
		{"the order of publishes", "zk_mirror.sequence", `[{"events":[["/b","PUBLISH",""],["/a","PUBLISH",""]]}]`, `[{"events":[["/a","PUBLISH",""],["/b","PUBLISH",""]]}]`, "Q217"},
		{"the order of portal events", "zk_mirror.sequence", `[{"events":[["/b","PORTAL",""],["/a","PORTAL",""]]}]`, `[{"events":[["/a","PORTAL",""],["/b","PORTAL",""]]}]`, ""},
		{"the order of another operation", "backends.x", `{"events":[["/b","PUBLISH",""],["/a","PUBLISH",""]]}`, `{"events":[["/a","PUBLISH",""],["/b","PUBLISH",""]]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := parsedAnswer(t, `{"id":"x","out":`+c.want+`}`), parsedAnswer(t, `{"id":"x","out":`+c.got+`}`)
			if Compare(c.op, want, got) == "" {
				t.Error("the answers do not differ at all")
			}
			if quirk := Explain(c.op, want, got); quirk != c.quirk {
				t.Errorf("got %q, want %q", quirk, c.quirk)
			}
		})
	}
}
