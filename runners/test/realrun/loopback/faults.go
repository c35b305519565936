package loopback

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/sim/fault"
)

// kind holds the functions that begin and end a fault of a cluster of processes.
type kind struct {
	begin, end func(c *Cluster, f runners.Fault) error
	// because is the reason why processes cannot have this fault.
	because string
}

// kinds has an entry for each kind of sim/fault, by name.
var kinds = map[string]kind{
	"agent.killed":       {begin: func(c *Cluster, f runners.Fault) error { return c.signalAgent(f.Pod, syscall.SIGKILL) }},
	"agent.stopped":      {begin: func(c *Cluster, f runners.Fault) error { return c.signalAgent(f.Pod, syscall.SIGTERM) }},
	"modelserver.killed": {begin: (*Cluster).killModelServer},

	"network.partition":         {begin: ways(true, toServer, toPod), end: ways(false, toServer, toPod)},
	"network.one-way-partition": {begin: oneWay(true), end: oneWay(false)},
	"network.slow": {
		begin: func(c *Cluster, f runners.Fault) error { return c.slow(f, f.Duration) },
		end:   func(c *Cluster, f runners.Fault) error { return c.slow(f, 0) },
	},

	"store.absent":                    {begin: move("", ".aside"), end: move(".aside", "")},
	"store.empty":                     {begin: (*Cluster).emptyStore, end: (*Cluster).fillStore},
	"store.unreadable":                {begin: (*Cluster).closeStore, end: (*Cluster).openStore},
	"store.version-without-graph":     {begin: (*Cluster).exportWithoutGraph, end: (*Cluster).addGraph},
	"store.version-without-variables": {begin: (*Cluster).exportWithoutVariables, end: (*Cluster).addVariables},
	"version.broken":                  {begin: moveGraph("", ".broken"), end: moveGraph(".broken", "")},

	"zookeeper.down": {
		begin: func(c *Cluster, _ runners.Fault) error { return c.zooKeeperDown(true) },
		end:   func(c *Cluster, _ runners.Fault) error { return c.zooKeeperDown(false) },
	},
	"zookeeper.expired-session": {begin: (*Cluster).expireSession},
	"zookeeper.no-leader":       {begin: (*Cluster).loseLeader, end: (*Cluster).electLeader},
	"zookeeper.unanswered": {begin: func(c *Cluster, f runners.Fault) error {
		p, err := c.findPod(f.Pod)
		if err == nil {
			p.relay.loseAnswers(int(f.N))
		}
		return err
	}},
	"zookeeper.read-only":   {because: "one server of its own is never read-only"},
	"zookeeper.stale-reads": {because: "one server has no followers that lag"},
}

// faultOf finds the kind of a fault.
func faultOf(f runners.Fault) (kind, bool) {
	for _, list := range []map[string]kind{kinds, trainerKinds, consulKinds} {
		if made, ok := list[f.Kind]; ok {
			return made, true
		}
	}
	return kind{}, false
}

// BeginFault begins a fault.
func (c *Cluster) BeginFault(f runners.Fault) error {
	k, err := fault.Find(f.Kind)
	if err != nil {
		return err
	}
	op := "fault.begin"
	if k.End == nil {
		op = "fault.happen"
	}
	c.remark("operator", op, f.Kind, operator.Hit(f))
	made, ok := faultOf(f)
	if !ok || made.begin == nil {
		return fmt.Errorf("fault %s: %s: %w", f.Kind, made.because, runners.ErrUnsupported)
	}
	return made.begin(c, f)
}

// EndFault ends a fault now and cancels its ending by EndFaultAfter.
func (c *Cluster) EndFault(f runners.Fault) error {
	c.endings.Forget(f)
	c.remark("operator", "fault.end", f.Kind, operator.Hit(f))
	made, ok := faultOf(f)
	if !ok || made.end == nil {
		return fmt.Errorf("fault %s: found no end, want none to be asked for", f.Kind)
	}
	return made.end(c, f)
}

// EndFaultAfter makes a fault end by itself after d.
func (c *Cluster) EndFaultAfter(f runners.Fault, d time.Duration) error {
	c.endings.Add(f, c.Now()+d)
	return nil
}

