package suites_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: ZooKeeper's shell shows on the simulated server what it shows on a real one
// (ZK-12.5, ZK-17.5, ZK-22.4). Method: the shell runs one script on both servers. Both start empty,
// so that even zxids are equal.
func TestShell(t *testing.T) {
	real := server.ForTest(t, diff.RealConfig())
	ours, err := diff.ServeMachine(zookeeper.V38)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	want := shell(t, real.Addr())
	got := shell(t, ours.Addr())
	if diff := cmp.Diff(want.lines, got.lines); diff != "" {
		t.Errorf("what the shell prints (-real +simulated):\n%s", diff)
	}
	if diff := cmp.Diff(want.events, got.events); diff != "" {
		t.Errorf("events (-real +simulated):\n%s", diff)
	}
	t.Logf("%d lines and %d events", len(want.lines), len(want.events))
	// The outputs would be equal also if the shell had failed early on both servers. These lines
	// show that it ran the script.
	for _, line := range []string{"Created /a/es-0000000002", "numChildren = 4", "digest: u"} {
		if !slices.Contains(want.lines, line) {
			t.Errorf("the real server's shell does not print %q", line)
		}
	}
	if len(want.events) < 8 {
		t.Errorf("the real server's shell prints events %q, want more", want.events)
	}
}

// printed is a shell's output. A separate thread prints the watch events, so only the order of
// events among themselves is meaningful.
type printed struct{ lines, events []string }

// shell runs testdata/shell.txt in ZooKeeper's shell on the server at addr.
func shell(t *testing.T, addr string) (p printed) {
	t.Helper()
	script, err := os.Open("testdata/shell.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "java", "-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-nop.jar",
		"org.apache.zookeeper.ZooKeeperMain", "-server", addr)
	cmd.Stdin = script
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line == "WATCHER::", strings.Contains(line, addr):
		case strings.HasPrefix(line, "WatchedEvent state:Closed"): // missing if the shell ends before it prints it
		case strings.HasPrefix(line, "WatchedEvent "):
			p.events = append(p.events, line)
		default:
			p.lines = append(p.lines, alike(line))
		}
	}
	return p
}

var (
	timeLine  = regexp.MustCompile(`^([cm]time = )\w{3} .*\d{4}$`)
	ownerLine = regexp.MustCompile(`^(ephemeralOwner = 0x)[1-9a-f][0-9a-f]*$`)
)

// alike replaces the parts of a line that differ between any two servers, such as times and
// session ids.
func alike(line string) string {
	line = timeLine.ReplaceAllString(line, "${1}TIME")
	line = ownerLine.ReplaceAllString(line, "${1}SESSION")
	// The server lists ephemerals in no defined order.
	if list, ok := strings.CutPrefix(line, "["); ok && strings.HasSuffix(list, "]") {
		names := strings.Split(strings.TrimSuffix(list, "]"), ", ")
		slices.Sort(names)
		line = fmt.Sprint(names)
	}
	return line
}
