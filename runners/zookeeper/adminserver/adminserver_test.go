package adminserver_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/zookeeper/adminserver"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// serve starts a simulated server and its AdminServer. url is the address of the command list.
func serve(t *testing.T, opt wire.Options) (s *wire.Server, url string) {
	t.Helper()
	s, err := wire.Listen("127.0.0.1:0", opt)
	if err != nil {
		t.Fatal(err)
	}
	a, err := adminserver.Listen("127.0.0.1:0", func() *wire.Server { return s })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s, a.URL()
}

// ask sends a request and returns the status, the content type and the body of the answer.
func ask(t *testing.T, method, url string) (status int, kind, body string) {
	t.Helper()
	request, err := http.NewRequest(method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(text)
}

// dial opens a session at a server.
func dial(t *testing.T, addr string) *zk.Conn {
	t.Helper()
	conn, events, err := zk.Connect([]string{addr}, 20*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	return conn
}

// fill opens a session at a server and creates ephemerals and watches in it.
func fill(t *testing.T, addr string) {
	t.Helper()
	conn := dial(t, addr)
	anyone := zk.WorldACL(zk.PermAll)
	for path, flags := range map[string]int32{"/a": 0, "/<é>&": zk.FlagEphemeral, "/e2": zk.FlagEphemeral} { //lint:ordered they are siblings
		if _, err := conn.Create(path, []byte("x"), flags, anyone); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := conn.ExistsW("/nothere"); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := conn.GetW("/a"); err != nil {
		t.Fatal(err)
	}
}

// Parts of answers that must differ between the two servers: clocks, ports, files and
// measurements. A server in Go also has no JVM to describe.
var (
	varies = regexp.MustCompile(`(?m)^( *"(?:` + strings.Join([]string{
		"client_port", "data_dir", "data_log_dir", "remote_socket_address", "session_id", "established", "last_response_time", "last_cxid",
		"last_latency", "min_latency", "avg_latency", "max_latency", "datadir_size", "logdir_size", "data_dir_size", "log_dir_size",
		"uptime", "packets_sent", "packets_received", "last_buffer_size", "min_buffer_size", "max_buffer_size", "version", "timestamp",
		"zookeeper.version", "host.name", "java.version", "os.name", "os.arch", "max_file_descriptor_count", "open_file_descriptor_count",
		"zxid", "initial_configuration", "interest_ops", "last_operation", "last_zxid", "fsync_threshold_exceed_count", "outstanding_requests",
	}, "|") + `)" : )("[^"\n]*(?:\\.[^"\n]*)*"|null|[-0-9.]+)`)
	session = regexp.MustCompile(`\b[0-9]{7,}\b`)
	// unordered lists objects whose fields a JVM writes in the order of its reflection, so tests
	// ignore their order.
	unordered = []string{"server_stats", "stats", "srvr", "stat"}
	// partly lists commands whose answer a server in Go knows only in part.
	partly = []string{"environment", "monitor", "system_properties", "env", "envi", "mntr", "sysp"}
)

// Parts of an answer to dump: a set whose sessions were all touched since, and one with sessions.
var (
	emptySet = regexp.MustCompile(`"([0-9]+)" : \[ \],\s*`)
	fullSet  = regexp.MustCompile(`"([0-9]+)" : \[ [0-9]+`)
)

// lasting returns what does not depend on the moment in an answer to dump: all but the times of the
// sets, and but the sets without sessions. How many there are
// depends on the moment: a touch leaves one when a tick has passed since the last touch, and the
// set goes when its time comes. But each must be at a tick, and before the set with sessions.
func lasting(t *testing.T, who, body string) string {
	t.Helper()
	const tickMs = 2000
	expiry, rest, found := strings.Cut(body, `"session_id_to_ephemeral_paths"`)
	full := fullSet.FindStringSubmatch(expiry)
	if !found || full == nil || number(t, full[1])%tickMs != 0 {
		t.Fatalf("%s: got %s, want sessions that expire at a tick, and ephemerals", who, body)
	}
	for _, empty := range emptySet.FindAllStringSubmatch(expiry, -1) {
		if at := number(t, empty[1]); at%tickMs != 0 || at >= number(t, full[1]) {
			t.Errorf("%s: got an empty set at %d beside one with sessions at %s, want one at an earlier tick", who, at, full[1])
		}
	}
	expiry = fullSet.ReplaceAllString(emptySet.ReplaceAllString(expiry, ""), `"TICK" : [ SESSION`)
	return expiry + `"session_id_to_ephemeral_paths"` + rest
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// comparable returns the lines of an answer, with placeholders for values that differ
// between servers.
func comparable(name, body string) []string {
	lines := strings.Split(session.ReplaceAllString(varies.ReplaceAllString(body, "${1}VARIES"), "SESSION"), "\n")
	if slices.Contains(unordered, name) || slices.Contains(partly, name) {
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], ",")
		}
		slices.Sort(lines)
	}
	return lines
}

// Goal: health checks and monitors get the same answers as from a real server. Method: give
// Debian's server and the simulated one the same session. Then request each command from
// both, by both of its names.
func TestCommandsBesideTheRealServer(t *testing.T) {
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	real := server.ForTest(t, server.Config{AdminPort: ports[0]})
	if server.Profile() != "zookeeper-3.8" {
		t.Skipf("Debian's server is %s: want zookeeper-3.8", server.Profile())
	}
	ours, url := serve(t, wire.Options{Limits: wire.Limits{ConnsPerAddr: -1}})
	realURL := fmt.Sprintf("http://127.0.0.1:%d/commands", ports[0])
	fill(t, real.Addr())
	fill(t, ours.Addr())
	paths := []string{
		"", "/", "/nope", "/ruok/x", "/set_trace_mask?traceMask=5", "/get_trace_mask", "/stmk?traceMask=x", "/zabs", "/lsnp",
		"/config", "/env", "/orst", "/snap", "/RUOK", "//ruok", "/ruok/", "/./ruok", "/ruok;x=1", "/../x", "/..", "/%72uok", "/ruok?x=y",
	}
	for _, name := range wire.CommandNames(zookeeper.V38) {
		paths = append(paths, "/"+name)
	}
	for _, word := range strings.Fields("conf cons crst dirs dump envi gtmk hash icfg isro lead mntr obsr ruok srvr srst stat sysp wchs wchc wchp") {
		paths = append(paths, "/"+word)
	}
	for _, method := range strings.Fields("GET HEAD POST PUT DELETE OPTIONS PATCH TRACE FOO") {
		for _, path := range paths {
			if method != http.MethodGet && path != "/ruok" && path != "" && path != "/.." {
				continue
			}
			realStatus, realKind, realBody := ask(t, method, realURL+path)
			status, kind, body := ask(t, method, url+path)
			if status != realStatus || status == http.StatusOK && kind != realKind {
				t.Errorf("%s %s: got %d %s, want %d %s", method, path, status, kind, realStatus, realKind)
			}
			if status != http.StatusOK {
				continue
			}
			name := strings.TrimPrefix(path, "/")
			if name == "dump" {
				realBody, body = lasting(t, "real", realBody), lasting(t, "ours", body)
			}
			want, got := comparable(name, realBody), comparable(name, body)
			if slices.Contains(partly, name) {
				want = slices.DeleteFunc(want, func(line string) bool { return !slices.Contains(got, line) })
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s (-real +ours):\n%s", method, path, diff)
			}
		}
	}
}

// Goal: dump lists also the sets that have lost all sessions, and the sessions whose ephemerals are
// all deleted. Method: a session makes an ephemeral and deletes it. Then it reads until a read has
// moved it into a later set. The sets depend on the moment, so each server is asked until it shows
// both an empty one and a full one.
func TestDumpListsEmptySetsBesideTheRealServer(t *testing.T) {
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	real := server.ForTest(t, server.Config{AdminPort: ports[0]})
	ours, url := serve(t, wire.Options{})
	answers := map[string]string{}
	for _, one := range []struct{ who, addr, url string }{
		{"real", real.Addr(), fmt.Sprintf("http://127.0.0.1:%d/commands", ports[0])}, {"ours", ours.Addr(), url},
	} {
		conn := dial(t, one.addr)
		if _, err := conn.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		if err := conn.Delete("/e", -1); err != nil {
			t.Fatal(err)
		}
		body := ""
		for end := time.Now().Add(time.Minute); !emptySet.MatchString(body); {
			if time.Now().After(end) {
				t.Fatalf("%s: got %s after a minute of reads, want a set without sessions", one.who, body)
			}
			if _, _, err := conn.Get("/"); err != nil {
				t.Fatal(err)
			}
			_, _, body = ask(t, http.MethodGet, one.url+"/dump")
		}
		answers[one.who] = session.ReplaceAllString(lasting(t, one.who, body), "SESSION")
	}
	if diff := cmp.Diff(answers["real"], answers["ours"]); diff != "" {
		t.Errorf("-real +ours:\n%s", diff)
	}
}

// Goal: a 3.9 server lists two more commands, snapshot and restore. They require
// authentication, and a POST to any command but restore fails.
func TestCommandsOf39(t *testing.T) {
	_, url := serve(t, wire.Options{Config: zookeeper.Config{Profile: zookeeper.V39}})
	if _, _, body := ask(t, http.MethodGet, url); !strings.Contains(body, "/commands/restore") || !strings.Contains(body, "/commands/snapshot") {
		t.Errorf("got %s, want restore and snapshot", body)
	}
	for _, c := range []struct {
		method, path string
		status       int
		text         string
	}{
		{http.MethodGet, "/snapshot", http.StatusUnauthorized, `"error" : "Auth info is missing for the command"`},
		{http.MethodPost, "/restore", http.StatusUnauthorized, `"command" : "restore"`},
		{http.MethodPost, "/ruok", http.StatusInternalServerError, ""},
		{http.MethodPost, "", http.StatusOK, "/commands/ruok"},
		{http.MethodPost, "/..", http.StatusMethodNotAllowed, ""},
		{http.MethodGet, "/snap", http.StatusUnauthorized, `"command" : "snapshot"`},
		{http.MethodPost, "/rest", http.StatusUnauthorized, `"command" : "restore"`},
		{http.MethodGet, "/orst", http.StatusOK, `"command" : "observer_connection_stat_reset"`},
		{http.MethodOptions, "", http.StatusOK, ""},
		{http.MethodGet, "/zabstate", http.StatusOK, `"voting" : false`},
	} {
		if status, _, body := ask(t, c.method, url+c.path); status != c.status || !strings.Contains(body, c.text) {
			t.Errorf("%s %s: got %d %s, want %d %s", c.method, c.path, status, body, c.status, c.text)
		}
	}
}

// Goal: the members of an ensemble report who leads it. Members without a leader report that
// they do not serve.
func TestCommandsOfAnEnsemble(t *testing.T) {
	e, err := wire.ListenEnsemble(wire.EnsembleOptions{
		Listen: []string{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"}, Observers: 1, Election: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var urls []string
	for id := int64(1); id <= 3; id++ {
		a, err := adminserver.Listen("127.0.0.1:0", func() *wire.Server { return e.Server(id) })
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		urls = append(urls, a.URL())
	}
	if err := e.AwaitLeader(time.Minute); err != nil {
		t.Fatal(err)
	}
	leader, leaderID := "", int64(0)
	for i, look := range e.Servers() {
		for path, want := range map[string]string{ //lint:ordered each by itself
			"/leader":       fmt.Sprintf(`"is_leader" : %v`, look.Mode == "leader"),
			"/zabstate":     fmt.Sprintf(`"voting" : %v`, look.Mode != "observer"),
			"/monitor":      fmt.Sprintf(`"server_state" : "%s"`, look.Mode),
			"/observers":    fmt.Sprintf(`"synced_observers" : %d`, map[bool]int{true: 1}[look.Mode == "leader"]),
			"/server_stats": fmt.Sprintf(`"server_state" : "%s"`, look.Mode),
			"/voting_view":  `"learner_type" : "participant"`,
		} {
			if status, _, body := ask(t, http.MethodGet, urls[i]+path); status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s of a %s: got %d %s, want %s", path, look.Mode, status, body, want)
			}
		}
		if look.Mode == "leader" {
			leader, leaderID = urls[i], look.ID
		}
	}
	if err := e.Stop(leaderID); err != nil {
		t.Fatal(err)
	}
	if response, err := http.Get(leader + "/ruok"); err == nil {
		response.Body.Close()
		t.Errorf("a stopped server: got %s, want no answer", response.Status)
	}
	for _, url := range urls {
		if url == leader {
			continue
		}
		for path, want := range map[string]int{"/ruok": http.StatusOK, "/environment": http.StatusOK, "/monitor": http.StatusInternalServerError} { //lint:ordered each by itself
			status, _, body := ask(t, http.MethodGet, url+path)
			if silent := strings.Contains(body, `"error" : "This ZooKeeper instance is not currently serving requests"`); status != want || silent == (path == "/environment") {
				t.Errorf("%s without a leader: got %d %s, want %d", path, status, body, want)
			}
		}
	}
}
