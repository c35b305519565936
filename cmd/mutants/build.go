package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/monosim/monosim/engine/lists"
)

const (
	modulePath = "github.com/monosim/monosim"
	// switchPath is the import path of the package that switches mutants on. The package exists
	// only in the overlay of the build.
	switchPath = modulePath + "/engine/switches"
	switchFile = "engine/switches/switch.go"
)

// side is one of the two parts of the engine, agents or training. A run mutates only one of them.
type side struct {
	// mutated is the folder whose packages are mutated and whose tests run. users is another
	// package, whose tests reach code that only it uses.
	mutated, users string
	// without lists packages that are not mutated: test helpers, whose faults are not the engine's,
	// and code that is ported from another reference.
	without []string
}

var sides = []side{
	{mutated: "engine/agent", users: "runners/whatif", without: []string{"engine/agent/agenttest", "engine/agent/tfs/tfstest"}},
	{mutated: "engine/training", users: "runners/train", without: []string{"engine/training/rustport", "engine/training/session/sessiontest"}},
}

// sideOf returns the side that all the places are in. Without places it returns the agents.
func sideOf(places []string) (side, error) {
	found := sides[0]
	for i, place := range places {
		n := slices.IndexFunc(sides, func(s side) bool { return within(place, s.mutated) })
		if n < 0 || i > 0 && sides[n].mutated != found.mutated {
			return side{}, fmt.Errorf("found %s, want places in one of %s and %s", place, sides[0].mutated, sides[1].mutated)
		}
		found = sides[n]
	}
	return found, nil
}

// within reports whether a path is a folder or in it.
func within(place, folder string) bool {
	return place == folder || strings.HasPrefix(place, folder+"/")
}

//go:embed switches.txt
var switchSource []byte

// source is one file to be instrumented, and its instrumented text after the last build attempt.
type source struct {
	*rewrite
	written      string // path of the instrumented file
	instrumented string
	spans        []span
}

// schemata holds the packages to mutate. They are instrumented with all mutants at once, and an
// environment variable selects the mutant of a run.
type schemata struct {
	side
	root    string // of the module
	dir     string // directory in which everything is built
	found   *catalogue
	sources map[string]*source // by path
	// packages holds the mutated packages.
	packages []*packages.Package
}

// instrument finds all mutants and writes a switch for each of them into copies of the sources.
func instrument(of side, root, dir string) (*schemata, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: root}, "./"+of.mutated+"/...")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(pkgs) > 0 {
		return nil, fmt.Errorf("%s does not compile", of.mutated)
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return slices.ContainsFunc(of.without, func(folder string) bool { return within(strings.TrimPrefix(p.PkgPath, modulePath+"/"), folder) })
	})
	s := &schemata{side: of, root: root, dir: dir, found: newCatalogue(), sources: map[string]*source{}, packages: pkgs}
	if err := s.read(pkgs); err != nil {
		return nil, err
	}
	return s, s.compile()
}

// paths returns the import paths of the mutated packages.
func (s *schemata) paths() []string {
	return lists.Map(s.packages, func(p *packages.Package) string { return p.PkgPath })
}

// read finds the mutants of all files. It first collects the declared constants, because other
// packages may use them.
func (s *schemata) read(pkgs []*packages.Package) error {
	each := func(do func(p *packages.Package, tree *ast.File, path, name string) error) error {
		for _, p := range pkgs {
			for i, tree := range p.Syntax {
				path := p.CompiledGoFiles[i]
				name, err := filepath.Rel(s.root, path)
				if err != nil {
					return err
				}
				if err := do(p, tree, path, filepath.ToSlash(name)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return errors.Join(each(func(p *packages.Package, tree *ast.File, _, name string) error {
		s.found.declare(p, tree, name)
		return nil
	}), each(func(p *packages.Package, tree *ast.File, path, name string) error {
		text, err := os.ReadFile(path)
		s.sources[path] = &source{rewrite: s.found.findIn(p, tree, name, text)}
		return err
	}))
}

// rounds is how often compile builds again after it has removed mutants that do not compile. The
// compile error of one mutant seldom hides another, so a few rounds find all.
const rounds = 12

// compile builds the instrumented sources, and removes mutants that do not compile, until the build
// succeeds.
func (s *schemata) compile() error {
	for range rounds {
		if err := s.writeOverlay(); err != nil {
			return err
		}
		output, err := s.goCommand(context.Background(), "build", slices.Concat([]string{"-gcflags=-e"}, s.paths())...)
		if err == nil {
			return nil
		}
		if !s.refuse(output) {
			return fmt.Errorf("instrumented packages do not compile: %w\n%s", err, output)
		}
	}
	return fmt.Errorf("instrumented packages do not compile after %d rounds", rounds)
}

// writeOverlay writes the instrumented files, and the overlay file that makes go use them in place
// of the originals.
func (s *schemata) writeOverlay() error {
	replace := map[string]string{}
	write := func(path string, text []byte) (string, error) {
		to := filepath.Join(s.dir, "src", strings.ReplaceAll(strings.TrimPrefix(path, s.root), string(filepath.Separator), "_"))
		replace[path] = to
		return to, os.WriteFile(to, text, 0o644)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "src"), 0o755); err != nil {
		return err
	}
	_, err := write(filepath.Join(s.root, filepath.FromSlash(switchFile)), switchSource)
	errs := []error{err}
	for path, source := range s.sources {
		source.instrumented, source.spans = source.apply(s.found.refused)
		source.written, err = write(path, []byte(source.instrumented))
		errs = append(errs, err)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	return errors.Join(append(errs, err, os.WriteFile(s.overlay(), list, 0o644))...)
}

func (s *schemata) overlay() string { return filepath.Join(s.dir, "overlay.json") }

// goCommand runs go with the overlay, and returns all its output.
func (s *schemata) goCommand(ctx context.Context, verb string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{verb, "-overlay", s.overlay()}, args...)...)
	cmd.Dir = s.root
	output, err := cmd.CombinedOutput()
	return string(output), err
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(\d+): (.*)$`)

// refuse removes the switches of the mutants that the compiler reports errors for. It returns
// whether there were any.
func (s *schemata) refuse(output string) bool {
	any := false
	for _, m := range compileError.FindAllStringSubmatch(output, -1) {
		file := s.writtenAs(m[1])
		if file == nil {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if id := file.at(line, column); id != 0 && !s.found.refused[id] {
			s.found.refused[id] = true
			any = true
		}
	}
	return any
}

// writtenAs returns the source whose instrumented file a compiler error names by its path, or nil.
func (s *schemata) writtenAs(path string) *source {
	for _, file := range s.sources {
		if filepath.Base(file.written) == filepath.Base(path) {
			return file
		}
	}
	return nil
}

// at returns the number of the innermost mutant at a line and column of the instrumented text.
func (f *source) at(line, column int) int {
	offset := 0
	for range line - 1 {
		offset += strings.IndexByte(f.instrumented[offset:], '\n') + 1
	}
	offset += column - 1
	innermost, length := 0, len(f.instrumented)+1
	for _, s := range f.spans {
		if s.from <= offset && offset < s.to && s.to-s.from < length {
			innermost, length = s.id, s.to-s.from
		}
	}
	return innermost
}
