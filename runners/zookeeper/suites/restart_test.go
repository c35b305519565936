package suites_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/sim/zookeeper/wire/zookeepertest"
)

// restarting has the reference's backend find its session lost while the callback of a watch waits for
// the backend's lock. It ends with 0 once the agent goes on, and with 7 and the stacks of all threads
// after ten seconds in which it does not.
const restarting = `
import faulthandler, os, sys, threading
sys.path.insert(0, sys.argv[1])
import finder
finder.install(sys.argv[2])
from monolith.agent_service import backends

backend = backends.ZKBackend("gip", sys.argv[3])
backend.start()
backend._zk.ensure_path("/gip/layouts/main")
called = threading.Event()

def watch(event):
  called.set()
  with backend._lock:
    pass

def give_up():
  faulthandler.dump_traceback(sys.stdout, all_threads=True)
  sys.stdout.flush()
  os._exit(7)

with backend._lock:
  backend._zk.get_children("/gip/layouts/main", watch=watch)
  backend._zk.create("/gip/layouts/main/ctr:entry")
  called.wait()
  backend._is_lost.set()
  timer = threading.Timer(10, give_up)
  timer.daemon = True
  timer.start()
  backend.sync_available_saved_models(backends.Container("c", "1"), set())
timer.cancel()
`

// Goal: Q328. An agent that restarts its client with the lock taken waits for a callback that waits for
// the lock.
func TestQ328_ARestartWaitsForACallbackThatWaitsForTheLock(t *testing.T) {
	source, python := pythontest.Reference(t), pythontest.Find(t)
	if !pythontest.Has(t, python, "kazoo") {
		t.Skip("no kazoo")
	}
	modules, err := filepath.Abs("../../diff/python")
	if err != nil {
		t.Fatal(err)
	}
	zk := zookeepertest.Start(t)
	out, err := pythontest.Command(t, python, "-c", restarting, modules, source, zk.Addr()).Output()
	exit, ended := errors.AsType[*exec.ExitError](err)
	if !ended || exit.ExitCode() != 7 || !strings.Contains(string(out), "in sync_available_saved_models") || !strings.Contains(string(out), "in watch") {
		t.Errorf("%v, want an end with 7 while one thread is in sync_available_saved_models and another in watch\n%s", err, out)
	}
}
