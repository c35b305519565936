// Command determinism runs monosim's scenarios in ways that must make no difference and compares
// what came out: other processes, other schedulers, other garbage collection, the race detector, a
// thousand seeds twice.
//
//	go run ./cmd/determinism                 build both binaries and run every variant
//	go run ./cmd/determinism -race=false     without the race detector's build
//
// It prints one line for each variant (its name, the trace hash, ok or what differs) and exits
// with 0 when all agree, 1 when one differs or fails, and 2 when nothing could be run. Two runs
// agree when their closing lines do, apart from the wall time.
//
// Two things to read first: [groups] lists the variants, and [parseResult] reads the closing line
// of `monosim test`. To change
//   - which variants run look in variants.go,
//   - what a closing line must hold, in result.go,
//   - how variants are compared and reported, in compare.go.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// Exit codes of the command.
const (
	exitSame   = 0
	exitDiffer = 1
	exitNoRun  = 2
)

func main() {
	race := flag.Bool("race", true, "also run a binary built with -race")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := buildAndCompare(ctx, *race, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "determinism:", err)
	}
	os.Exit(code)
}

// buildAndCompare builds monosim from the module in the working directory, and compares its runs.
// With race it also builds and runs a binary with the race detector.
func buildAndCompare(ctx context.Context, race bool, out io.Writer) (int, error) {
	dir, err := os.MkdirTemp("", "determinism")
	if err != nil {
		return exitNoRun, err
	}
	defer os.RemoveAll(dir)
	b := binaries{plain: filepath.Join(dir, "monosim")}
	if err := build(ctx, b.plain); err != nil {
		return exitNoRun, err
	}
	if race {
		b.race = filepath.Join(dir, "monosim-race")
		if err := build(ctx, b.race, "-race"); err != nil {
			return exitNoRun, err
		}
	}
	return compare(ctx, groups(b), runCommand, out), nil
}

func build(ctx context.Context, binary string, flags ...string) error {
	args := append([]string{"build", "-o", binary}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/monosim")...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, output)
	}
	return nil
}

// runCommand returns what the variant's command printed on stdout. If the command fails, the error
// includes the end of stderr.
func runCommand(ctx context.Context, v variant) (string, error) {
	cmd := exec.CommandContext(ctx, v.command[0], v.command[1:]...)
	cmd.Env = append(os.Environ(), v.env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%w: %s", err, tail(stderr.String(), stdout.String()))
	}
	return stdout.String(), nil
}

// tailLines is how many lines of a failed command's output its error shows.
const tailLines = 5

// tail returns the last lines of the first non-empty text.
func tail(texts ...string) string {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		lines := strings.Split(text, "\n")
		return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	}
	return "it printed nothing"
}
