package training

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dict"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/recipes"
)

// ZKServiceDiscovery registers the processes of a job as ephemeral znodes
// /monolith/<job>/<name>.<index>, whose data are addresses (service_discovery.py:243).
//
// Cost: each process watches the znodes of all processes, so that the reads at a job's start grow
// with the square of the number of processes. A query reads nothing.
type ZKServiceDiscovery struct {
	e      *env.Env
	zk     env.ZooKeeper // nil once closed
	quirks jobquirks.Set
	retry  recipes.Retry
	prefix string
	// cluster holds the known addresses by name and index.
	cluster pysem.OrderedMap[string, *dict.Dict[slot, string]]
	// listed holds the children that ZooKeeper listed last. unknown holds children that cluster
	// does not have, or has no longer. It may contain children of listed.
	listed  *recipes.Names
	unknown []string
	watches recipes.DataWatches
	threads []*registration // threads in the order of their first registration
	lost    bool
	own     map[string]bool // znodes that this session has created; only used if quirk Q326 is repaired
}

// registration is a process that this discovery registers, and registers again from time to time.
type registration struct {
	name   string
	index  int
	task   env.Task
	wakeup *threading.Event
	stop   bool
}

// registrationPeriod is how long a process waits until it registers again.
const registrationPeriod = 30 * time.Minute

// ZKDiscoveryOptions names a job and its ZooKeeper.
type ZKDiscoveryOptions struct {
	JobName string
	// Servers is the address of ZooKeeper; the open-source build has no default.
	Servers string
	// MaxTries is how often a registration is tried, and Delay the first pause between two tries.
	// The reference tries 3 times, with 5 s.
	MaxTries int
	Delay    time.Duration
	// ZooKeeper, when set, is used in place of a client of Servers.
	ZooKeeper env.ZooKeeper
	// Quirks is the set of the reference's faults that are kept.
	Quirks jobquirks.Set
}

// NewZKServiceDiscovery connects to ZooKeeper, makes the znode of the job, and watches the
// processes below it. It returns the error of the connection or of the first read.
func NewZKServiceDiscovery(e *env.Env, o ZKDiscoveryOptions) (*ZKServiceDiscovery, error) {
	d := &ZKServiceDiscovery{e: e, zk: o.ZooKeeper, quirks: o.Quirks, prefix: "/monolith/" + o.JobName, listed: &recipes.Names{}, own: map[string]bool{}}
	d.retry = recipes.RecipeRetry()
	d.retry.MaxTries, d.retry.Delay, d.retry.Site = o.MaxTries, o.Delay, "service_discovery.retry"
	if d.zk == nil {
		d.zk = e.ZooKeeper.NewClient(o.Servers, envutils.ZooKeeperOptions(e.Host, o.Quirks.Keeps(quirks.Q322)))
	}
	d.zk.AddListener(d.listen)
	err := d.zk.Start(0)
	if err == nil {
		err = d.zk.EnsurePath(d.prefix)
	}
	if err != nil {
		e.Log.Logf(env.Error, "cannot create zk client, %v", err)
		return nil, err
	}
	d.watches = recipes.NewDataWatches(d.zk, d.prefix, func(path string, data []byte, _ *env.Stat, _ *env.WatchEvent) error {
		return d.dataChanged(pysem.Basename(path), data)
	}, &recipes.Usual{Data: isProcess, Ready: func() bool { return true }})
	_, err = recipes.NamesWatch(d.zk, d.prefix, d.childrenChanged)
	return d, err
}

// isProcess reports whether a znode is named after a process and holds an address.
func isProcess(path string, data []byte) bool {
	_, _, odd := processOf(pysem.Basename(path))
	_, err := addrs.Read(data)
	return len(data) > 0 && odd == nil && err == nil
}

// addrs decodes the addresses in znodes. Equal data share one string, to save memory in jobs with
// many processes.
var addrs = dict.Readings[string]{Decode: pysem.DecodeUTF8}

// listen wakes all registrations once there is a new session after a lost one
// (service_discovery.py:209).
func (d *ZKServiceDiscovery) listen(state env.SessionState) bool {
	switch {
	case state == env.Lost:
		d.e.Log.Logf(env.Warning, "Any ephemeral nodes will need to be recreated upon re-establishing a connection.")
		d.lost = true
		clear(d.own)
	case state == env.Connected && d.lost:
		d.e.Log.Logf(env.Info, "connected/reconnected after lost, restart updater and watcher")
		for _, r := range d.threads {
			r.wakeup.Set()
		}
		d.lost = false
	}
	return false
}

func nodeName(name string, index slot) string { return name + "." + index.String() }

// childrenChanged sets data watches on the children that are not in the cluster, in the order of
// their names. A child that was watched before gets a second watch, and the first one stays
// (service_discovery.py:281).
func (d *ZKServiceDiscovery) childrenChanged(children *recipes.Names) error {
	added := slices.Clone(children.Since(d.listed))
	added = append(added, lists.Filter(d.unknown, func(child string) bool { return children.Has(child) })...)
	added = slices.DeleteFunc(sortedSet(added), d.knows)
	d.listed, d.unknown = children, added
	err := d.watches.WatchAgain(added)
	d.unknown = slices.DeleteFunc(slices.Clone(d.unknown), d.knows)
	return err
}

// knows reports whether the cluster has the process that a child is named after. The child must
// have exactly the name that Register gives.
func (d *ZKServiceDiscovery) knows(child string) bool {
	name, index, err := processOf(child)
	addrs, ok := d.cluster.Get(name)
	return err == nil && ok && addrs.Has(index) && child == nodeName(name, index)
}

