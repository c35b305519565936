package training_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/sim/world/worldtest"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// Goal: the discoveries pass the reference's own tests (service_discovery_test.py). Method: as
// there, a Consul that keeps registrations in memory, and a fake ZooKeeper client. They run in
// virtual time, so that waiting periods pass at once.

// keptConsul is the FakeConsul of the reference's tests. It keeps registrations in the order in
// which they came, and drops those with the address refused.
type keptConsul struct {
	elements []any
	refused  string
	err      error
}

func (c *keptConsul) Lookup(string, int) ([]any, error) { return c.elements, nil }

func (c *keptConsul) Register(_ string, port int, tags training.ConsulTags) error {
	if c.err != nil || tags.IP == c.refused {
		return c.err
	}
	_ = c.Deregister("", port)
	said, element := &pysem.Dict{}, &pysem.Dict{}
	said.Set("index", fmt.Sprint(tags.Index))
	said.Set("name", tags.Name)
	said.Set("ip", tags.IP)
	element.Set("Port", port)
	element.Set("Tags", said)
	c.elements = append(c.elements, element)
	return nil
}

func (c *keptConsul) Deregister(_ string, port int) error {
	kept := []any{}
	for _, e := range c.elements {
		if at, _ := e.(*pysem.Dict).Get("Port"); at != port {
			kept = append(kept, e)
		}
	}
	c.elements = kept
	return nil
}

// expectQuery fails the test unless a discovery lists exactly these addresses for a name, with
// indices from 0.
func expectQuery(c *worldtest.Case, d training.ServiceDiscovery, name string, want ...string) {
	c.T.Helper()
	got, err := d.Query(name)
	c.Must(err)
	list := []string{}
	for i := range got {
		addr, _ := got.Get(i)
		list = append(list, addr)
	}
	if diff := cmp.Diff(append([]string{}, want...), list); diff != "" {
		c.T.Errorf("addresses of %s (-want +got):\n%s", name, diff)
	}
}

// withConsul runs a test with a discovery that uses this Consul.
func withConsul(t *testing.T, consul *keptConsul, test func(c *worldtest.Case, d *training.ConsulServiceDiscovery)) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		test(c, training.NewConsulServiceDiscovery(c.Env, consul, "unique_id", 0))
	})
}

func TestUpstreamConsulServiceDiscovery_test_basic(t *testing.T) {
	withConsul(t, &keptConsul{}, func(c *worldtest.Case, d *training.ConsulServiceDiscovery) { registerTwo(c, d) })
}

// registerTwo registers and deregisters two servers, and checks what queries find after each.
func registerTwo(c *worldtest.Case, d training.ServiceDiscovery) {
	c.T.Helper()
	c.Must(d.Register("server", 0, "192.168.0.1:1001"))
	c.Must(d.Register("server", 1, "192.168.0.2:1002"))
	expectQuery(c, d, "server", "192.168.0.1:1001", "192.168.0.2:1002")
	c.Must(d.Deregister("server", 0, "192.168.0.1:1001"))
	c.Must(d.Deregister("server", 1, "192.168.0.2:1002"))
	expectQuery(c, d, "server")
}

func TestUpstreamConsulServiceDiscovery_test_duplicate_registration(t *testing.T) {
	withConsul(t, &keptConsul{}, func(c *worldtest.Case, d *training.ConsulServiceDiscovery) {
		c.Must(d.Register("server", 0, "192.168.0.1:1001"))
		c.Must(d.Register("server", 0, "192.168.0.1:1002"))
		expectQuery(c, d, "server", "192.168.0.1:1002")
	})
}

func TestUpstreamConsulServiceDiscovery_test_multi_names(t *testing.T) {
	withConsul(t, &keptConsul{}, func(c *worldtest.Case, d *training.ConsulServiceDiscovery) {
		c.Must(d.Register("ps", 0, "192.168.0.1:1001"))
		c.Must(d.Register("worker", 0, "192.168.0.1:1002"))
		expectQuery(c, d, "worker", "192.168.0.1:1002")
	})
}

func TestUpstreamConsulServiceDiscovery_test_retry(t *testing.T) {
	late := &pysem.Error{Type: "timeout", Message: "timed out"}
	withConsul(t, &keptConsul{err: late}, func(c *worldtest.Case, d *training.ConsulServiceDiscovery) {
		if err := d.Register("ps", 0, "192.168.0.1:1001"); pysem.TypeOf(err) != "timeout" {
			t.Errorf("got %v, want timeout", err)
		}
	})
}

func TestUpstreamConsulServiceDiscovery_test_registeration_failed(t *testing.T) {
	withConsul(t, &keptConsul{refused: "192.168.0.1"}, func(c *worldtest.Case, d *training.ConsulServiceDiscovery) {
		if err := d.Register("ps", 0, "192.168.0.1:1001"); pysem.TypeOf(err) != "OSError" {
			t.Errorf("got %v, want OSError", err)
		}
	})
}

