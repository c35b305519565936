package scope

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheScopeHasAllItsRows(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 152 {
		t.Errorf("got %d rows, want 152", len(rows))
	}
}

func TestRowsOfFilesHaveTheStateOfTheirModule(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]Row{}
	for _, r := range rows {
		byID[r.ID] = r
	}
	modules, err := Modules()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if r := byID[m.ID]; r.Title != m.File || r.State != m.State || r.Note != m.Note {
			t.Errorf("%s: got %+v, want title, state and note of %+v", m.ID, r, m)
		}
	}
}

func TestFaultsOfTheRowsAreTold(t *testing.T) {
	modules := []Module{{ID: "B01", File: "a.py", State: "done"}}
	for _, c := range []struct{ name, yaml, want string }{
		{"twice", "- {id: G1, title: t, home: h}\n- {id: G1, title: t, home: h}",
			`rows.yaml: found id "G1" in entry 2, want one that is new`},
		{"state", "- {id: A1, title: t, state: half, home: h}", `rows.yaml: A1: found state "half", want done, part, later or none`},
		{"home", "- {id: A1, title: t, state: done}", `rows.yaml: A1: found title "t" and home "", want both`},
		{"note", "- {id: A1, title: t, state: part, home: h}", `rows.yaml: A1: found state part without a note, want one that says what is missing`},
		{"state of a box", "- {id: G1, title: t, state: done, home: h}", `rows.yaml: G1: found state "done" and note "", want neither: they follow from the boxes`},
		{"state of what files show", "- {id: A1, title: t, state: done, home: h, files: [a.py]}", `rows.yaml: A1: found state "done" and note "", want neither: they follow from files, tests and commands`},
		{"state of the training side", "- {id: D1, title: t, state: part, note: n, home: h}", `rows.yaml: D1: found state "part" and note "n", want neither: they follow from files, tests and commands`},
		{"nothing shows it", "- {id: D1, title: t, home: h}", `rows.yaml: D1: found no files, tests or commands, want what shows it`},
		{"state of a file", "- {id: B01, title: a.py, state: done, home: h}",
			`rows.yaml: B01: found title "a.py", state "done" and note "", want a.py and the others left to modules.yaml`},
		{"rows missing", "- {id: G1, title: t, home: h}", `rows.yaml: found 1 rows of group G, want 10`},
		{"unknown group", allGroups() + "- {id: Z1, title: t, state: done, home: h}", `rows.yaml: found Z1 behind the last group`},
		{"order", "- {id: A1, title: t, state: done, home: h}\n" + allGroups(), `rows.yaml: found 0 rows of group G, want 10`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseRows([]byte(c.yaml), modules)
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %s", err, c.want)
			}
		})
	}
}

// allGroups returns the YAML text of a scope in which each group has the right number of rows.
func allGroups() string {
	var b strings.Builder
	for _, g := range RowGroups() {
		for i := range g.Rows {
			state := ", state: done"
			switch g.Letter {
			case "G":
				state = ""
			case "C", "D", "E":
				state = ", tests: [TestIt]"
			}
			fmt.Fprintf(&b, "- {id: %s-%d, title: t%s, home: h}\n", g.Letter, i, state)
		}
	}
	return b.String()
}
