package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/gotestee"
	"github.com/monosim/monosim/runners/testee"
)

// newTesteeCommand makes `monosim testee`, the engine behind JSON lines.
func newTesteeCommand() *cobra.Command {
	var quirks string
	cmd := &cobra.Command{
		Use:   "testee",
		Short: "Answer cases about the agent service, as JSON lines on stdin and stdout",
		Long: `Answer cases by the testee protocol: one JSON object a line on standard input, one
answer a line on standard output, in order. {"op":"hello"} is answered with name,
version and the operations. The program ends with its input.`,
		Example: `  echo '{"id":"a/b","op":"utils.expand_pattern","env":{},"in":{"pattern_str":"ps_[0-3]"}}' | monosim testee`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine := gotestee.New(version)
			if err := engine.KeepQuirks(quirks); err != nil {
				return badInput(fmt.Errorf("--quirks: %w", err))
			}
			return testee.Serve(engine, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&quirks, "quirks", "python", quirksHelp)
	return cmd
}

// quirksHelp says what may be said of quirks.
const quirksHelp = "python, fixed, the ids to keep as Q22,Q117, or those to repair as -Q22,-Q117"

// pythonTestee is the program that answers cases with the reference itself, from
// the root of the project's sources.
const pythonTestee = "runners/python/testee.py"

// testeeFlags say which testee to ask.
type testeeFlags struct {
	python   bool
	commands []string
}

const pythonHelp = "ask the reference: needs MONOLITH_SRC, a checkout of it, and the project's sources; PYTHON names the interpreter (default python3)"

// startPython makes the testee of the reference.
func startPython() (*testee.Process, error) {
	source := os.Getenv("MONOLITH_SRC")
	if source == "" {
		return nil, errors.New("--python: found no MONOLITH_SRC in the environment, want the directory of a checkout of bytedance/monolith")
	}
	if _, err := os.Stat(filepath.Join(source, "monolith", "agent_service")); err != nil {
		return nil, fmt.Errorf("--python: found no monolith/agent_service in MONOLITH_SRC=%s, want a checkout of bytedance/monolith", source)
	}
	if _, err := os.Stat(pythonTestee); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--python: found no %s here, want to be run from the root of the project's sources", pythonTestee)
	}
	interpreter := os.Getenv("PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	return &testee.Process{Command: []string{interpreter, pythonTestee}}, nil
}

// start makes the testees that the flags name, with names for reports.
func (f *testeeFlags) start() (list []namedTestee, err error) {
	if f.python {
		p, err := startPython()
		if err != nil {
			return nil, err
		}
		list = append(list, namedTestee{"python", p})
	}
	for _, command := range f.commands {
		p, err := testee.StartProcess(command)
		if err != nil {
			return nil, fmt.Errorf("--testee: %w", err)
		}
		list = append(list, namedTestee{command, p})
	}
	return list, nil
}

type namedTestee struct {
	name string
	testee.Testee
}

// checkHello refuses a testee that knows nothing, as one does that lacks what it
// needs.
func checkHello(t namedTestee) (testee.Hello, error) {
	hello, err := t.Hello()
	if err != nil {
		return hello, err
	}
	if len(hello.Ops) > 0 {
		return hello, nil
	}
	why := t.Answer(&testee.Case{ID: "hello", Op: "utils.get_local_ip", In: testee.EmptyObject()}).Why
	return hello, fmt.Errorf("testee %s: found no operation that it knows: %s", strings.TrimSpace(t.name), why)
}