func TestUpstreamServiceDiscoveryUtils_test_deregister_all(t *testing.T) {
	withConsul(t, &keptConsul{}, func(c *worldtest.Case, d *training.ConsulServiceDiscovery) {
		c.Must(d.Register("server", 0, "192.168.0.1:1001"))
		c.Must(d.DeregisterAll())
		expectQuery(c, d, "server")
	})
}

func TestUpstreamTfConfigServiceDiscovery_test_tf_conf_sd(t *testing.T) {
	config, err := pysem.ParseJSON(`{"cluster": {"chief": ["host0:2222"], "ps": ["host1:2222", "host2:2222"],
		"worker": ["host3:2222", "host4:2222", "host5:2222"]}, "task": {"type": "worker", "index": 1}}`)
	if err != nil {
		t.Fatal(err)
	}
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		d := training.NewTFConfigServiceDiscovery(config)
		expectQuery(c, d, "ps", "host1:2222", "host2:2222")
		expectQuery(c, d, "worker", "host0:2222", "host3:2222", "host4:2222", "host5:2222")
		for _, ask := range []struct {
			name     string
			property func() (any, error)
			want     any
		}{{"addr", d.Addr, "host4:2222"}, {"server_type", d.ServerType, "worker"}, {"index", d.Index, 2}} {
			if got, err := ask.property(); got != ask.want || err != nil {
				t.Errorf("%s: got %v, error %v, want %v", ask.name, got, err, ask.want)
			}
		}
	})
}

// heardZooKeeper is the fake client. It keeps its listeners, so that the test can call them.
type heardZooKeeper struct {
	*kazoofake.Client
	listeners []func(env.SessionState) bool
}

func (z *heardZooKeeper) AddListener(fn func(env.SessionState) bool) {
	z.listeners = append(z.listeners, fn)
}

// DataWatch reports a deleted znode without its data, as the fake in the reference's tests does.
func (z *heardZooKeeper) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	return z.Client.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		if event != nil && event.Type == env.EventDeleted {
			data, stat = nil, nil
		}
		return fn(data, stat, event)
	})
}

// withZooKeeper runs a test with a discovery that uses the fake ZooKeeper client.
func withZooKeeper(t *testing.T, test func(c *worldtest.Case, zk *heardZooKeeper, d *training.ZKServiceDiscovery)) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		zk := &heardZooKeeper{Client: kazoofake.New(c.Env)}
		d, err := training.NewZKServiceDiscovery(c.Env, training.ZKDiscoveryOptions{JobName: "test_model", MaxTries: 3, Delay: 5 * time.Second, ZooKeeper: zk})
		c.Must(err)
		test(c, zk, d)
		d.Close()
	})
}

func TestUpstreamZKServiceDiscovery_test_basic(t *testing.T) {
	withZooKeeper(t, func(c *worldtest.Case, _ *heardZooKeeper, d *training.ZKServiceDiscovery) { registerTwo(c, d) })
}

func TestUpstreamZKServiceDiscovery_test_duplicate_registration(t *testing.T) {
	withZooKeeper(t, func(c *worldtest.Case, _ *heardZooKeeper, d *training.ZKServiceDiscovery) {
		c.Must(d.Register("server", 0, "192.168.0.1:1001"))
		c.Must(d.Register("server", 0, "192.168.0.1:1002"))
		expectQuery(c, d, "server", "192.168.0.1:1002")
	})
}

func TestUpstreamZKServiceDiscovery_test_multi_names(t *testing.T) {
	withZooKeeper(t, func(c *worldtest.Case, _ *heardZooKeeper, d *training.ZKServiceDiscovery) {
		c.Must(d.Register("ps", 0, "192.168.0.1:1001"))
		c.Must(d.Register("worker", 0, "192.168.0.1:1002"))
		expectQuery(c, d, "worker", "192.168.0.1:1002")
	})
}

func TestUpstreamZKServiceDiscovery_test_periodic_registration(t *testing.T) {
	withZooKeeper(t, func(c *worldtest.Case, zk *heardZooKeeper, d *training.ZKServiceDiscovery) {
		c.Must(d.Register("ps", 0, "192.168.0.1:1001"))
		err := zk.Set("/monolith/test_model/ps.0", []byte("wrongdata"), -1)
		c.Must(err)
		c.Env.Tasks.Sleep(31 * time.Minute)
		expectQuery(c, d, "ps", "192.168.0.1:1001")
	})
}

func TestUpstreamZKServiceDiscovery_test_listener(t *testing.T) {
	withZooKeeper(t, func(c *worldtest.Case, zk *heardZooKeeper, d *training.ZKServiceDiscovery) {
		c.Must(d.Register("ps", 0, "192.168.0.1:1001"))
		zk.listeners[0](env.Lost)
		zk.listeners[0](env.Connected)
		expectQuery(c, d, "ps", "192.168.0.1:1001")
	})
}
