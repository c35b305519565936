package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/simrun"
	"github.com/monosim/monosim/vectors"
)

func newParityCommand() *cobra.Command {
	var output, root string
	var check bool
	cmd := &cobra.Command{
		Use:   "parity",
		Short: "Write PARITY.md: what of the reference is ported, and what shows it",
		Long: `Run the scenarios, read the sources for the quirks that they name, and write what
of the reference is ported and what shows it. It needs the project's sources.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := parityText(root)
			if err != nil {
				return err
			}
			if check {
				return sameFile(output, text)
			}
			return badInput(writeFile(output, text))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "PARITY.md", "file to write")
	cmd.Flags().StringVar(&root, "root", ".", "directory of the project's sources")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; fail when the file would change")
	return cmd
}

// sameFile says whether the file holds the text.
func sameFile(path string, text []byte) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return badInput(err)
	}
	if !bytes.Equal(old, text) {
		return fmt.Errorf("%s is not what make parity writes; run it and look at the difference", path)
	}
	return nil
}

func parityText(root string) ([]byte, error) {
	modules, err := vectors.Modules()
	if err != nil {
		return nil, err
	}
	report, err := (&steps.Suite{Runner: &simrun.Runner{}, FS: embeddedFS{}, Paths: []string{featureDir}, Seed: 1}).Run()
	if err != nil {
		return nil, err
	}
	quirks, err := findQuirks(root)
	if err != nil {
		return nil, badInput(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Parity\n\nWritten by `make parity`; do not edit. The reference is %s.\n", reference)
	writeModules(&b, modules)
	writeScenarios(&b, report)
	writeQuirks(&b, quirks)
	return b.Bytes(), nil
}

func writeModules(b *bytes.Buffer, modules []vectors.Module) {
	counts := map[string]int{}
	for _, m := range modules {
		counts[m.State]++
	}
	fmt.Fprintf(b, "\n## Modules of `monolith/agent_service`\n\n%d done, %d in part, %d later, %d with nothing to port.\n\n",
		counts["done"], counts["part"], counts["later"], counts["none"])
	fmt.Fprintf(b, "| row | module | state | ported by | note |\n|---|---|---|---|---|\n")
	for _, m := range modules {
		files := make([]string, len(m.Go))
		for i, f := range m.Go {
			files[i] = "`" + f + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", m.ID, m.File, m.State, strings.Join(files, " "), m.Note)
	}
}

func writeScenarios(b *bytes.Buffer, report *steps.Report) {
	type count struct{ passed, failed, skipped int }
	byFeature := map[string]*count{}
	var names []string
	for _, r := range report.Results {
		c := byFeature[r.Path]
		if c == nil {
			c = &count{}
			byFeature[r.Path] = c
			names = append(names, r.Path)
		}
		switch r.Status {
		case steps.Passed:
			c.passed++
		case steps.Failed:
			c.failed++
		default:
			c.skipped++
		}
	}
	sort.Strings(names)
	fmt.Fprintf(b, "\n## Scenarios on the simulation\n\n| feature | passed | failed | skipped |\n|---|---|---|---|\n")
	for _, name := range names {
		c := byFeature[name]
		fmt.Fprintf(b, "| %s | %d | %d | %d |\n", filepath.Base(name), c.passed, c.failed, c.skipped)
	}
}

// quirkUse says where a quirk of the reference is named.
type quirkUse struct {
	number                int
	code, tests, features map[string]bool
}

var quirkPattern = regexp.MustCompile(`\bQ(\d{1,3})\b`)

// findQuirks reads the sources for names as Q109.
func findQuirks(root string) ([]*quirkUse, error) {
	byNumber := map[int]*quirkUse{}
	for _, room := range []string{"engine", "sim", "runners", "features"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if ext := filepath.Ext(path); ext != ".go" && ext != ".feature" {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			for _, match := range quirkPattern.FindAllSubmatch(text, -1) {
				noteQuirk(byNumber, string(match[1]), filepath.ToSlash(name))
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("sources: %w", err)
		}
	}
	list := make([]*quirkUse, 0, len(byNumber))
	for _, q := range byNumber {
		list = append(list, q)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].number < list[j].number })
	return list, nil
}

const quirksKnown = 205

func noteQuirk(byNumber map[int]*quirkUse, digits, file string) {
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > quirksKnown {
		return
	}
	q := byNumber[n]
	if q == nil {
		q = &quirkUse{number: n, code: map[string]bool{}, tests: map[string]bool{}, features: map[string]bool{}}
		byNumber[n] = q
	}
	switch {
	case strings.HasSuffix(file, ".feature"):
		q.features[filepath.Base(file)] = true
	case strings.HasSuffix(file, "_test.go"):
		q.tests[file] = true
	default:
		q.code[file] = true
	}
}

func writeQuirks(b *bytes.Buffer, quirks []*quirkUse) {
	shown := 0
	for _, q := range quirks {
		if len(q.tests)+len(q.features) > 0 {
			shown++
		}
	}
	fmt.Fprintf(b, "\n## Quirks of the reference\n\n%d of %d are named in the code, %d of them by a test or scenario.\n\n", len(quirks), quirksKnown, shown)
	fmt.Fprintf(b, "| quirk | code | tests | scenarios |\n|---|---|---|---|\n")
	for _, q := range quirks {
		fmt.Fprintf(b, "| Q%d | %s | %s | %s |\n", q.number, sortedNames(q.code), sortedNames(q.tests), sortedNames(q.features))
	}
}

func sortedNames(set map[string]bool) string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}
