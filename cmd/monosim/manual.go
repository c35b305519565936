//go:build manual

package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// This command is only in the program that `make release` builds to write the man pages and
// completions for its archives. Other builds omit it, which makes them smaller.
func init() {
	later = append(later, func(root *cobra.Command) {
		root.AddCommand(&cobra.Command{
			Use:    "manual DIR",
			Short:  "Write man pages and completions into a directory",
			Hidden: true,
			Args:   command.OneArgument("directory"),
			RunE:   func(_ *cobra.Command, args []string) error { return writeManual(newRootCommand(), args[0]) },
		})
	})
}

func writeManual(root *cobra.Command, dir string) error {
	pages, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{pages, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true // the line that cobra adds contains the date
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "MONOSIM", Section: "1", Source: "monosim " + thisVersion().Version}, pages); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"monosim.bash": func(f string) error { return root.GenBashCompletionFileV2(f, true) },
		"_monosim":     root.GenZshCompletionFile,
		"monosim.fish": func(f string) error { return root.GenFishCompletionFile(f, true) },
		"monosim.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return nil
}
