package parity

import "testing"

// Goal: texts in a form of their own count as the content of files do: two inputs that differ in
// nothing else, and are answered differently, show that the form is read.
func TestTextsInAFormOfTheirOwnAreContents(t *testing.T) {
	for _, c := range []struct {
		name, first, second string
		want                int
	}{
		{"contents", `{"contents":["a: 1"],"n":1}`, `{"contents":["a: 2"],"n":1}`, 1},
		{"a script", `{"script":[["answer",200,"[]"]]}`, `{"script":[["answer",200,"{}"]]}`, 1},
		{"an argument", `{"kwargs":{"params_override":"{}","x":1}}`, `{"kwargs":{"params_override":"[]","x":1}}`, 1},
		{"another argument", `{"kwargs":{"params_override":"{}","x":1}}`, `{"kwargs":{"params_override":"[]","x":2}}`, 0},
		{"another field", `{"contents":["a: 1"],"n":1}`, `{"contents":["a: 2"],"n":2}`, 0},
		{"another name", `{"text":"a: 1"}`, `{"text":"a: 2"}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cases []recordedCase
			for i, in := range []string{c.first, c.second} {
				var err error
				if cases, err = appendCase(cases, caseJSON{ID: c.name, Op: "m.f", In: []byte(in), Out: []byte(`[` + string(rune('0'+i)) + `]`)}); err != nil {
					t.Fatal(err)
				}
			}
			if got := len(contentPairsOf(cases)); got != c.want {
				t.Errorf("got %d pairs, want %d", got, c.want)
			}
		})
	}
}
