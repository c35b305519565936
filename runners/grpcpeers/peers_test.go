package grpcpeers_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/grpcpeers"
)

var record = flag.Bool("grpcpeers.record", false, "write the answers of the bare server to testdata")

const recording = "testdata/core.txt"

// TestAnswersAreTheCores: Goal: our server gives the same answers in every conversation as the bare
// server on C-core. Method: it compares with the recorded answers.
func TestAnswersAreTheCores(t *testing.T) {
	compare(t, serveOwn, recorded(t))
}

// Goal: the model server's specification counts the conversations that are compared (TFS-20.6).
func TestConversationsAreCounted(t *testing.T) {
	compared := 0
	for _, p := range grpcpeers.Probes() {
		if p.Known() == "" {
			compared++
		}
	}
	text, err := os.ReadFile("../../sim/tfserving/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d conversations with a bare server", compared); !strings.Contains(string(text), want) {
		t.Errorf("SPEC.md does not say %q", want)
	}
}

// TestSideBySide: Goal: our server and the running bare server on C-core give the same answers, and
// the recording still holds what the bare server answers.
func TestSideBySide(t *testing.T) {
	answers := ask(t, serveCore)
	if *record {
		write(t, answers)
	}
	known := recorded(t)
	for _, p := range grpcpeers.Probes() {
		// A busy C-core may see a client's pings before it has sent what forgives them, so it is asked again.
		for again := 0; again < 4 && p.Known() == "" && known[p.Name] != answers[p.Name]; again++ {
			if forgave(known[p.Name], answers[p.Name]) {
				answers[p.Name] = known[p.Name]
				break
			}
			t.Logf("%s: asked again", p.Name)
			answers[p.Name] = answer(t, p, serveCore(t, p.Arguments))
		}
		if diff := cmp.Diff(known[p.Name], answers[p.Name]); diff != "" && p.Known() == "" {
			t.Errorf("%s: recorded (-) and answered by C-core (+); make check-grpc RECORD=1 records anew:\n%s", p.Name, diff)
		}
	}
	compare(t, serveOwn, answers)
}

// forgave reports whether C-core answered as it is recorded, but for pings that it forgave. A busy C-core
// answers one or two more before it sends GOAWAY, by chance, and never fewer.
func forgave(recorded, live string) bool {
	const text = " pings answered"
	count := func(s string) (rest string, n int) {
		i := strings.LastIndex(s, "\n") + 1
		n, err := strconv.Atoi(strings.TrimSuffix(s[i:], text))
		if err != nil {
			return s, 0
		}
		return s[:i], n
	}
	rest, least := count(recorded)
	same, n := count(live)
	return same == rest && n > least && strings.Contains(rest, "too_many_pings")
}

// Goal: only more answered pings before a GOAWAY for too many of them are forgiven.
func TestForgave(t *testing.T) {
	const end = "goaway last=0 ENHANCE_YOUR_CALM \"too_many_pings\"\nclosed\n"
	for _, c := range []struct {
		recorded, live string
		want           bool
	}{
		{end + "7 pings answered", end + "9 pings answered", true},
		{end + "7 pings answered", end + "6 pings answered", false},
		{end + "7 pings answered", "closed\n9 pings answered", false},
		{"7 pings answered", "9 pings answered", false},
		{end, end, false},
	} {
		if got := forgave(c.recorded, c.live); got != c.want {
			t.Errorf("%q, %q: got %v, want %v", c.recorded, c.live, got, c.want)
		}
	}
}

// serve starts a server with channel arguments.
type serve func(t *testing.T, arguments string) (addr string)

// compare asks servers and compares their answers with C-core's.
func compare(t *testing.T, s serve, want map[string]string) {
	t.Helper()
	got, compared := ask(t, s), 0
	for _, p := range grpcpeers.Probes() {
		if _, ok := want[p.Name]; !ok {
			t.Errorf("%s: no answer of C-core is recorded; make check-grpc RECORD=1 records it", p.Name)
			continue
		}
		if p.Known() != "" {
			continue
		}
		compared++
		if diff := cmp.Diff(want[p.Name], got[p.Name]); diff != "" {
			t.Errorf("%s: answers of C-core (-) and of ours (+):\n%s", p.Name, diff)
		}
	}
	const least = 60
	if compared < least {
		t.Errorf("%d conversations were compared, want at least %d", compared, least)
	}
	t.Logf("%d conversations compared, %d have known differences", compared, len(got)-compared)
}

// ask has all conversations, several at once, and returns the answers by name. Those that ask for the same
// arguments share a server, unless they end it.
func ask(t *testing.T, s serve) map[string]string {
	t.Helper()
	const atOnce = 16
	addrs := map[string]string{}
	answers, room := map[string]string{}, make(chan bool, atOnce)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, p := range grpcpeers.Probes() {
		addr, shared := addrs[p.Arguments]
		if !shared || p.Ends {
			addr = s(t, p.Arguments)
		}
		if !p.Ends {
			addrs[p.Arguments] = addr
		}
		room <- true
		wg.Go(func() {
			defer func() { <-room }()
			got := answer(t, p, addr)
			mu.Lock()
			defer mu.Unlock()
			answers[p.Name] = got
		})
	}
	wg.Wait()
	return answers
}

func answer(t *testing.T, p grpcpeers.Probe, addr string) string {
	lines, err := p.Ask(addr)
	if err != nil {
		t.Errorf("%s: %v", p.Name, err)
	}
	return strings.Join(lines, "\n")
}

func serveOwn(t *testing.T, arguments string) string {
	t.Helper()
	server := grpcpeers.Own(arguments)
	t.Cleanup(server.Stop)
	addr, err := grpcpeers.Serve(server)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// serveCore starts core.py, the bare server on C-core. PYTHON must name an interpreter with grpcio,
// otherwise the test is skipped.
func serveCore(t *testing.T, arguments string) string {
	t.Helper()
	python := os.Getenv("PYTHON")
	if python == "" || exec.Command(python, "-c", "import grpc").Run() != nil {
		t.Skip("skipped: PYTHON names no interpreter with grpcio (pip install -r runners/grpcpeers/requirements.txt)")
	}
	cmd := pythontest.Command(t, python, "-B", "core.py", arguments)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // ends it
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("core.py printed no port: %v", err)
	}
	port, version, _ := strings.Cut(strings.TrimSpace(line), " ")
	if want := grpcpeers.Version; version != want {
		t.Skipf("skipped: grpcio is %s, the answers are of %s", version, want)
	}
	return "127.0.0.1:" + port
}

// recorded reads the recorded answers of C-core. In the file, a line with a conversation's name
// precedes its answer.
func recorded(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, part := range strings.Split(string(data), "== ")[1:] {
		name, answer, _ := strings.Cut(part, "\n")
		answers[name] = strings.TrimRight(answer, "\n")
	}
	return answers
}

func write(t *testing.T, answers map[string]string) {
	t.Helper()
	var b strings.Builder
	for _, p := range grpcpeers.Probes() {
		fmt.Fprintf(&b, "== %s\n%s\n", p.Name, answers[p.Name])
	}
	if err := os.WriteFile(recording, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
