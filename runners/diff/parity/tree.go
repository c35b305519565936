package parity

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/fault"
)

// parityRooms lists the folders in which this package looks for evidence.
var parityRooms = []string{"engine", "features", "runners", "sim", "vectors"}

// sourceTree holds the evidence in the project's sources, in the order of file paths.
type sourceTree struct {
	files []goFile
	cases []caseFile
	// fileOfOp maps operations to the Python file that suites name for them.
	fileOfOp map[string]string
	// commands holds the program's commands, such as "monosim vectors verify", and the targets of
	// make.
	commands []string
}

// goFile is a Go file, with the quirks and tests that it names.
type goFile struct {
	path string
	test bool
	text string
	// quirks lists, ascending, the numbers of all quirks that the text mentions.
	quirks []int
	// carried holds what the file's tests show. It is empty for a file without tests.
	carried carried
	// upstream lists the tests that are named after a test of the reference, such as
	// TestUpstreamBackends_test_service_map.
	upstream []string
}

func readSources(sources fs.FS) (*sourceTree, error) {
	t := &sourceTree{}
	for _, room := range parityRooms {
		err := fs.WalkDir(sources, room, func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == room {
				return fs.SkipDir
			}
			if err != nil || entry.IsDir() {
				return err
			}
			return t.add(sources, name)
		})
		if err != nil {
			return nil, fmt.Errorf("sources: %w", err)
		}
	}
	if len(t.files) == 0 {
		return nil, fmt.Errorf("sources: found no Go files below %s, want the project's sources", strings.Join(parityRooms, ", "))
	}
	t.cases = slices.DeleteFunc(t.cases, func(c caseFile) bool { return !t.reads(c) })
	t.settleModules()
	return t, t.readCommands(sources)
}

// readCommands reads the files that define commands. A tree without such files has no commands.
func (t *sourceTree) readCommands(sources fs.FS) error {
	var names []string
	for _, room := range []string{commandRoom, programRoom, modelRoom} {
		files, err := fs.Glob(sources, room+"/*.go")
		if err != nil {
			return fmt.Errorf("sources: %w", err)
		}
		names = append(names, files...)
	}
	for _, name := range append(names, makefile) {
		text, err := fs.ReadFile(sources, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sources: %w", err)
		}
		t.addCommands(name, string(text))
	}
	return nil
}

func (t *sourceTree) add(sources fs.FS, name string) error {
	// The registers in vectors, this package, and examples mention quirks and modules but show
	// nothing, so they do not count.
	isGo := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".pb.go") && path.Base(name) != "example_test.go" &&
		!strings.HasPrefix(name, "vectors/") && !strings.HasPrefix(name, "runners/diff/parity/")
	if !isGo && !mayHoldCases(name) {
		return nil
	}
	text, err := fs.ReadFile(sources, name)
	if err != nil {
		return err
	}
	if isGo {
		f, err := readGoFile(name, string(text))
		t.files = append(t.files, f)
		return err
	}
	c, err := readCaseFile(name, text)
	if err != nil || c == nil {
		return err
	}
	t.cases = append(t.cases, *c)
	return nil
}

// reads reports whether some test uses a file of cases. In a testdata folder, a test beside the
// folder has to name the file. Cases in vectors always count as used.
func (t *sourceTree) reads(c caseFile) bool {
	folder, name := path.Split(c.path)
	folder, isData := strings.CutSuffix(folder, "testdata/")
	if !isData {
		return strings.HasPrefix(c.path, "vectors/")
	}
	return slices.ContainsFunc(t.files, func(f goFile) bool {
		return f.test && path.Dir(f.path)+"/" == folder && strings.Contains(f.text, name)
	})
}

var upstreamName = regexp.MustCompile(`(?m)^func (TestUpstream\w+)\(`)

func readGoFile(name, text string) (goFile, error) {
	f := goFile{path: name, test: strings.HasSuffix(name, "_test.go"), text: text, quirks: sortedOnce(quirksIn(text))}
	for _, m := range upstreamName.FindAllStringSubmatch(text, -1) {
		f.upstream = append(f.upstream, m[1])
	}
	if !f.test {
		return f, nil
	}
	var err error
	f.carried, err = carriedBy(name, text)
	return f, err
}

// sortedOnce returns a list sorted and without repetitions.
func sortedOnce[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// isFault reports whether a quoted text names a kind of fault, such as "agent.killed". Such a name
// is not an operation of a module.
func isFault(quoted string) bool {
	_, err := fault.Find(strings.Trim(quoted, `"`))
	return err == nil
}

// testsCarrying lists the files with a test that shows the quirk.
func (t *sourceTree) testsCarrying(quirk int) (paths []string) {
	return lists.Select(t.files, func(f goFile) (string, bool) { return f.path, slices.Contains(f.carried.quirks, quirk) })
}

// hasTest reports whether there is a test of that name that asserts something.
func (t *sourceTree) hasTest(name string) bool {
	return slices.ContainsFunc(t.files, func(f goFile) bool { return slices.Contains(f.carried.tests, name) })
}

// showsBothWays reports whether some test shows a quirk with its fault and repaired.
func (t *sourceTree) showsBothWays(quirk int) bool {
	return slices.ContainsFunc(t.files, func(f goFile) bool { return slices.Contains(f.carried.bothWays, quirk) })
}

// unknownQuirks lists the mentioned quirks that the register does not know, each with a file that
// mentions it. It leaves out numbers above the highest, because tests use such numbers to check
// that they are refused.
func (t *sourceTree) unknownQuirks(known func(number int) bool) (list []string) {
	for _, f := range t.files {
		for _, n := range f.quirks {
			if !known(n) && n <= quirks.Max {
				list = append(list, fmt.Sprintf("Q%d in %s", n, f.path))
			}
		}
	}
	return list
}

// testsOf lists the test files that show a module, one of its operations, or one of the given
// quirks. It also lists tests of the Go files in port, by their names, and files with one of the
// tests in upstream.
func (t *sourceTree) testsOf(file string, port []string, quirks []int, upstream []string) (paths []string) {
	for _, f := range t.files {
		if !f.test {
			continue
		}
		named := slices.Contains(f.carried.modules, file) || slices.ContainsFunc(f.carried.ops, func(op string) bool { return t.isOf(op, file) })
		beside := slices.Contains(port, strings.TrimSuffix(f.path, "_test.go")+".go")
		ofQuirk := slices.ContainsFunc(f.carried.quirks, func(q int) bool { return slices.Contains(quirks, q) })
		ported := slices.ContainsFunc(upstream, func(name string) bool { return slices.Contains(f.carried.tests, name) })
		if named || beside || ofQuirk || ported {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// isOf reports whether an operation belongs to a Python file. If a suite names a file for the
// operation, only that file counts. Otherwise it is the file in agent_service that the operation's
// first word names.
func (t *sourceTree) isOf(op, file string) bool {
	if recorded := t.fileOfOp[op]; recorded != "" {
		return recorded == file
	}
	module, _, _ := strings.Cut(op, ".")
	return module+".py" == file
}

// upstreamOf lists the Go tests that are named after tests of a Python file, such as
// TestUpstreamAgentV3_test_service_info for agent_v3_test.py.
func (t *sourceTree) upstreamOf(testFile string) (names []string) {
	subject := strings.ReplaceAll(strings.TrimSuffix(testFile, "_test.py"), "_", "")
	for _, f := range t.files {
		for _, name := range f.upstream {
			class, _, _ := strings.Cut(strings.TrimPrefix(name, "TestUpstream"), "_")
			if strings.EqualFold(class, subject) {
				names = append(names, name)
			}
		}
	}
	return names
}
