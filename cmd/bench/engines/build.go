package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/monosim/monosim/engine/wholefile"
)

// peersDir is the folder with the source of the other engines' programs, relative to the root of
// the checkout.
const peersDir = "cmd/bench/engines/peers"

// builder compiles the benchmark program of each engine into the folder dir.
type builder struct {
	ctx      context.Context
	dir      string
	progress io.Writer
}

// built is an engine whose program was built.
type built struct {
	peer
	run program
}

// absent is an engine that cannot be measured on this machine, with the reason.
type absent struct {
	Engine string `json:"engine"`
	Why    string `json:"why"`
}

// all builds the engines whose names match the pattern in only. It returns the built engines in
// there. In gone it returns the engines that cannot be built, each with the reason.
func (b builder) all(only *regexp.Regexp) (there []built, gone []absent, err error) {
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, nil, err
	}
	for _, p := range peers {
		if p.name != ours && !only.MatchString(p.name) {
			continue
		}
		fmt.Fprintf(b.progress, "building %s ...\n", p.name)
		run, err := p.build(b)
		if err == nil {
			err = p.try(b.ctx, run)
		}
		switch {
		case b.ctx.Err() != nil:
			return nil, nil, b.ctx.Err()
		case err != nil && strings.HasPrefix(p.name, ours):
			return nil, nil, fmt.Errorf("%s: %w", p.name, err)
		case err != nil:
			gone = append(gone, absent{p.name, err.Error()})
		default:
			there = append(there, built{p, run})
		}
	}
	return there, gone, nil
}

// try makes a short run of each kind of work, to see whether the built program works.
func (p peer) try(ctx context.Context, run program) error {
	for _, work := range p.works {
		if _, err := once(ctx, run, key{work: work, n: 10}, 100); err != nil {
			return err
		}
	}
	return nil
}

func (b builder) path(name string) string { return filepath.Join(b.dir, name) }

// command runs one command of a build. If the command fails, the error is a single line, so that it
// fits into the table.
func (b builder) command(name string, args ...string) error { return b.commandIn(nil, name, args...) }

// commandIn runs a command as [builder.command] does, with env added to the environment.
func (b builder) commandIn(env []string, name string, args ...string) error {
	if _, err := exec.LookPath(name); err != nil {
		return fmt.Errorf("%s is not installed", name)
	}
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %s", name, firstError(output, err))
	}
	return nil
}

// firstError returns the line of a compiler's output that names the error.
func firstError(output []byte, err error) string {
	var last string
	for line := range bytes.Lines(output) {
		text := strings.TrimSpace(string(line))
		if strings.Contains(strings.ToLower(text), "error") {
			return text
		}
		if text != "" {
			last = text
		}
	}
	if last == "" {
		last = err.Error()
	}
	return last
}

// version asks pkg-config for the version of a library. It returns "?" when pkg-config does not
// know the library.
func (b builder) version(library string) string {
	output, err := exec.CommandContext(b.ctx, "pkg-config", "--modversion", library).Output()
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(string(output))
}

// copySources copies files of peers into the folder src of the builder's directory.
func (b builder) copySources(names ...string) error {
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(peersDir, name))
		if err != nil {
			return err
		}
		to := b.path(filepath.Join("src", name))
		if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, content) {
			continue // an unchanged file is left as it is, so that the compiler's cache still applies to it
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := wholefile.Write(to, content); err != nil {
			return err
		}
	}
	return nil
}

// wordsOnly keeps the letters and digits of a text, so that it can be part of a file name.
func wordsOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
