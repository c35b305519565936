package loopback

import (
	"fmt"
	"os/exec"
	"syscall"

	"github.com/monosim/monosim/runners"
)

// Windows has no such signals.
const stopSignal, goOnSignal = syscall.Signal(-1), syscall.Signal(-2)

func lead(*exec.Cmd)                 {}
func stayAlive(*exec.Cmd)            {}
func killGroup(int)                  {}
func send(int, syscall.Signal) error { return supportedHere() }
func exitCode(cmd *exec.Cmd) int     { return cmd.ProcessState.ExitCode() }

// supportedHere returns ErrUnsupported, because Windows has no process groups.
func supportedHere() error {
	return fmt.Errorf("clusters of processes want Linux: %w", runners.ErrUnsupported)
}

func makePipe(string) error { return supportedHere() }
