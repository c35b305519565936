package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is what sort of thing notices a mutant. The order is that of asking.
type kind string

const (
	byVectors   kind = "vectors"
	byScenarios kind = "scenarios"
	byTests     kind = "tests"
)

var kinds = []kind{byVectors, byScenarios, byTests}

// part is something that can be run alone: a suite of vectors, a feature, a test.
type part struct {
	kind    kind
	name    string
	program []string // without what narrows it down
	only    string   // argument that narrows the program down to the part
	folder  string
	// What the part takes without a mutant.
	cpu, wall time.Duration
	reaches   map[int]bool // the numbers of the mutants
}

// command runs the part, or several of one program when others are given.
func (p *part) command(others ...*part) []string {
	if p.kind != byTests {
		return append(slices.Clone(p.program), p.only)
	}
	names := []string{p.only}
	for _, o := range others {
		names = append(names, o.only)
	}
	return append(slices.Clone(p.program), "-test.run=^("+strings.Join(names, "|")+")$")
}

// build builds all programs with the mutants in them, and lists their parts.
func (s *schemata) build(ctx context.Context) ([]*part, error) {
	binary, tests := filepath.Join(s.dir, "monosim"), filepath.Join(s.dir, "tests")
	output, err := s.goCommand(ctx, "build", "-o", binary, "./cmd/monosim")
	if err == nil {
		output, err = s.goCommand(ctx, "test", "-c", "-vet=off", "-o", tests+string(filepath.Separator), mutated)
	}
	if err != nil {
		return nil, fmt.Errorf("build with mutants: %w\n%s", err, output)
	}
	vectors, err := s.files("vectors/golden/*.json", func(name string) *part {
		suite := strings.TrimSuffix(filepath.Base(name), ".json")
		return &part{kind: byVectors, name: suite, program: []string{binary, "vectors", "verify"}, only: "--suite=" + suite}
	})
	scenarios, err2 := s.files("features/*.feature", func(name string) *part {
		return &part{kind: byScenarios, name: name, program: []string{binary, "test", "--fail-fast", "--explain=0"}, only: name}
	})
	inTests, err3 := s.tests(ctx, tests)
	return slices.Concat(vectors, scenarios, inTests), errors.Join(err, err2, err3)
}

// files makes a part for each file that matches, but for the manifest of the vectors.
func (s *schemata) files(pattern string, of func(name string) *part) ([]*part, error) {
	names, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(pattern)))
	var parts []*part
	for _, name := range names {
		if filepath.Base(name) == "manifest.json" {
			continue
		}
		name, _ = filepath.Rel(s.root, name)
		p := of(filepath.ToSlash(name))
		p.folder = s.root
		parts = append(parts, p)
	}
	return parts, err
}

// tests lists the tests and examples of each test binary.
func (s *schemata) tests(ctx context.Context, folder string) ([]*part, error) {
	var parts []*part
	for _, pkg := range s.packages {
		binary := filepath.Join(folder, filepath.Base(pkg.PkgPath)+".test")
		if _, err := os.Stat(binary); err != nil {
			continue // without tests
		}
		output, err := exec.CommandContext(ctx, binary, "-test.list=.").Output()
		if err != nil {
			return nil, fmt.Errorf("%s -test.list: %w", filepath.Base(binary), err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
			name := lines.Text()
			if strings.HasPrefix(name, "Benchmark") {
				continue
			}
			parts = append(parts, &part{kind: byTests, name: strings.TrimPrefix(pkg.PkgPath, modulePath+"/") + "." + name,
				program: []string{binary, "-test.failfast"}, only: name, folder: pkg.Dir})
		}
	}
	return parts, nil
}

// explore runs every part without a mutant and notes which ones it reaches.
func (s *schemata) explore(ctx context.Context, parts []*part, step func()) error {
	return inParallel(ctx, len(parts), func(i int) error {
		defer step()
		p := parts[i]
		reached := filepath.Join(s.dir, "reached."+strconv.Itoa(i))
		begun := time.Now()
		cmd := exec.CommandContext(ctx, p.command()[0], p.command()[1:]...)
		cmd.Dir = p.folder
		cmd.Env = append(os.Environ(), "MUTANTS_REACHED="+reached)
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s fails without any mutant: %w\n%s", p.kind, p.name, err, output)
		}
		p.wall = time.Since(begun)
		p.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		numbers, err := os.ReadFile(reached)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		p.reaches = map[int]bool{}
		for ; len(numbers) >= 4; numbers = numbers[4:] {
			p.reaches[int(binary.LittleEndian.Uint32(numbers))] = true
		}
		return os.RemoveAll(reached)
	})
}
