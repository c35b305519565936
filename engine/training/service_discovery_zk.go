package training

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/threading"
)

// ZKServiceDiscovery keeps the processes of a job as ephemeral znodes
// /monolith/<job>/<name>.<index> that hold their addresses
// (service_discovery.py:243).
type ZKServiceDiscovery struct {
	e       *env.Env
	zk      env.ZooKeeper // nil once closed
	retry   recipes.Retry
	prefix  string
	cluster []NamedAddrs
	threads []*registration // in the order of their first registration
	lost    bool
}

// registration is a process that is registered again now and then.
type registration struct {
	name   string
	index  int
	task   env.Task
	wakeup *threading.Event
	stop   bool
}

// registrationPeriod is the time after which a process registers again.
const registrationPeriod = 30 * time.Minute

// ZKDiscoveryOptions say which job, at which ZooKeeper.
type ZKDiscoveryOptions struct {
	JobName string
	// Servers is the address of ZooKeeper; the open-source build has no default.
	Servers string
	// MaxTries and Delay are those of the retries of a registration, 3 and 5 s in
	// the reference.
	MaxTries int
	Delay    time.Duration
	// ZooKeeper, when set, is used in place of a client of Servers.
	ZooKeeper env.ZooKeeper
}

// NewZKServiceDiscovery connects, makes the znode of the job, and watches its
// processes. The error is that of the connection or of the first read.
func NewZKServiceDiscovery(e *env.Env, o ZKDiscoveryOptions) (*ZKServiceDiscovery, error) {
	d := &ZKServiceDiscovery{e: e, zk: o.ZooKeeper, prefix: "/monolith/" + o.JobName}
	d.retry = recipes.RecipeRetry()
	d.retry.MaxTries, d.retry.Delay, d.retry.Site = o.MaxTries, o.Delay, "service_discovery.retry"
	if d.zk == nil {
		d.zk = e.ZooKeeper.NewClient(o.Servers, env.ZooKeeperOptions{Auth: envutils.ZKAuthData(e.Host)})
	}
	d.zk.AddListener(d.listen)
	if err := d.zk.Start(0); err != nil {
		return nil, err
	}
	if err := d.zk.EnsurePath(d.prefix); err != nil {
		return nil, err
	}
	_, err := d.zk.ChildrenWatch(d.prefix, d.childrenChanged)
	return d, err
}

// listen wakes all registrations when the session is new after a loss
// (service_discovery.py:209).
func (d *ZKServiceDiscovery) listen(state env.SessionState) bool {
	switch {
	case state == env.Lost:
		d.lost = true
	case state == env.Connected && d.lost:
		for _, r := range d.threads {
			r.wakeup.Set()
		}
		d.lost = false
	}
	return false
}

func nodeName(name string, index int) string { return name + "." + pysem.Str(index) }

