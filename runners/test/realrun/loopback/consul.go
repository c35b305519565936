package loopback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
)

// consulAgent is a process of `monosim consul`, which the processes of a training job use
// for discovery.
type consulAgent struct {
	c     *Cluster
	child *child
	// addr is where the Consul agent serves its API, admin where it takes requests for faults.
	addr, admin string
}

// newConsul starts the Consul agent of a training job that uses it for discovery. Otherwise
// it returns nil.
func newConsul(c *Cluster) (*consulAgent, error) {
	if c.spec.Training == nil || c.spec.Training.Discovery != cluster.DiscoveryConsul {
		return nil, nil
	}
	a := &consulAgent{c: c}
	output := filepath.Join(c.disks.root, logsDir, "consul.log")
	args := []string{
		c.o.Monosim, "consul", "--listen", c.net.ip(1) + ":0", "--admin", "127.0.0.1:0",
		"--speed", strconv.FormatFloat(1/c.o.TimeScale, 'g', -1, 64) + "x", c.adminAccess("--admin-token", "--admin-token-file"),
	}
	var err error
	if a.child, err = c.guard.start(Program{Args: args, Env: os.Environ()}, output, false); err != nil {
		return nil, err
	}
	go a.child.await()
	return a, a.await(output)
}

// await waits until the Consul agent has printed its addresses.
func (a *consulAgent) await(output string) error {
	for end := time.Now().Add(serveLimit); ; time.Sleep(2 * time.Millisecond) {
		text, err := a.c.disks.readFile(output)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if url, ok := strings.CutPrefix(line, "admin "); ok && strings.HasSuffix(url, "\n") {
				a.admin = strings.TrimSpace(url)
			} else if strings.HasPrefix(line, a.c.net.prefix) && strings.HasSuffix(line, "\n") {
				a.addr = strings.TrimSpace(line)
			}
		}
		if a.addr != "" && a.admin != "" {
			return nil
		}
		select {
		case <-a.child.exited:
			return fmt.Errorf("consul has ended before it served: %s", strings.TrimSpace(string(text)))
		default:
		}
		if time.Now().After(end) {
			return fmt.Errorf("consul does not serve after %v: %s", serveLimit, strings.TrimSpace(string(text)))
		}
	}
}

func (a *consulAgent) close() {
	a.c.guard.end(a.child.pid())
	<-a.child.exited
}

// variables returns the environment variables that tell a process the Consul agent's address.
func (a *consulAgent) variables() []string {
	host, port, _ := net.SplitHostPort(a.addr)
	return []string{"CONSUL_HTTP_HOST=" + host, "CONSUL_HTTP_PORT=" + port}
}

// askLimit is the timeout of a request, in wall time.
const askLimit = 10 * time.Second

// ask makes an HTTP request to an interface for faults or to Consul, and decodes the answer into
// the value that into points to. A status other than 200 is an error.
func ask(method, url string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := (&http.Client{Timeout: askLimit}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: found status %d, want 200: %s", url, response.StatusCode, bytes.TrimSpace(text))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// Registered returns the address under which Consul finds a process of the training job
// ([operator.RegisteredAddr]).
func (c *Cluster) Registered(name string) (addr string, ok bool, err error) {
	t, err := c.findTrainer(name)
	if err != nil || c.consul == nil {
		return "", false, err
	}
	var state struct {
		Services []operator.Registration `json:"services"`
	}
	if err := ask(http.MethodGet, c.consul.admin+"/state", nil, &state); err != nil {
		return "", false, err
	}
	addr, ok = operator.RegisteredAddr(state.Services, t.role, t.index)
	return addr, ok, nil
}

// onConsul returns a function that begins or ends a fault of the Consul agent, by a request
// to its interface for faults.
func onConsul(action string, body func(c *Cluster, f runners.Fault) (any, error)) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		if c.consul == nil {
			return errors.New("consul: found none, want a training job with the discovery consul")
		}
		asked, err := body(c, f)
		if err != nil {
			return err
		}
		return ask(http.MethodPost, c.consul.admin+action, asked, nil)
	}
}

// saying returns a function that gives the same request body for every fault.
func saying(body map[string]any) func(*Cluster, runners.Fault) (any, error) {
	return func(*Cluster, runners.Fault) (any, error) { return body, nil }
}

// healConsul ends every fault of the Consul agent.
var healConsul = onConsul("/heal", saying(map[string]any{}))

// consulKinds maps each kind of fault of the Consul agent to the functions that begin and
// end it.
var consulKinds = map[string]kind{
	"consul.blacklisted": {
		begin: onConsul("/hide", func(c *Cluster, f runners.Fault) (any, error) {
			t, err := c.findTrainer(f.Pod)
			if err != nil {
				return nil, err
			}
			return map[string]any{"what": t.ip}, nil
		}),
		end: healConsul,
	},
	"consul.down": {because: "a process of the agent that ends forgets what is registered"},
	"consul.errors": {
		begin: onConsul("/status", func(_ *Cluster, f runners.Fault) (any, error) { return map[string]any{"status": f.N}, nil }),
		end:   healConsul,
	},
	"consul.forgets": {begin: onConsul("/forget", saying(map[string]any{}))},
	"consul.garbled": {begin: onConsul("/text", saying(map[string]any{"text": "<html>It works!</html>"})), end: healConsul},
	"consul.late": {
		begin: onConsul("/lag", func(_ *Cluster, f runners.Fault) (any, error) {
			return map[string]any{"lag": f.Duration.String()}, nil
		}),
		end: healConsul,
	},
	"consul.slow": {
		begin: onConsul("/delay", func(_ *Cluster, f runners.Fault) (any, error) {
			return map[string]any{"delay": f.Duration.String()}, nil
		}),
		end: healConsul,
	},
	"consul.torn": {begin: onConsul("/cut", saying(map[string]any{})), end: healConsul},
}

var _ runners.Registry = (*Cluster)(nil)
