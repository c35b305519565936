package main

import (
	"bytes"
	"fmt"
	"os"

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
		Long: `Run the scenarios, read the registers in vectors, look through the sources for the
tests and recorded cases of every module and for the quirks that are named, and
write what of the reference is ported and what shows it. It needs the project's
sources.`,
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

// parity is what PARITY.md is made of.
type parity struct {
	rows     []vectors.Row
	modules  []vectors.Module
	absences []vectors.Absence
	names    []vectors.ModuleNames
	quirks   []vectors.Quirk
	report   *steps.Report
	tree     *parityTree
}

func parityText(root string) ([]byte, error) {
	p, err := readParity(root)
	if err != nil {
		return nil, err
	}
	return p.text(), nil
}

func readParity(root string) (*parity, error) {
	p := &parity{}
	var err error
	if p.rows, err = vectors.Rows(); err != nil {
		return nil, err
	}
	if p.modules, err = vectors.Modules(); err != nil {
		return nil, err
	}
	if p.absences, err = vectors.Absences(); err != nil {
		return nil, err
	}
	if p.names, err = vectors.Names(); err != nil {
		return nil, err
	}
	if p.quirks, err = vectors.Quirks(); err != nil {
		return nil, err
	}
	if p.tree, err = readParityTree(os.DirFS(root)); err != nil {
		return nil, badInput(err)
	}
	suite := steps.Suite{Runner: &simrun.Runner{}, FS: embeddedFS{}, Paths: []string{featureDir}, Seed: 1}
	p.report, err = suite.Run()
	return p, err
}
