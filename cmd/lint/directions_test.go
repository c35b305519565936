package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: the packages of this repository keep to the table. The remedy for a failure is nearly
// always to move code, not to widen the table.
func TestImportsRunOneWay(t *testing.T) {
	lookAtModule(t)
	found, err := lintDirections(module + "/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// lookAtModule reads each folder of the module, so that go test notices changed files. It caches a
// result only by the files that the test process itself reads. Here the go command does the
// reading.
func lookAtModule(t *testing.T) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDirectionsAreTold(t *testing.T) {
	ours := func(rooms ...string) []string {
		for i, r := range rooms {
			rooms[i] = module + "/" + r
		}
		return rooms
	}
	for _, c := range []struct {
		name string
		pkg  listed
		want []string // the packages that may not be imported
	}{
		{"other modules are free",
			listed{ImportPath: "engine/env", Imports: []string{"fmt", "google.golang.org/grpc", module + "x/sim"}}, nil},
		{"a command runs scenarios through runners",
			listed{ImportPath: "cmd/monosim", Imports: ours("features", "features/steps", "runners", "runners/whatif", "engine/env")}, nil},
		{"a command starts a twin that is served",
			listed{ImportPath: "cmd/monosim", Imports: ours("sim/zookeeper/wire", "sim/tfserving/serve")}, nil},
		{"a command does not reach past the runners",
			listed{ImportPath: "cmd/monosim", Imports: ours("sim/world", "sim/zookeeper", "engine/vtime", "vectors")},
			[]string{"sim/world", "sim/zookeeper", "engine/vtime"}},
		{"features and vectors import nothing",
			listed{ImportPath: "vectors", Imports: ours("engine/env")}, []string{"engine/env"}},
		{"steps know the runner interface only",
			listed{ImportPath: "features/steps", Imports: ours("runners", "runners/test/simrun", "engine/env", "sim/world")},
			[]string{"runners/test/simrun", "sim/world"}},
		{"the runner interface names no runner",
			listed{ImportPath: "runners", Imports: ours("engine/env", "engine/agent", "runners/test/simrun")},
			[]string{"engine/agent", "runners/test/simrun"}},
		{"exploring runs scenarios",
			listed{ImportPath: "features/explore", Imports: ours("features/steps", "features/steps/drawn", "runners", "vectors/scope")}, nil},
		{"it knows no runner",
			listed{ImportPath: "features/explore", Imports: ours("features/steps", "runners/test/simrun", "sim/fault")}, []string{"runners/test/simrun", "sim/fault"}},
		{"other runners do not",
			listed{ImportPath: "runners/test/realrun", Imports: ours("features/steps", "runners", "sim/world", "engine/agent", "vectors")},
			[]string{"features/steps"}},
		{"the simulation does not know the testees",
			listed{ImportPath: "runners/test/simrun", Imports: ours("runners", "sim/world", "runners/diff/gotestee", "runners/diff/testee")},
			[]string{"runners/diff/gotestee", "runners/diff/testee"}},
		{"the world does not know the agents",
			listed{ImportPath: "sim/world", Imports: ours("sim/zookeeper", "engine/vtime", "engine/recipes", "engine/agent")},
			[]string{"engine/agent"}},
		{"the engine does not know the world",
			listed{ImportPath: "engine/agent", Imports: ours("engine/env", "engine/proto/tensorflow/core", "engine/recipes", "engine/pysem", "sim/zookeeper", "runners", "engine/vtime")},
			[]string{"sim/zookeeper", "runners", "engine/vtime"}},
		{"an external test package puts an agent's room into the world, a test inside it does not",
			listed{ImportPath: "engine/agent/backends", XTestImports: ours("engine/agent/backends", "engine/agent/agenttest", "sim/world/worldtest", "runners/test/simrun"),
				TestImports: ours("engine/env/envtest", "sim/world/worldtest")},
			[]string{"sim/world/worldtest", "runners/test/simrun"}},
		{"an agent's room knows no neighbour that its module does not",
			listed{ImportPath: "engine/agent/backends", Imports: ours("engine/agent/datadef", "engine/agent/agenttest", "engine/agent")},
			[]string{"engine/agent/agenttest", "engine/agent"}},
		{"training does not know the agents",
			listed{ImportPath: "engine/training", Imports: ours("engine/env", "engine/agent")}, []string{"engine/agent"}},
		{"runtimes do not know each other's users",
			listed{ImportPath: "engine/walltime", Imports: ours("engine/env", "engine/pysem/threading")}, []string{"engine/pysem/threading"}},
		{"tests of runtimes take the common suite",
			listed{ImportPath: "engine/vtime", TestImports: ours("engine/runtimetest"), XTestImports: ours("engine/vtime", "engine/runtimetest")}, nil},
		{"runtimes themselves do not",
			listed{ImportPath: "engine/vtime", Imports: ours("engine/runtimetest")}, []string{"engine/runtimetest"}},
		{"tests obey the table",
			listed{ImportPath: "engine/pysem/threading", TestImports: ours("sim/world", "engine/vtime"), XTestImports: ours("runners")},
			[]string{"sim/world", "engine/vtime", "runners"}},
		{"an example runs on virtual time, on the world or on the simulation",
			listed{ImportPath: "engine/pysem/threading", XTestImports: ours("engine/pysem/threading", "engine/vtime", "sim/world")}, []string{"sim/world"}},
		{"an example of the runner interface runs on the simulation",
			listed{ImportPath: "runners", XTestImports: ours("runners", "runners/test/simrun", "sim/world")}, []string{"sim/world"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			room := c.pkg.ImportPath
			c.pkg.ImportPath = module + "/" + room
			var got []string
			for _, d := range checkDirections(c.pkg) {
				if d.File != room || d.Rule != directionsRule {
					t.Errorf("finding of %s by %s, want %s by %s", d.File, d.Rule, room, directionsRule)
				}
				got = append(got, importedIn(d.Text))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("forbidden imports (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFindingNamesImporterImportedAndRule(t *testing.T) {
	found := checkDirections(listed{ImportPath: module + "/vectors", Imports: []string{module + "/sim"}})
	want := []finding{{File: "vectors", Rule: "directions",
		Text: "imports sim; features, vectors may import nothing of ours: features and vectors are data: any implementation may be held to them"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestANewPartNeedsADirection(t *testing.T) {
	found := checkDirections(listed{ImportPath: module + "/attic"})
	want := []finding{{File: "attic", Rule: "directions",
		Text: "no import direction covers this package: add it to the table in cmd/lint/directions.go"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

var importedPattern = regexp.MustCompile(`^(?:imports|tests import) ([^;]+);`)

// importedIn returns the path of the imported package in a finding such as "imports sim; …".
func importedIn(text string) string {
	m := importedPattern.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return m[1]
}