func (c *Cluster) signalAgent(pod string, sig syscall.Signal) error {
	p, err := c.findPod(pod)
	if err != nil {
		return err
	}
	agent := p.leader()
	if agent == nil || p.bare != nil {
		return fmt.Errorf("pod %s: found no running agent to send %v", pod, sig)
	}
	if err := send(agent.pid(), sig); err != nil || sig != syscall.SIGKILL {
		return err
	}
	return p.settle(func() bool { return p.leader() != agent })
}

// settle waits until the pod shows a fault, because the end of a process is noticed a
// moment after its cause.
func (p *pod) settle(shows func() bool) error { return settled("pod "+p.Name, shows) }

// settled waits until shows returns true; name is for the error.
func settled(name string, shows func() bool) error {
	for end := time.Now().Add(readyLimit); !shows(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%s: a process that was killed has not ended after %v", name, readyLimit)
		}
	}
	return nil
}

func (c *Cluster) killModelServer(f runners.Fault) error {
	p, s, err := c.modelServer(f.Pod, f.Server)
	if err != nil {
		return err
	}
	if err := send(s.pid, syscall.SIGKILL); err != nil {
		return err
	}
	return p.settle(func() bool { return !s.runs() })
}

// zooKeeperHost is the name of ZooKeeper as a place in scenarios.
const zooKeeperHost = "zookeeper"

// podsAt returns the pods at some places; zk says that ZooKeeper is among the places.
func (c *Cluster) podsAt(places []string) (pods []*pod, zk bool, err error) {
	for _, place := range places {
		idc, isIDC := strings.CutPrefix(place, "idc:")
		switch {
		case place == zooKeeperHost:
			zk = true
		case isIDC:
			found := len(pods)
			for _, p := range c.pods {
				if p.bare == nil && p.Location.IDC == idc {
					pods = append(pods, p)
				}
			}
			if len(pods) == found {
				return nil, false, fmt.Errorf("place: found %q, want the idc of a pod", place)
			}
		default:
			p, err := c.findPod(place)
			if err != nil {
				return nil, false, err
			}
			pods = append(pods, p)
		}
	}
	return pods, zk, nil
}

// between returns the pods whose relays a fault of the network hits. outward is true if the
// fault is on the way from the pods. Only the network to ZooKeeper passes through relays,
// so other faults are unsupported.
func (c *Cluster) between(f runners.Fault) (pods []*pod, outward bool, err error) {
	from, fromZK, err := c.podsAt(f.From)
	if err != nil {
		return nil, false, err
	}
	to, toZK, err := c.podsAt(f.To)
	if err != nil {
		return nil, false, err
	}
	switch {
	case len(from) > 0 && !fromZK && toZK && len(to) == 0:
		return from, true, nil
	case len(to) > 0 && !toZK && fromZK && len(from) == 0:
		return to, false, nil
	}
	return nil, false, fmt.Errorf("a network between pods is that of the loopback, which is always whole: %w", runners.ErrUnsupported)
}

func ways(held bool, ways ...int) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		pods, _, err := c.between(f)
		for _, p := range pods {
			p.relay.hold(held, ways...)
		}
		return err
	}
}

func oneWay(held bool) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		pods, outward, err := c.between(f)
		way := toPod
		if outward {
			way = toServer
		}
		for _, p := range pods {
			p.relay.hold(held, way)
		}
		return err
	}
}

func (c *Cluster) slow(f runners.Fault, extra time.Duration) error {
	pods, _, err := c.between(f)
	for _, p := range pods {
		p.relay.slow(c.wall(extra))
	}
	return err
}

// expireSession ends the sessions of a pod on the server.
func (c *Cluster) expireSession(f runners.Fault) error {
	p, err := c.findPod(f.Pod)
	if err != nil {
		return err
	}
	return c.endSessions("pod "+f.Pod, p.relay)
}

func (c *Cluster) stopZooKeeper() error {
	c.expiries.disconnect()
	return c.zk.stop()
}

func (c *Cluster) startZooKeeper() error {
	if err := c.zk.start(); err != nil {
		return err
	}
	c.expiries.connect()
	return nil
}

