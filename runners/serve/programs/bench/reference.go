package bench

import (
	"cmp"
	"os"
	"os/exec"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/pythonrun"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// ReferenceAgent returns the command of the reference's own agent. Its error says what is missing:
// the checkout named by MONOLITH_SRC, or a Python interpreter with the needed packages.
func ReferenceAgent() (func(Place) (*exec.Cmd, error), error) {
	reference, err := pythonrun.New(pythonrun.Options{})
	if err != nil {
		return nil, err
	}
	return func(p Place) (*exec.Cmd, error) {
		program, err := reference.Program(loopback.Container{
			Pod: runners.Pod{Name: "bench"}, IP: cmp.Or(p.IP, "127.0.0.1"), Dir: p.Dir, Home: p.Home, Conf: p.Conf, Env: append(os.Environ(), p.Env...), TimeScale: 1 / cmp.Or(p.Speed, 1),
		})
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(program.Args[0], append(program.Args[1:], p.Flags...)...)
		cmd.Env, cmd.Dir = program.Env, program.Dir
		return cmd, nil
	}, nil
}
