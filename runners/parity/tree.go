package parity

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/fault"
)

// parityRooms are the folders in which parity looks for what shows something.
var parityRooms = []string{"engine", "features", "runners", "sim", "vectors"}

// sourceTree is what the sources say, in the order of their paths.
type sourceTree struct {
	files []goFile
	cases []caseFile
}

// goFile is a Go file and what it names.
type goFile struct {
	path string
	test bool
	text string
	// quirks are numbers, ascending; modules are Python files of the reference.
	quirks  []int
	modules []string
	// upstream are tests named after one of the reference's, as
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
	return t, nil
}

func (t *sourceTree) add(sources fs.FS, name string) error {
	// What stands in vectors and here names quirks and modules and shows none, nor does
	// an example of how a package is used.
	isGo := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".pb.go") && path.Base(name) != "example_test.go" &&
		!strings.HasPrefix(name, "vectors/") && !strings.HasPrefix(name, "runners/parity/")
	if !isGo && !mayHoldCases(name) {
		return nil
	}
	text, err := fs.ReadFile(sources, name)
	if err != nil {
		return err
	}
	if isGo {
		t.files = append(t.files, readGoFile(name, string(text)))
		return nil
	}
	c, err := readCaseFile(name, text)
	if err != nil || c == nil {
		return err
	}
	t.cases = append(t.cases, *c)
	return nil
}

// reads reports whether a test beside testdata names the file of cases. Those of
// vectors are for everybody.
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

var (
	quirkChoice  = regexp.MustCompile(`-?Q\d+(?:,+-?Q\d+)+`)
	quirkName    = regexp.MustCompile(`(?:\b|Test)Q(\d{1,3})(?:\b|_)`)
	moduleName   = regexp.MustCompile(`\b(\w+\.py)\b`)
	moduleOp     = regexp.MustCompile(`"(\w+)\.(\w+)[\w.]*"`)
	upstreamName = regexp.MustCompile(`(?m)^func (TestUpstream\w+)\(`)
)

// fileEndings tell the name of a file, as "agent.conf", from an operation.
var fileEndings = []string{"conf", "cfg", "feature", "go", "json", "jsonl", "log", "md", "pb", "proto", "py", "txt", "xml", "yaml"}

func readGoFile(name, text string) goFile {
	f := goFile{path: name, test: strings.HasSuffix(name, "_test.go"), text: text}
	// A list as Q22,Q117 or -Q22,-Q117 chooses quirks and says nothing about them.
	for _, m := range quirkName.FindAllStringSubmatch(quirkChoice.ReplaceAllString(text, ""), -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			f.quirks = append(f.quirks, n)
		}
	}
	for _, m := range moduleName.FindAllStringSubmatch(text, -1) {
		f.modules = append(f.modules, m[1])
	}
	for _, m := range moduleOp.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(fileEndings, m[2]) && !isFault(m[0]) {
			f.modules = append(f.modules, m[1]+".py")
		}
	}
	for _, m := range upstreamName.FindAllStringSubmatch(text, -1) {
		f.upstream = append(f.upstream, m[1])
	}
	slices.Sort(f.quirks)
	f.quirks = slices.Compact(f.quirks)
	slices.Sort(f.modules)
	f.modules = slices.Compact(f.modules)
	return f
}

// isFault reports whether a text in quotes names a kind of fault, as "agent.killed" does:
// that is no operation of a module.
func isFault(quoted string) bool {
	_, err := fault.Find(strings.Trim(quoted, `"`))
	return err == nil
}

// naming lists the files that name the quirk: tests, or code.
func (t *sourceTree) naming(quirk int, tests bool) (paths []string) {
	for _, f := range t.files {
		if _, named := slices.BinarySearch(f.quirks, quirk); named && f.test == tests {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// unknownQuirks lists the numbers beyond the register with a file that names them.
func (t *sourceTree) unknownQuirks(known int) (list []string) {
	for _, f := range t.files {
		for _, n := range f.quirks {
			if n > known && n <= maxQuirk {
				list = append(list, fmt.Sprintf("Q%d in %s", n, f.path))
			}
		}
	}
	return list
}

// maxQuirk is the highest number that the engine's sets of quirks hold; tests name
// higher ones to be refused.
const maxQuirk = 255

// testsOf lists the tests that name the module or its operations, or are named
// after one of the files that port it.
func (t *sourceTree) testsOf(file string, port []string) (paths []string) {
	for _, f := range t.files {
		if !f.test {
			continue
		}
		_, named := slices.BinarySearch(f.modules, file)
		beside := slices.Contains(port, strings.TrimSuffix(f.path, "_test.go")+".go")
		if named || beside {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// upstreamOf lists the tests that carry the name of a test of the Python file,
// as TestUpstreamAgentV3_test_service_info does for agent_v3_test.py.
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

// portText is the text of the files that port a module; folders do not count.
func (t *sourceTree) portText(port []string) string {
	var b strings.Builder
	for _, f := range t.files {
		if slices.Contains(port, f.path) {
			b.WriteString(f.text)
		}
	}
	return b.String()
}