// childrenChanged watches the data of processes that are not known yet; one that
// is known goes on being watched.
func (d *ZKServiceDiscovery) childrenChanged(children []string) error {
	var known []string
	for _, named := range d.cluster {
		for _, entry := range named.Addrs {
			known = append(known, nodeName(named.Name, entry.Index))
		}
	}
	for _, child := range sortedSet(children) {
		if child == "" || slices.Contains(known, child) {
			continue
		}
		_, err := d.zk.DataWatch(d.prefix+"/"+child, func(data []byte, _ *env.Stat, _ *env.WatchEvent) error {
			return d.dataChanged(child, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dataChanged notes an address; a znode that is gone or empty loses it. A name
// that is not "<type>.<index>" is a ValueError.
func (d *ZKServiceDiscovery) dataChanged(node string, data []byte) error {
	parts := strings.Split(node, ".")
	if len(parts) != 2 {
		return pysem.UnpackError(2, len(parts))
	}
	index, _, err := pysem.ParseSmallInt(parts[1])
	if err != nil {
		return err
	}
	i := slices.IndexFunc(d.cluster, func(n NamedAddrs) bool { return n.Name == parts[0] })
	if len(data) == 0 {
		if i >= 0 {
			d.cluster[i].Addrs = d.cluster[i].Addrs.Without(index)
		}
		return nil
	}
	addr, err := pysem.DecodeUTF8(data)
	if err != nil {
		return err
	}
	if i < 0 {
		i = len(d.cluster)
		d.cluster = append(d.cluster, NamedAddrs{Name: parts[0]})
	}
	d.cluster[i].Addrs = d.cluster[i].Addrs.With(index, addr)
	return nil
}

// Register writes the address of a process, and again every 30 minutes and after each
// lost session, until Deregister or Close.
func (d *ZKServiceDiscovery) Register(name string, index int, addr string) error {
	if err := d.create(name, index, addr); err != nil {
		return err
	}
	r := &registration{name: name, index: index, wakeup: threading.NewEvent(d.e.Tasks, "register "+nodeName(name, index))}
	r.task = d.e.Tasks.Go("register", func() {
		for {
			if r.wakeup.Wait(registrationPeriod) {
				r.wakeup.Clear()
			}
			if r.stop {
				return
			}
			if err := d.create(name, index, addr); err != nil {
				d.e.Log.Logf(env.Warning, "register %s again: %v", nodeName(name, index), err)
			}
		}
	})
	// A second registration takes the first one's place, whose task goes on for
	// ever (service_discovery.py:375).
	if i := d.find(name, index); i >= 0 {
		d.threads[i] = r
	} else {
		d.threads = append(d.threads, r)
	}
	return nil
}

func (d *ZKServiceDiscovery) find(name string, index int) int {
	return slices.IndexFunc(d.threads, func(r *registration) bool { return r.name == name && r.index == index })
}

// create creates the znode, or sets it when it exists.
func (d *ZKServiceDiscovery) create(name string, index int, addr string) error {
	if d.zk == nil {
		return pysem.AttributeError(nil, "create")
	}
	path := d.prefix + "/" + nodeName(name, index)
	return d.retry.Run(d.e, func() error {
		_, err := d.zk.Create(path, []byte(addr), env.CreateOptions{MakePath: true, Ephemeral: true})
		if errors.Is(err, zkerrors.ErrNodeExists) {
			_, err = d.zk.Set(path, []byte(addr), -1)
		}
		return err
	})
}

// Deregister removes the znode of a process. One that was not registered here is a
// KeyError, after the removal.
func (d *ZKServiceDiscovery) Deregister(name string, index int, _ string) error {
	if d.zk == nil {
		return pysem.AttributeError(nil, "delete")
	}
	err := d.retry.Run(d.e, func() error {
		return d.zk.Delete(d.prefix+"/"+nodeName(name, index), env.DeleteOptions{Version: -1, Recursive: true})
	})
	if err != nil && !errors.Is(err, zkerrors.ErrNoNode) {
		return err
	}
	i := d.find(name, index)
	if i < 0 {
		return pysem.Raise("KeyError", "(%s, %d)", pysem.Repr(name), index)
	}
	d.threads[i].end()
	d.threads = slices.Delete(d.threads, i, i+1)
	return nil
}

// end stops the task and waits for it.
func (r *registration) end() {
	r.stop = true
	r.wakeup.Set()
	r.task.Join()
}

// Query lists the processes of a name as the watches have seen them.
func (d *ZKServiceDiscovery) Query(name string) (Addrs, error) {
	for _, named := range d.cluster {
		if named.Name == name {
			return named.Addrs, nil
		}
	}
	return Addrs{}, nil
}

// Close ends the session, and with it all registrations that were made here.
func (d *ZKServiceDiscovery) Close() {
	if d.zk != nil {
		d.zk.Stop()
		d.zk.Close()
		d.zk = nil
	}
	for _, r := range d.threads {
		r.end()
	}
}

var _ ServiceDiscovery = (*ZKServiceDiscovery)(nil)
