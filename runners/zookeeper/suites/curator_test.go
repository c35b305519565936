package suites_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: Curator's recipes see on ours what they see on a real server (ZK-22.13). Method: a program with two clients
// plays fourteen of them on both, and what it prints is compared. CURATOR_JARS is a folder of jars, which
// testdata/java/curator/pom.xml fetches.
func TestCuratorRecipes(t *testing.T) {
	jars := os.Getenv("CURATOR_JARS")
	if jars == "" {
		t.Skip("CURATOR_JARS names no folder with the jars of Curator")
	}
	classes, path := t.TempDir(), filepath.Join(jars, "*")
	if out, err := exec.Command("javac", "-nowarn", "-cp", path, "-d", classes, "testdata/java/curator/Recipes.java").CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	path = classes + string(filepath.ListSeparator) + path
	play := func(addr string) []string {
		out, err := command(t, os.Environ(), ".", "java", "-cp", path, "Recipes", addr).CombinedOutput()
		if err != nil {
			t.Fatalf("Recipes %s: %v\n%s", addr, err, tail(out))
		}
		return strings.Split(string(out), "\n")
	}
	const sweep = 300 * time.Millisecond
	cfg, config := diff.RealConfig(), diff.Config(zookeeper.V38)
	cfg.ContainerCheck, config.ContainerCheckIntervalMs = sweep, sweep.Milliseconds()
	s, err := wire.Listen("127.0.0.1:0", wire.Options{Config: config, Limits: wire.Limits{ConnsPerAddr: -1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want, got := play(server.ForTest(t, cfg).Addr()), play(s.Addr())
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("a real server (-) and ours (+):\n%s", d)
	}
	t.Logf("%d lines are equal", len(got))
}
