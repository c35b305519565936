package parity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/explore"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/scope"
)

// foundFile lists the quirks that random exploration has found, and unreachedFile those that it
// cannot find.
const (
	foundFile     = "features/museum/found.txt"
	unreachedFile = "features/museum/unreached.txt"
)

// readList reads a list of quirks. If the file is missing, the list is empty.
func readList[T any](sources fs.FS, file string, parse func(data []byte) (map[string]T, error)) (map[string]T, error) {
	data, err := fs.ReadFile(sources, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return list, nil
}

// readFound reads which quirks exploring has found, and which it cannot find. It returns an error
// if a quirk is in both lists, or if the engine does not have a quirk that exploring cannot find.
func (p *evidence) readFound(sources fs.FS) (err error) {
	if p.found, err = readList(sources, foundFile, explore.ParseRecord); err != nil {
		return err
	}
	if p.unreached, err = readList(sources, unreachedFile, explore.ParseUnreached); err != nil {
		return err
	}
	for id := range p.unreached {
		q, err := scope.FindQuirk(id)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", unreachedFile, err)
		case q.Decision != scope.Fix && q.Decision != scope.Match:
			return fmt.Errorf("%s: found %s with the decision %s, want one that the engine has (match or fix)", unreachedFile, id, q.Decision)
		case p.found[id].After > 0:
			return fmt.Errorf("%s: found %s, which %s has, too: want it in one of them", unreachedFile, id, foundFile)
		}
	}
	return nil
}

// quirkShown lists the cases, tests and scenarios that show a quirk of the reference.
type quirkShown struct {
	tests, cases []string
	scenarios    []featureCount
}

func (p *evidence) shownBy(quirk int) quirkShown {
	id := fmt.Sprintf("Q%d", quirk)
	return quirkShown{
		tests:     p.tree.testsCarrying(quirk),
		cases:     p.tree.flagged(id),
		scenarios: p.passedWith(func(tag string) bool { return tag == "@"+id }),
	}
}

func (s quirkShown) String() string {
	var parts []string
	for _, list := range [][]string{s.tests, s.cases} {
		parts = append(parts, lists.Map(list, toShortFile)...)
	}
	if len(s.scenarios) > 0 {
		parts = append(parts, featureNames(s.scenarios))
	}
	return strings.Join(parts, ", ")
}

// isQuirk reports whether the register has a quirk of this number.
func (p *evidence) isQuirk(number int) bool {
	return slices.ContainsFunc(p.quirks, func(q scope.Quirk) bool { return q.Number() == number })
}

// isShown reports whether something shows the quirk. A repairable quirk has to be shown with its
// fault and repaired.
func (p *evidence) isShown(q scope.Quirk) bool {
	if q.Decision == scope.Fix {
		kept, repaired := p.toggled(q.ID)
		return kept && repaired || p.tree.showsBothWays(q.Number())
	}
	return p.shownBy(q.Number()).String() != ""
}

// toggled looks at the passed scenarios with the quirk's tag. It reports whether some ran with the
// fault, and whether some ran with it repaired.
func (p *evidence) toggled(id string) (kept, repaired bool) {
	for _, r := range p.report.Results {
		if r.Status != steps.Passed || !slices.Contains(r.Tags, "@"+id) {
			continue
		}
		for _, quirks := range r.Quirks {
			kept = kept || keeps(quirks, id)
			repaired = repaired || !keeps(quirks, id)
		}
	}
	return kept, repaired
}

// keeps reports whether a choice of quirks, in the form of runners.Spec, keeps the quirk with an
// id.
func keeps(quirks, id string) bool {
	switch quirks {
	case "", "python":
		return true
	case "fixed":
		return false
	}
	repairs := strings.HasPrefix(quirks, "-")
	listed := slices.Contains(strings.Split(strings.ReplaceAll(quirks, "-", ""), ","), id)
	return listed != repairs
}

func (p *evidence) writeQuirks(b *bytes.Buffer) {
	fmt.Fprintf(b, `
## %[2]s

Match: the engine does the same. Fix: the same, and %[1]s--quirks fixed%[1]s repairs it. Diverge: otherwise, for the
reason said. Later: it waits for what is said. A quirk is shown by tests that assert something and carry its id in their
name or text (a comment shows nothing), by recorded cases that are flagged with it, and by passed scenarios that are
tagged with it; a fix by scenarios that pass with its fault and with its repair, or a test that does (%[1]sagenttest.BothWays%[1]s). Where nothing shows a match or a
divergence, the reason is said. X: seen in a run of the reference; Z: on a real ZooKeeper. The register is
%[3]s.

Found: exploring came upon it by itself, by an invariant that broke, after so many stories of the worlds that were explored
(%[4]s, which %[1]smake museum%[1]s writes), or cannot, for the reason said (%[5]s).

| quirk | where | effect | seen | decision | more | shown | by | found |
|---|---|---|---|---|---|---|---|---|
`, "`", quirksTitle, toFile("vectors/quirks.yaml"), toFile(foundFile), toFile(unreachedFile))
	for _, q := range p.quirks {
		is := "no"
		if p.isShown(q) {
			is = "yes"
		}
		by := p.shownBy(q.Number()).String()
		if q.Unshown != "" {
			by = "nothing: " + q.Unshown
		}
		found := ""
		if s, ok := p.found[q.ID]; ok {
			found = fmt.Sprintf("%s, %d", s.What, s.After)
		} else if why := p.unreached[q.ID]; why != "" {
			found = "cannot: " + cell(why)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			q.ID, strings.Join(q.Where, " "), cell(q.Effect), strings.Join(q.Marks, ""), q.Decision, cell(q.Reason+q.Repaired), is, cell(by), found)
	}
	if unknown := p.tree.unknownQuirks(p.isQuirk); len(unknown) > 0 {
		fmt.Fprintf(b, "\nNamed, but not in the register: %s.\n", strings.Join(unknown, ", "))
	}
}
