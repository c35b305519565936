package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// newListCommand makes `monosim vectors list`.
func newListCommand() *cobra.Command {
	var flags vectorFlags
	var ops, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the ids of the golden cases, or their operations",
		Long: `List the ids of the golden cases, each with its flags: the quirks that it shows, and
drawn when its input was drawn at random. With --ops list the operations instead,
each with the number of its cases.`,
		Example: `  monosim vectors list --suite data_def
  monosim vectors list --ops --json`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := flags.list(ops)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), list)
			}
			for _, l := range list {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), l); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	flags.register(cmd)
	cmd.Flags().BoolVar(&ops, "ops", false, "list the operations, each with the number of its cases")
	return cmd
}

// listedCase is one entry of the list: a case, or an operation with its number of cases.
type listedCase struct {
	ID    string   `json:"id,omitempty"`
	Flags []string `json:"flags,omitempty"`
	Op    string   `json:"op"`
	Cases int      `json:"cases,omitempty"`
}

func (l listedCase) String() string {
	if l.ID == "" {
		return fmt.Sprintf("%s\t%d", l.Op, l.Cases)
	}
	return l.ID + "\t" + strings.Join(l.Flags, " ")
}

// list lists the selected cases. With ops it lists their operations, in the order of first
// appearance.
func (f *vectorFlags) list(ops bool) ([]listedCase, error) {
	list, at := []listedCase{}, map[string]int{}
	err := f.each(func(_ *golden.Suite, c *golden.Case) error {
		if !ops {
			list = append(list, listedCase{ID: c.ID, Flags: c.Flags, Op: c.Op})
			return nil
		}
		i, ok := at[c.Op]
		if !ok {
			i = len(list)
			at[c.Op], list = i, append(list, listedCase{Op: c.Op})
		}
		list[i].Cases++
		return nil
	})
	return list, err
}

// showOptions holds the flags of `monosim vectors show`.
type showOptions struct {
	vectorFlags
	command string
	timeout time.Duration
	request bool
}

func newShowCommand() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show ID...",
		Short: "Print golden cases with what the engine, or another testee, answers",
		Long: `Print golden cases: what is asked, what the reference answered, and whether the
engine, or the testee of a command, answers alike. The exit code is 0, or 2 when
there is no case of an id.`,
		Example: `  monosim vectors show utils.isabs/hdfs
  monosim vectors show --testee 'python3 port.py' utils.isabs/hdfs
  monosim vectors show --request utils.isabs/hdfs | python3 port.py`,
		RunE: func(cmd *cobra.Command, ids []string) error { return o.run(cmd, ids) },
	}
	o.register(cmd)
	cmd.Flags().StringVar(&o.command, "testee", "", testeeHelp+", instead of the engine")
	cmd.Flags().DurationVar(&o.timeout, "timeout", testee.AnswerTimeout, "how long a testee may take for an answer")
	cmd.Flags().BoolVar(&o.request, "request", false, "print only the lines that a testee is sent")
	return cmd
}

func (o *showOptions) run(cmd *cobra.Command, ids []string) error {
	if len(ids) == 0 {
		return command.BadInput(errors.New("found no id; see monosim vectors list"))
	}
	subject, err := subjectOf(o.command, o.timeout)
	if err != nil {
		return command.BadInput(err)
	}
	defer subject.Close()
	shown := map[string]bool{}
	err = o.each(func(s *golden.Suite, c *golden.Case) error {
		if !slices.Contains(ids, c.ID) {
			return nil
		}
		shown[c.ID] = true
		if o.request {
			return writeRequest(cmd.OutOrStdout(), c)
		}
		return conformance.Show(cmd.OutOrStdout(), s, c, subject)
	})
	for _, id := range ids {
		if err == nil && !shown[id] {
			err = command.BadInput(fmt.Errorf("found no case %q; see monosim vectors list", id))
		}
	}
	return err
}

// writeRequest writes a golden case as the JSON request that a testee receives.
func writeRequest(w io.Writer, c *golden.Case) error {
	v, err := conformance.VectorOf(c)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, v.Case.Line())
	return err
}
