package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: a difference is readable JSON that shows what counts. Method: compare the text of one
// difference for each type of value.
func TestDifferencesAreJSON(t *testing.T) {
	const status = `{"$pb":"tensorflow.serving.StatusProto","hex":"`
	for _, c := range []struct{ name, op, want, got, text string }{
		{"a value", "x", `{"out":[1,"a"]}`, `{"out":[1,"b"]}`, `
first at out[1]
- {"out": [1, "a"]}
+ {"out": [1, "b"]}`},
		{"a field that is missing, keys in any order", "x", `{"out":{"c":2,"b":[1],"a":{"r":null}}}`, `{"out":{"b":[1],"c":2}}`, `
  {
    "out": {
-     "a": {"r": null},
      "b": [1],
      "c": 2
    }
  }`},
		{"another kind", "x", `{"out":{}}`, `{"error":{"type":"KeyError","message":"'a'"}}`, `
- {"out": {}}
+ {
+   "error": {
+     "type": "KeyError",
+     "message": "'a'"
+   }
+ }`},
		{"a message that does not count is shown and not compared", "x", `{"error":{"type":"KeyError","message":"'a'"}}`, `{"error":{"type":"TypeError","message":"b"}}`, `
  {
    "error": {
-     "type": "KeyError",
+     "type": "TypeError",
      "message": "'a'"
    }
  }`},
		{"numbers of other types", "x", `{"out":[1,1.0,true,9007199254740993,{"$int":"9007199254740993"}]}`, `{"out":[]}`, `
first at out[0]
- {"out": [1, 1.0, true, 9007199254740993, {"$int": "9007199254740993"}]}
+ {"out": []}`},
		{"steps", "x", `{"out":{"steps":[{"r":null,"writes":[["set",{"path":"/a"}],["delete",{"path":"/b"}]]}]}}`, `{"out":{"steps":[{"r":null,"writes":[["set",{"path":"/a"}]]}]}}`, `
first at out.steps[0].writes[1]
  {
    "out": {
      "steps": [
        {
          "r": null,
          "writes": [
            ["set", {"path": "/a"}],
-           ["delete", {"path": "/b"}]
          ]
        }
      ]
    }
  }`},
		{"bytes that are a text", "x", `{"out":{"$hex":"7b7d"}}`, `{"out":{"$hex":"ff"}}`, `
- {"out": {"$hex of": "{}"}}
+ {"out": {"$hex": "ff"}}`},
		{"a message", "x", `{"out":` + status + `0805120161"}}`, `{"out":` + status + `080512016201"}}`, `
  {
-   "out": {
-     "$pb": "tensorflow.serving.StatusProto",
-     "text": ["error_code: NOT_FOUND", "error_message: \"a\""]
-   }
+   "out": {"$pb": "tensorflow.serving.StatusProto", "hex": "080512016201"}
  }`},
		{"a text of a message", "agent_v3.AgentV3", `{"out":{"config_text":"model_config_list {}"}}`, `{"out":{"config_text":"{"}}`, `
  {
    "out": {
-     "config_text": {
-       "text of": "tensorflow.serving.ModelServerConfig",
-       "text": ["model_config_list {", "}"]
-     }
+     "config_text": "does not parse`},
		{"a set", "x", `{"out":{"$set":[2,1]}}`, `{"out":{"$set":[3,1]}}`, `
  {
-   "out": {"$set": [1, 2]}
+   "out": {"$set": [1, 3]}
  }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := "\n" + Compare(c.op, parsedAnswer(t, c.want), parsedAnswer(t, c.got))
			if c.name == "a text of a message" {
				got = got[:min(len(got), len(c.text))] + "\n" // the rest of the error is worded by the parser
			}
			if diff := cmp.Diff(c.text+"\n", got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Goal: a difference leaves out long runs of equal lines, except for the lines next to a
// difference.
func TestDifferencesLeaveOutWhatIsAlike(t *testing.T) {
	item := func(i int) string { return fmt.Sprintf(`{"r": "%s %d"}`, strings.Repeat("x", 20), i) }
	var a, b []string
	for i := range 40 {
		a, b = append(a, item(i)), append(b, item(i))
	}
	b[20] = item(100)
	got := Compare("x", parsedAnswer(t, `{"out":[`+strings.Join(a, ",")+`]}`), parsedAnswer(t, `{"out":[`+strings.Join(b, ",")+`]}`))
	want := "first at out[20].r\n  … 19 lines alike …\n      " + item(17) + ",\n      " + item(18) + ",\n      " + item(19) + ",\n" +
		"-     " + item(20) + ",\n+     " + item(100) + ",\n" +
		"      " + item(21) + ",\n      " + item(22) + ",\n      " + item(23) + ",\n  … 18 lines alike …\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Goal: in any difference, the equal lines and those with - form the first text. The equal lines
// and those with + form the second.
func TestDifferencesHoldBothTexts(t *testing.T) {
	text := func(words string) []line {
		var lines []line
		for _, w := range strings.Fields(words) {
			lines = append(lines, line{text: w, compared: w})
		}
		return lines
	}
	for _, c := range [][2]string{
		{"a b c", "a b c"}, {"", "a"}, {"a", ""}, {"a b c d", "b d"}, {"b d", "a b c d"}, {"a b a b c", "b a b c a"}, {"x a y", "y a x"}, {"a a a", "a a"},
	} {
		var first, second []string
		for _, e := range editsOf(text(c[0]), text(c[1])) {
			if e.sign != '+' {
				first = append(first, e.text)
			}
			if e.sign != '-' {
				second = append(second, e.text)
			}
		}
		if a, b := strings.Join(first, " "), strings.Join(second, " "); a != c[0] || b != c[1] {
			t.Errorf("%q and %q: got %q and %q", c[0], c[1], a, b)
		}
	}
}
