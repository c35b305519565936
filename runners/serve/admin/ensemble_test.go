package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: servers of an ensemble can be stopped, started and cut off through the admin interface.

type ensembleLab struct {
	*testing.T
	admin *admin.Server
}

// await waits until the servers have these modes.
func (l *ensembleLab) await(modes ...string) {
	l.Helper()
	limit, again := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer again.Stop()
	for {
		_, answer := ask(l.T, "GET", l.admin.URL()+"/servers", "")
		found := true
		for _, mode := range modes {
			found = found && strings.Count(answer, `"mode":"`+mode+`"`) == strings.Count(strings.Join(modes, " "), mode)
		}
		if found {
			return
		}
		select {
		case <-again.C:
		case <-limit:
			l.Fatalf("got %s, want modes %v", answer, modes)
		}
	}
}

func (l *ensembleLab) post(path, body, want string) {
	l.Helper()
	if _, answer := ask(l.T, "POST", l.admin.URL()+path, body); !strings.Contains(answer, want) {
		l.Errorf("POST %s %s: got %s, want %s", path, body, answer, want)
	}
}

func TestServersOfAnEnsemble(t *testing.T) {
	e, err := wire.ListenEnsemble(wire.EnsembleOptions{Listen: []string{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"}, Election: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &ensembleLab{T: t, admin: listen(t, admin.Ensemble(e)...)}
	l.await("follower", "follower", "leader")
	l.post("/servers/3/stop", "", "{}")
	l.await("follower", "leader", "stopped")
	l.post("/servers/2/cut", `{"cut": true}`, "{}")
	l.await("looking", "looking", "stopped")
	l.post("/servers/2/cut", `{"cut": false}`, "{}")
	l.post("/servers/3/start", "", "{}")
	l.await("follower", "follower", "leader")
	l.post("/leader/lose", "", "{}")
	l.await("follower", "follower", "leader")
	l.post("/servers/1/behind", `{"lag": "250ms"}`, "{}")
	l.post("/servers/1/behind", `{"lag": "-1s"}`, "want 0 or more")
	l.post("/servers/3/start", "", "runs already")
	l.post("/servers/4/stop", "", "GET / lists")
	l.post("/servers/2/connections/drop", "", `"dropped":0`)

	// POST /servers/3/hold starts server 3 for as long as the request lasts. When the client
	// disconnects, the server stops.
	l.post("/servers/3/stop", "", "{}")
	held, err := http.Post(l.admin.URL()+"/servers/3/hold", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	l.await("follower", "follower", "leader")
	held.Body.Close()
	l.await("follower", "leader", "stopped")
}