// processOf returns the process that a znode is named after. A name that is not "<type>.<index>" is
// a ValueError.
func processOf(node string) (name string, index slot, err error) {
	name, number, ok := strings.Cut(node, ".")
	if !ok || strings.Contains(number, ".") {
		return "", index, pysem.UnpackError(2, 1+strings.Count(node, "."))
	}
	_, exact, err := pysem.ParseSmallInt(number)
	return name, slotOf(exact), err
}

// dataChanged records the address in a znode. If the znode is gone or empty, it removes the
// process.
func (d *ZKServiceDiscovery) dataChanged(node string, data []byte) error {
	name, index, err := processOf(node)
	if err != nil {
		return err
	}
	processes, ok := d.cluster.Get(name)
	if len(data) == 0 {
		if ok && processes.Has(index) {
			processes.Delete(index)
			d.unknown = append(d.unknown, nodeName(name, index))
		}
		return nil
	}
	addr, err := addrs.Read(data)
	if err != nil {
		return err
	}
	if !ok {
		processes = &dict.Dict[slot, string]{}
		d.cluster.Set(name, processes)
	}
	processes.Set(index, addr)
	return nil
}

// Register writes the address of a process into its znode. It writes it again every 30 minutes, and
// after each lost session, until Deregister or Close.
func (d *ZKServiceDiscovery) Register(name string, index int, addr string) error {
	if err := d.create(name, index, addr); err != nil {
		return err
	}
	r := &registration{name: name, index: index, wakeup: threading.NewEvent(d.e.Tasks, "register "+nodeName(name, slot{n: index}))}
	r.task = d.e.Tasks.Go("register", func() {
		for {
			if r.wakeup.Wait(registrationPeriod) {
				r.wakeup.Clear()
			}
			if r.stop {
				return
			}
			if err := d.create(name, index, addr); err != nil {
				d.e.Log.Logf(env.Warning, "register %s again: %v", nodeName(name, slot{n: index}), err)
			}
		}
	})
	// If a process registers a second time, the new registration takes the old one's place in the
	// list. The task of the old one goes on, and writes the old address every 30 minutes
	// (service_discovery.py:354). With Q290 repaired it ends.
	if i := d.find(name, index); i >= 0 {
		old := d.threads[i]
		d.threads[i] = r
		if !d.quirks.Keeps(jobquirks.Q290) {
			old.end()
		}
	} else {
		d.threads = append(d.threads, r)
	}
	return nil
}

func (d *ZKServiceDiscovery) find(name string, index int) int {
	return slices.IndexFunc(d.threads, func(r *registration) bool { return r.name == name && r.index == index })
}

// ask has the client do something. Close takes the client away, also while a call waits to be tried
// again: the reference then looks up the method on None (service_discovery.py:271-280).
func (d *ZKServiceDiscovery) ask(method string, do func(zk env.ZooKeeper) error) error {
	if d.zk == nil {
		return pysem.AttributeError(nil, method)
	}
	return do(d.zk)
}

// create creates the znode of a process, or sets its data if it exists. If the previous session
// left the znode, create only sets its data, and the znode vanishes when that session expires
// (Q326).
func (d *ZKServiceDiscovery) create(name string, index int, addr string) error {
	path, value := d.prefix+"/"+nodeName(name, slot{n: index}), []byte(addr)
	create := func(zk env.ZooKeeper) error {
		_, err := zk.Create(path, value, env.CreateOptions{MakePath: true, Ephemeral: true})
		return err
	}
	err := d.retry.Run(d.e, func() error {
		err := d.ask("create", create)
		if errors.Is(err, zkerrors.ErrNodeExists) {
			if d.quirks.Keeps(jobquirks.Q326) || d.own[path] {
				return d.ask("set", func(zk env.ZooKeeper) error { return zk.Set(path, value, -1) })
			}
			if err := d.ask("delete", func(zk env.ZooKeeper) error { return zk.Delete(path, env.AnyVersion) }); err != nil && !errors.Is(err, zkerrors.ErrNoNode) {
				return err
			}
			err = d.ask("create", create)
		}
		d.own[path] = err == nil
		return err
	})
	if err != nil {
		d.e.Log.Logf(env.Error, "server_type: %s , index:%d register fail", name, index)
	}
	return err
}

// Deregister removes the znode of a process. If the process was not registered by this discovery,
// it then returns a KeyError.
func (d *ZKServiceDiscovery) Deregister(name string, index int, _ string) error {
	path := d.prefix + "/" + nodeName(name, slot{n: index})
	err := d.retry.Run(d.e, func() error {
		err := d.ask("delete", func(zk env.ZooKeeper) error {
			return zk.Delete(path, env.DeleteOptions{Version: -1, Recursive: true})
		})
		if errors.Is(err, zkerrors.ErrNoNode) {
			d.e.Log.Logf(env.Info, "%s is not exist, no need to delete", path)
			return nil
		}
		return err
	})
	if err != nil {
		d.e.Log.Logf(env.Error, "server_type: %s , index:%d deregister fail", name, index)
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

// end stops the registration's task and waits until it has ended.
func (r *registration) end() {
	r.stop = true
	r.wakeup.Set()
	r.task.Join()
}

// Query lists the processes of a name as the watches last reported them. It asks no server.
func (d *ZKServiceDiscovery) Query(name string) (Addrs, error) {
	list := Addrs{}
	if processes, ok := d.cluster.Get(name); ok {
		for index, addr := range processes.All {
			list = append(list, IndexedAddr{Index: index.n, Addr: addr, Past: index.past})
		}
	}
	return list, nil
}

// Close ends the ZooKeeper session. That removes all ephemeral znodes registered by this discovery.
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
