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
