package scope

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
)

//go:embed rows.yaml
var rowsYAML []byte

// Row is one row of the scope: a behaviour that the project is to reproduce.
type Row struct {
	// ID is the letter of the group and a number, such as A1b or B-W3.
	ID    string `yaml:"id"`
	Title string `yaml:"title"`
	// State is done, part, later or none. A row about a file takes the state of its module. Two
	// kinds of rows have no state here: those of group G, whose state follows from the boxes of the
	// modules, and those that are [Row.Derived].
	State string `yaml:"state"`
	// Home is the part of the project that the row belongs to.
	Home string `yaml:"home"`
	// Note says what is missing, or why nothing was built for the row.
	Note string `yaml:"note"`
	// Files lists the reference's files that the row is about, named as in [Names]. Only rows of
	// groups A, C, D and E have them.
	Files []string `yaml:"files"`
	// Tests lists Go tests. If the row is about no file of the reference, they show that the
	// behaviour is implemented.
	Tests []string `yaml:"tests"`
	// Commands lists the programs that the row promises. Each is monosim with the names of a
	// command, or make with a target. A row is not done while one of them is missing.
	Commands []string `yaml:"commands"`
}

// Group returns the letter of the row's group.
func (r Row) Group() string { return r.ID[:1] }

// Derived reports whether the row's state is computed from evidence: its files, tests and commands.
// This is so for rows of groups C, D and E and for rows that name files. It is not so for group G,
// and for rows with the state none.
func (r Row) Derived() bool {
	return r.State != "none" && r.Group() != "G" && (len(r.Files) > 0 || strings.Contains("CDE", r.Group()))
}

// RowGroup is a group of rows of the scope.
type RowGroup struct {
	Letter, Title string
	Rows          int
}

// RowGroups lists the groups with the number of rows that each has.
func RowGroups() []RowGroup {
	return []RowGroup{
		{"G", "boxes of every module", 10},
		{"A", "agent utilities, mirror, runner base, profiling", 26},
		{"B", "agent service", 68},
		{"C", "path utilities, TPU runner, file copy", 4},
		{"D", "training runtime", 37},
		{"E", "training hooks and controller server", 7},
	}
}

// RowKinds explains the ids of the rows of group B, whose second letter is the kind of row.
func RowKinds() []string {
	return []string{
		"B01 to B38, the files of monolith/agent_service", "S, its scope", "L, its layout in parts",
		"W, a workstream across its files", "H, a rule of the harness", "R, a risk and what is done against it",
	}
}

// Rows lists the scope, group by group.
func Rows() ([]Row, error) {
	modules, err := Modules()
	if err != nil {
		return nil, err
	}
	return parseRows(rowsYAML, modules)
}

func parseRows(text []byte, modules []Module) ([]Row, error) {
	var rows []Row
	if err := decode("rows.yaml", text, &rows); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if r.ID == "" || seen[r.ID] {
			return nil, fmt.Errorf("rows.yaml: found id %q in entry %d, want one that is new", r.ID, i+1)
		}
		seen[r.ID] = true
		if err := r.takeState(modules); err != nil {
			return nil, fmt.Errorf("rows.yaml: %s: %w", r.ID, err)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rows.yaml: %s: %w", r.ID, err)
		}
	}
	return rows, checkGroups(rows)
}

// takeState copies the state of a file's module to the row. So the registers contain the state only
// once.
func (r *Row) takeState(modules []Module) error {
	i := slices.IndexFunc(modules, func(m Module) bool { return m.ID == r.ID })
	if i < 0 {
		return nil
	}
	m := modules[i]
	if r.State != "" || r.Note != "" || r.Title != m.File {
		return fmt.Errorf("found title %q, state %q and note %q, want %s and the others left to modules.yaml", r.Title, r.State, r.Note, m.File)
	}
	r.State, r.Note, r.Commands = m.State, m.Note, m.Commands
	return nil
}

func (r *Row) check() error {
	switch {
	case r.Title == "" || r.Home == "":
		return fmt.Errorf("found title %q and home %q, want both", r.Title, r.Home)
	case r.Group() == "G" && (r.State != "" || r.Note != ""):
		return fmt.Errorf("found state %q and note %q, want neither: they follow from the boxes", r.State, r.Note)
	case r.Derived() && (r.State != "" || r.Note != ""):
		return fmt.Errorf("found state %q and note %q, want neither: they follow from files, tests and commands", r.State, r.Note)
	case r.Derived() && len(r.Files)+len(r.Tests)+len(r.Commands) == 0:
		return errors.New("found no files, tests or commands, want what shows it")
	case r.Group() == "G", r.Derived():
		return nil
	case !states[r.State]:
		return fmt.Errorf("found state %q, want done, part, later or none", r.State)
	case (r.State == "part" || r.State == "none") && r.Note == "":
		return fmt.Errorf("found state %s without a note, want one that says what is missing", r.State)
	}
	return nil
}

// checkGroups returns an error unless the rows are ordered by group, and each group has the right
// number of rows.
func checkGroups(rows []Row) error {
	for _, g := range RowGroups() {
		n := slices.IndexFunc(rows, func(r Row) bool { return !strings.HasPrefix(r.ID, g.Letter) })
		if n < 0 {
			n = len(rows)
		}
		if n != g.Rows {
			return fmt.Errorf("rows.yaml: found %d rows of group %s, want %d", n, g.Letter, g.Rows)
		}
		rows = rows[n:]
	}
	if len(rows) > 0 {
		return fmt.Errorf("rows.yaml: found %s behind the last group", rows[0].ID)
	}
	return nil
}
