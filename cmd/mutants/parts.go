package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/explore"
	"github.com/monosim/monosim/vectors/golden"
)

// kind is the kind of a part: vectors, scenarios or tests. Kinds are tried in this order.
type kind string

const (
	byVectors   kind = "vectors"
	byScenarios kind = "scenarios"
	byTests     kind = "tests"
	byStories   kind = "stories"
)

// stories is how many stories of each explored world are run with a mutant that no other part has
// noticed.
const stories = 60

// part is something that can be run alone: an operation of the vectors, a feature, a test, an explored world.
type part struct {
	kind    kind
	name    string
	program []string // command line, without the argument that selects the part
	alone   string   // the argument that selects only this part
	among   string   // the argument that selects this part among several
	folder  string
	// cpu and wall are the times that the part takes without a mutant.
	cpu, wall time.Duration
	// reaches holds the numbers of the mutants that this part can notice: it runs the mutant's
	// place, and the mutant would change a value there.
	reaches map[int]bool
}

// command returns the command that runs parts of one program.
func command(parts []*part) []string {
	program := slices.Clone(parts[0].program)
	if parts[0].kind == byTests {
		names := lists.MapOrNil(parts, func(p *part) string { return p.among })
		return append(program, "-test.run=^("+strings.Join(names, "|")+")$")
	}
	if len(parts) == 1 {
		return append(program, parts[0].alone)
	}
	program = append(program, lists.Map(parts, func(p *part) string { return p.among })...)
	return program
}

// build builds all programs with the mutants in them, and lists their parts.
func (s *schemata) build(ctx context.Context) ([]*part, error) {
	binary, tests := filepath.Join(s.dir, "monosim"), filepath.Join(s.dir, "tests")
	output, err := s.goCommand(ctx, "build", "-o", binary, "./cmd/monosim")
	if err == nil {
		output, err = s.goCommand(ctx, "test", slices.Concat([]string{"-c", "-vet=off", "-o", tests + string(filepath.Separator), "./" + s.users}, s.paths())...)
	}
	if err != nil {
		return nil, fmt.Errorf("build with mutants: %w\n%s", err, output)
	}
	vectors, err := s.vectors([]string{binary, "vectors", "verify"})
	scenarios, err2 := s.scenarios([]string{binary, "test", "builtin:", "--fail-fast", "--explain=0"})
	inTests, err3 := s.tests(ctx, tests)
	explored := worlds([]string{binary, "explore", "--quirks", "fixed", "--fail-fast", "--jobs=1", "--seeds=" + strconv.Itoa(stories)})
	return slices.Concat(vectors, scenarios, inTests, explored), errors.Join(err, err2, err3)
}

// worlds makes a part for each explored world. Its stories run with all faults of the reference
// repaired. Without a mutant they then break an invariant only for a known cause.
func worlds(program []string) []*part {
	return lists.Map(explore.Worlds(), func(w *explore.World) *part {
		return &part{kind: byStories, name: w.Name, program: program, alone: "--world=" + w.Name, among: "--world=" + w.Name}
	})
}

// vectors makes a part for each operation of the golden cases. A part reads a directory with only
// its own cases, because reading all cases takes longer than answering most of them.
func (s *schemata) vectors(program []string) ([]*part, error) {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		return nil, err
	}
	var parts []*part
	for _, suite := range suites {
		byOp := map[string][]golden.Case{}
		for _, c := range suite.Cases {
			byOp[c.Op] = append(byOp[c.Op], c)
		}
		for _, op := range slices.Sorted(maps.Keys(byOp)) {
			folder := filepath.Join(s.dir, "vectors", op)
			one := *suite
			one.Cases = byOp[op]
			text, err := json.Marshal(one)
			err = errors.Join(err, os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, suite.Name+".json"), text, 0o644))
			if err != nil {
				return nil, err
			}
			parts = append(parts, &part{kind: byVectors, name: op, program: program, alone: "--dir=" + folder, among: "--suite=" + op, folder: s.root})
		}
	}
	return parts, nil
}

// scenarios makes a part for each feature.
func (s *schemata) scenarios(program []string) ([]*part, error) {
	names, err := filepath.Glob(filepath.Join(s.root, "features", "*.feature"))
	var parts []*part
	for _, name := range names {
		name = "features/" + filepath.Base(name)
		parts = append(parts, &part{kind: byScenarios, name: name, program: program, alone: name, among: name, folder: s.root})
	}
	return parts, err
}

// tests lists the tests and examples of each test binary.
func (s *schemata) tests(ctx context.Context, folder string) ([]*part, error) {
	var parts []*part
	folders := map[string]string{modulePath + "/" + s.users: filepath.Join(s.root, filepath.FromSlash(s.users))}
	for _, pkg := range s.packages {
		folders[pkg.PkgPath] = pkg.Dir
	}
	for _, pkg := range slices.Sorted(maps.Keys(folders)) {
		binary := filepath.Join(folder, path.Base(pkg)+".test")
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
			parts = append(parts, &part{kind: byTests, name: strings.TrimPrefix(pkg, modulePath+"/") + "." + name,
				program: []string{binary, "-test.failfast"}, among: name, folder: folders[pkg]})
		}
	}
	return parts, nil
}

// explore runs every part without a mutant, and records which mutants the part reaches.
func (s *schemata) explore(ctx context.Context, parts []*part, step func()) error {
	return inParallel(ctx, len(parts), func(i int) error {
		defer step()
		p := parts[i]
		reached := filepath.Join(s.dir, "reached."+strconv.Itoa(i))
		begun := time.Now()
		args := command(parts[i : i+1])
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
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