// loseLeader ends all connections, and every new one at once. Sessions do not expire during
// that time: the server is stopped, and gives them their full timeouts when it is back.
func (c *Cluster) loseLeader(runners.Fault) error {
	for _, p := range c.pods {
		p.relay.refuse(true)
	}
	return c.stopZooKeeper()
}

func (c *Cluster) electLeader(runners.Fault) error {
	if err := c.startZooKeeper(); err != nil {
		return err
	}
	for _, p := range c.pods {
		p.relay.refuse(false)
	}
	return nil
}

// move returns a function that renames the base path of a fault.
func move(from, to string) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		dir := c.disks.modelPath(f.BasePath)
		return os.Rename(hidden(dir, from), hidden(dir, to))
	}
}

// hidden returns the name under which a fault keeps what it takes away, beside the original
// place. With an empty why it returns the original name.
func hidden(name, why string) string {
	if why == "" {
		return name
	}
	return filepath.Join(filepath.Dir(name), why+"-"+filepath.Base(name))
}

func (c *Cluster) emptyStore(f runners.Fault) error {
	dir := c.disks.modelPath(f.BasePath)
	if err := os.Rename(dir, hidden(dir, ".aside")); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

func (c *Cluster) fillStore(f runners.Fault) error {
	dir := c.disks.modelPath(f.BasePath)
	added, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range added { // exported while the fault lasted
		if err := os.Rename(filepath.Join(dir, d.Name()), filepath.Join(hidden(dir, ".aside"), d.Name())); err != nil {
			return err
		}
	}
	if err := os.Remove(dir); err != nil {
		return err
	}
	return os.Rename(hidden(dir, ".aside"), dir)
}

// closeStore makes a base path unreadable for every user, by a link to itself.
func (c *Cluster) closeStore(f runners.Fault) error {
	dir := c.disks.modelPath(f.BasePath)
	if err := os.Rename(dir, hidden(dir, ".aside")); err != nil {
		return err
	}
	return os.Symlink(dir, dir)
}

func (c *Cluster) openStore(f runners.Fault) error {
	dir := c.disks.modelPath(f.BasePath)
	if err := os.Remove(dir); err != nil {
		return err
	}
	return os.Rename(hidden(dir, ".aside"), dir)
}

// versionDir returns the directory of the version that a fault hits.
func (c *Cluster) versionDir(f runners.Fault) string {
	return filepath.Join(c.disks.modelPath(f.BasePath), strconv.FormatInt(f.N, 10))
}

func (c *Cluster) exportWithoutGraph(f runners.Fault) error {
	return addSized(filepath.Join(c.versionDir(f), variablesDir, variablesFile), f.SizeBytes)
}

func (c *Cluster) addGraph(f runners.Fault) error {
	name := filepath.Join(c.versionDir(f), graphFile)
	if err := wantMissing(f, name); err != nil {
		return err
	}
	return write(name, needsVariables, 0o644)
}

// needsVariables is the description of a graph that cannot be used without its variables.
var needsVariables = []byte(`{"variables": ["w"]}`)

func (c *Cluster) exportWithoutVariables(f runners.Fault) error {
	dir := c.versionDir(f)
	if err := addSized(hidden(dir, ".variables"), f.SizeBytes); err != nil {
		return err
	}
	return write(filepath.Join(dir, graphFile), needsVariables, 0o644)
}

func (c *Cluster) addVariables(f runners.Fault) error {
	dir := c.versionDir(f)
	name := filepath.Join(dir, variablesDir, variablesFile)
	if err := wantMissing(f, name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.Rename(hidden(dir, ".variables"), name)
}

// wantMissing returns an error if the part of a version that is still to arrive exists already.
func wantMissing(f runners.Fault, part string) error {
	if _, err := os.Stat(part); err == nil {
		return fmt.Errorf("version %d of %s: found no part that is missing", f.N, f.BasePath)
	}
	return nil
}

func moveGraph(from, to string) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		graph := filepath.Join(c.versionDir(f), graphFile)
		return os.Rename(graph+from, graph+to)
	}
}
