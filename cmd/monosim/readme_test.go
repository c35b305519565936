package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/vectors/golden"
)

// Goal: the examples in README.md, and in the pages that it links to, do what these pages say.
// Method: run each line of their sh blocks in a directory with the files that the lines name. The
// list notRun has the exceptions, with reasons.

// readmeRoot is the folder of README.md, relative to this package.
const readmeRoot = "../.."

// pages lists README.md and the pages in code folders that it links to.
func pages(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(readmeRoot, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"README.md"}
	for _, m := range regexp.MustCompile(`\]\(([\w/]+/README\.md)\)`).FindAllSubmatch(text, -1) {
		if page := string(m[1]); !slices.Contains(list, page) {
			list = append(list, page)
		}
	}
	if len(list) < 10 {
		t.Fatalf("README links to the pages %q, want nine or more", list[1:])
	}
	return list
}

// notRun maps the beginnings of lines that this test does not run to the reason.
var notRun = map[string]string{
	"make ":                                         "it runs this test, among others",
	"MONOLITH_SRC=":                                 "it needs a checkout of the reference: make check-python",
	"monosim test features --tags":                  "1,000 seeds take minutes: TestSeedsMultiplyTheRuns has a few",
	"monosim test features --for":                   "TestATimeEndsARunWhole has a shorter time",
	"monosim test features --seeds 100":             "as --tags; TestShardsAndNamesSelect has shards",
	"monosim test features --seeds 5000":            "as above; TestJobsChangeNothing has two numbers of jobs",
	"monosim zookeeper --listen":                    "it serves until it is ended: TestZooKeeperServesAndKeepsItsState",
	"monosim zookeeper --config":                    "as above: TestZooKeeperByAZooCfg",
	"monosim zookeeper --secure-listen":             "as above: the tests of runners/zookeeper/secure",
	"monosim zookeeper --jaas":                      "as above: the tests of runners/zookeeper/jaas",
	"monosim zookeeper --import":                    "as above: TestZooKeeperImportsADirectoryOfApaches",
	"monosim zookeeper --admin-server":              "as above: TestAdminOfZooKeeper",
	"monosim zookeeper check":                       "a million operations take minutes: TestCheckOfServersThatAgree has fewer",
	"monosim explore --for":                         "it takes a minute of the clock: TestExplore has some stories",
	"monosim explore --quirks":                      "as above",
	"monosim explore --world":                       "as above",
	"monosim explore builtin:":                      "as above",
	"monosim sim --conf entry=":                     "it needs a conf for each group: TestSimOfGroups has them",
	"monosim whatif solve plan":                     "a search takes minutes: the tests of cmd/monosim/whatif solve the worked plans",
	"monosim serve cluster":                         "it serves until it is ended: TestServeKeepsACluster",
	"monosim trainer ":                              "it needs a ZooKeeper: TestScenariosOfATrainingJob of runners/test/realrun/loopback",
	"monosim test --runner agent":                   "all scenarios at the pace of the clock take a day: the tests of runners/test/agentrun have a few",
	"monosim test builtin: --tags '@v3 and":         "as above",
	"monosim test builtin:features/training --tags": "it takes minutes: make check-real",
	"monosim serve-model ":                          "as above: TestServeModelEndsInOrder",
	"monosim agent-controller ":                     "it needs a ZooKeeper: TestAModelIsDeclaredPublishedAndFound of runners/serve/programs",
	"monosim tfserving ":                            "it serves until it is ended, at a port that may be taken: the tests of runners/pytest",
	"MONOSIM_TFSERVING_FLAGS=":                      "as above",
	"monosim agent --conf":                          "it serves until it is ended, and needs a ZooKeeper: the tests of runners/serve/programs",
	"monosim agent-client --conf unified.conf":      "it asks the agent of the line above",
	"curl ": "it asks the server of the line above",
	"kill ": "it ends the server of the lines above",
}

// endsWith maps the beginnings of lines to their exit codes, where these are not 0.
var endsWith = map[string]int{
	"monosim test --check-determinism builtin:features/startup.feature --choice": command.ExitFailed, // the choice differs
}

var block = regexp.MustCompile("(?ms)^ *```(\\w+)\n(.*?)^ *```$")

// readmeBlocks returns the blocks of the pages in a language.
func readmeBlocks(t *testing.T, language string) (list []string) {
	t.Helper()
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(readmeRoot, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			if m[1] == language {
				list = append(list, m[2])
			}
		}
	}
	return list
}

func TestREADMERuns(t *testing.T) {
	if testing.Short() {
		t.Skip("some lines run all scenarios")
	}
	dir := readmeDirectory(t)
	used := map[string]bool{}
	ran := 0
	for _, b := range readmeBlocks(t, "sh") {
		for line := range strings.Lines(b) {
			line = strings.TrimSpace(line)
			if beginning := beginningOf(line, notRun); beginning != "" {
				used[beginning] = true
				continue
			}
			ran++
			t.Run(line, func(t *testing.T) { runREADME(t, dir, line) })
		}
	}
	if ran < 10 {
		t.Errorf("got %d lines that ran, want 10 or more", ran)
	}
	for beginning := range notRun {
		if !used[beginning] {
			t.Errorf("no page has a line that begins with %q", beginning)
		}
	}
}

