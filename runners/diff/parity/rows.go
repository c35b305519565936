package parity

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/vectors/scope"
)

// boxRows is the number of boxes. The first rows of the register are about the boxes.
const boxRows = 10

// stateBoxRows sets the states of the rows about boxes, from the boxes of all modules.
func (p *evidence) stateBoxRows() {
	waiting := p.filesWaiting()
	for i := range min(boxRows, len(p.rows)) {
		counts := map[boxState]int{}
		for _, m := range p.boxedModules() {
			counts[p.boxesOf(m)[i].state]++
		}
		r := &p.rows[i]
		switch {
		case counts[boxTicked] == 0:
			r.State = "later"
		case counts[boxOpen] == 0 && waiting == 0:
			r.State = "done"
		default:
			r.State = "part"
		}
		r.Note = fmt.Sprintf("%s ticked, %d open, %d without need of it; %s of the reference not ported whole",
			lists.Counted(counts[boxTicked], "ported module"), counts[boxOpen], counts[boxNotNeeded], lists.Counted(waiting, "file"))
	}
}

// stateDerivedRows sets the states of the rows that name their evidence. A row is done if none of
// its evidence is missing, and later if all of it is missing. The note lists what is missing.
func (p *evidence) stateDerivedRows() {
	for i := range p.rows {
		r := &p.rows[i]
		if !r.Derived() {
			continue
		}
		missing, there := p.shownOf(*r)
		switch {
		case len(missing) == 0:
			r.State = "done"
		case there == 0:
			r.State = "later"
		default:
			r.State = "part"
		}
		r.Note = strings.Join(missing, "; ")
	}
}

// shownOf lists what is missing of a row's files, tests and commands, and counts what is there.
func (p *evidence) shownOf(r scope.Row) (missing []string, there int) {
	note := func(ok bool, text string) {
		if there += one(ok); !ok {
			missing = append(missing, text)
		}
	}
	for _, file := range r.Files {
		note(p.isFileShown(file), "no test and no case of "+file)
		if later := len(countNames(p.namesOf(file)).later); later > 0 {
			note(false, lists.Counted(later, "name")+" of "+file+" are later")
		}
	}
	for _, name := range r.Tests {
		note(p.tree.hasTest(name), "no test "+name+" that asserts something")
	}
	for _, command := range r.Commands {
		note(p.tree.hasCommand(command), "no command "+command)
	}
	return missing, there
}

// isFileShown reports whether a file of the reference has recorded cases or tests. It also returns
// true for a file that has nothing to show: one without public names, one without functions, or a
// file of tests in which no test needs a port.
func (p *evidence) isFileShown(file string) bool {
	if wanted, carried := p.testsWithNames(file); strings.HasSuffix(file, "_test.py") {
		return len(carried) > 0 || wanted == 0
	}
	return len(p.namesOf(file)) == 0 || slices.Contains(p.absence(file).Without, scope.Functions) || p.tree.casesOf(file).total > 0 || len(p.testsOf(scope.Module{File: file})) > 0
}

// filesWaiting counts the reference's files that have a name still to be ported.
func (p *evidence) filesWaiting() (n int) {
	for _, m := range p.names {
		n += one(len(countNames(m.Names).later) > 0)
	}
	return n
}

// checkStates compares the states that the registers claim with the evidence. The error names every
// row and module whose state is wrong.
func (p *evidence) checkStates() error {
	var errs []error
	for _, r := range p.rows {
		if err := p.checkRow(r); err != nil {
			errs = append(errs, fmt.Errorf("rows.yaml: %s: found state %s, %w", r.ID, r.State, err))
		}
	}
	for _, m := range p.modules {
		if err := p.checkModule(m); err != nil {
			errs = append(errs, fmt.Errorf("modules.yaml: %s %s: found state %s, %w", m.ID, m.File, m.State, err))
		}
	}
	return errors.Join(errs...)
}

func (p *evidence) checkRow(r scope.Row) error {
	if err := p.checkCommands(r.State, r.Commands); err != nil {
		return err
	}
	later, ported := 0, 0
	for _, file := range r.Files {
		c := countNames(p.namesOf(file))
		later, ported = later+len(c.later), ported+c.ported
	}
	switch {
	case r.State == "done" && later > 0:
		return fmt.Errorf("want part or later: %s of %s are later", lists.Counted(later, "name"), strings.Join(r.Files, " "))
	case r.State == "later" && ported > 0 && later == 0:
		return fmt.Errorf("want done or part: all names of %s are ported", strings.Join(r.Files, " "))
	case r.State != "done":
		return nil
	}
	for _, part := range p.rows {
		if isPartOf(part.ID, r.ID) && (part.State == "part" || part.State == "later") {
			return fmt.Errorf("want part: %s, which belongs to it, has state %s", part.ID, part.State)
		}
	}
	return nil
}

// isPartOf reports whether a row is part of another row, as A1b is of A1.
func isPartOf(part, whole string) bool {
	letter, ok := strings.CutPrefix(part, whole)
	return ok && len(letter) == 1 && letter >= "a" && letter <= "z"
}

// checkCommands returns an error if a row in state done lacks one of its commands, or a row in
// state later has all of them.
func (p *evidence) checkCommands(state string, commands []string) error {
	missing := slices.DeleteFunc(slices.Clone(commands), p.tree.hasCommand)
	switch {
	case state == "done" && len(missing) > 0:
		return fmt.Errorf("want part or later: there is no command %s in cmd/monosim or Makefile", strings.Join(missing, ", "))
	case state == "later" && len(commands) > 0 && len(missing) == 0:
		return fmt.Errorf("want done or part: there is %s", strings.Join(commands, ", "))
	}
	return nil
}

// checkModule returns an error if a module of the reference that can be run names no command.
func (p *evidence) checkModule(m scope.Module) error {
	i := slices.IndexFunc(p.names, func(n scope.ModuleNames) bool { return n.File == m.File })
	if i >= 0 && p.names[i].Program && len(m.Commands) == 0 && !isTestModule(m) {
		return errors.New("want its commands: the reference's module can be run")
	}
	if err := p.checkCommands(m.State, m.Commands); err != nil {
		return err
	}
	if later := countNames(p.namesOf(m.File)).later; m.State == "done" && len(later) > 0 {
		return fmt.Errorf("want part: %s is later", later[0].Name)
	}
	if isTestModule(m) && m.State == "done" && len(p.tree.upstreamOf(m.File)) == 0 {
		return errors.New("want later: no test carries the name of one of its tests")
	}
	return nil
}
