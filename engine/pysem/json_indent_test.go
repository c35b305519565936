package pysem

import "testing"

// Goal: indented JSON has an item on each line. The expected texts are those of json.dumps(value,
// indent=2).
func TestIndentedJSONHasAnItemALine(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"scalar", `1`, "1"},
		{"empty list", `[]`, "[]"},
		{"empty object", `{}`, "{}"},
		{"list", `[1, "a\u00e9", null]`, "[\n  1,\n  \"a\\u00e9\",\n  null\n]"},
		{"nested", `{"a": [], "b": {"c": [{}], "d": 0.5}}`, "{\n  \"a\": [],\n  \"b\": {\n    \"c\": [\n      {}\n    ],\n    \"d\": 0.5\n  }\n}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			value, err := ParseJSON(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(AppendJSONIndent(nil, value, 2)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