// Goal: the pages state the true number of scenarios and of recorded cases, and the true trace.
// With -update, which `make parity` passes, the test rewrites them instead.
func TestREADMECounts(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs all scenarios")
	}
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, s := range suites {
		cases += len(s.Cases)
	}
	out, _, err := testCommand("builtin:", "--format", "progress")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	summary, counted := lines[len(lines)-1], 0
	for _, page := range pages(t) {
		path := filepath.Join(readmeRoot, page)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := countedCases.ReplaceAll(text, []byte(thousands(cases)+" golden cases"))
		want = countedScenarios.ReplaceAll(want, []byte(summary))
		counted += len(countedCases.FindAll(text, -1)) + len(countedScenarios.FindAll(text, -1))
		if sameButWall(want, text) {
			continue
		}
		if !*update {
			t.Errorf("%s counts other scenarios or cases than %q and %s golden cases: make parity", page, summary, thousands(cases))
		} else if err := wholefile.Write(path, want); err != nil {
			t.Fatal(err)
		}
	}
	if counted < 3 {
		t.Errorf("got %d numbers on the pages, want three or more", counted)
	}
}

var (
	countedCases     = regexp.MustCompile(`\d[\d,]* golden cases`)
	countedScenarios = regexp.MustCompile(`\d+ scenarios(?: of this binary)? \(.* wall, trace \w+`)
)

func sameButWall(a, b []byte) bool {
	return bytes.Equal(wall.ReplaceAll(a, nil), wall.ReplaceAll(b, nil))
}

// thousands formats a number below a million, with a comma before the last three digits.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func beginningOf[V any](line string, beginnings map[string]V) string {
	for b := range beginnings {
		if strings.HasPrefix(line, b) {
			return b
		}
	}
	return ""
}

// readmeDirectory makes a directory with the program and the files that README's lines name.
func readmeDirectory(t *testing.T) string {
	t.Helper()
	path := builtProgram(t)
	dir := t.TempDir()
	err := errors.Join(
		os.Mkdir(filepath.Join(dir, "bin"), 0o755),
		os.Symlink(path, filepath.Join(dir, "bin", "monosim")),
		os.CopyFS(filepath.Join(dir, "features"), os.DirFS("../../features")),
		os.CopyFS(filepath.Join(dir, "apache"), os.DirFS(recordedApache)),
		os.CopyFS(filepath.Join(dir, "exported"), os.DirFS("testdata/exported")),
		os.CopyFS(filepath.Join(dir, "checkpoints"), os.DirFS("testdata/checkpoints")),
		os.CopyFS(filepath.Join(dir, "runners", "train", "plans"), os.DirFS("../../runners/train/plans")),
		os.CopyFS(filepath.Join(dir, "ranker"), os.DirFS("testdata/serving/ranker")),
		os.WriteFile(filepath.Join(dir, "my-port"), []byte("#!/bin/sh\nexec monosim testee\n"), 0o755),
	)
	conf, readErr := os.ReadFile("testdata/unified.conf")
	if err := errors.Join(err, readErr, os.WriteFile(filepath.Join(dir, "agent.conf"), conf, 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// onPath returns the environment for a process that finds the program of readmeDirectory on its
// PATH.
func onPath(dir string) []string {
	return append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func runREADME(t *testing.T, dir, line string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env, cmd.Dir = onPath(dir), dir
	if strings.HasPrefix(line, "go run ") {
		cmd.Dir = readmeRoot
	}
	out, err := cmd.CombinedOutput()
	if got, want := cmd.ProcessState.ExitCode(), endsWith[beginningOf(line, endsWith)]; got != want {
		t.Errorf("got exit code %d, %v, want %d\n%s", got, err, want, out)
	}
}

// Goal: README.md shows a failure as it is really printed. Method: its scenario must equal a test
// file that fails. Each line of its output must begin a line of that test's golden output, in the
// same order.
func TestREADMEShowsAFailure(t *testing.T) {
	const name = "testdata/failures/zookeeper.down"
	scenario, err := os.ReadFile(name + ".feature")
	golden, err2 := os.ReadFile(name + ".golden")
	text, err3 := os.ReadFile(filepath.Join(readmeRoot, "README.md"))
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, append([]byte("```gherkin\n"), append(bytes.TrimSpace(scenario), "\n```"...)...)) {
		t.Errorf("README does not show %s.feature as it is", name)
	}
	_, shown, _ := strings.Cut(string(text), "```\nFAILED ")
	shown, _, _ = strings.Cut("FAILED "+shown, "```")
	printed := strings.Split(strings.ReplaceAll(string(golden), "testdata/failures/", ""), "\n")
	for line := range strings.Lines(shown) {
		line = strings.TrimSuffix(line, "\n")
		i := slices.IndexFunc(printed, func(p string) bool { return strings.HasPrefix(p, line) })
		if i < 0 {
			t.Errorf("%s.golden has no line behind the one before that begins with %q", name, line)
			continue
		}
		printed = printed[i+1:]
	}
}

// Goal: README.md begins with a picture. The picture is small, because every clone has to carry it.
func TestREADMEHasASmallPicture(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(readmeRoot, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`!\[[^]]+\]\(([^)]+\.png)\)`).FindSubmatch(text)
	if m == nil {
		t.Fatal("README has no picture")
	}
	info, err := os.Stat(filepath.Join(readmeRoot, string(m[1])))
	if err != nil || info.Size() > 200_000 {
		t.Errorf("got %v, %v, want a picture of at most 200 kB", info, err)
	}
}

// Goal: README.md and each guide stay short enough to be read in one sitting.
func TestPagesAreShort(t *testing.T) {
	for _, page := range append(pages(t), "CONTRIBUTING.md", "engine/RECIPES.md") {
		text, err := os.ReadFile(filepath.Join(readmeRoot, page))
		if err != nil {
			t.Fatal(err)
		}
		most := 1500
		if page == "README.md" {
			most = 1600
		}
		if words := len(strings.Fields(string(text))); words > most {
			t.Errorf("%s has %d words, want %d at most", page, words, most)
		}
	}
}
