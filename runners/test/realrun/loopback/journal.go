package loopback

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// journal puts together what was seen of a cluster: what it is told, and what processes
// write down.
type journal struct {
	c    *Cluster
	stop chan struct{}
	done chan struct{}

	mu   sync.Mutex
	list []runners.Observation
	// tails are the files that processes add to, by name.
	tails map[string]*tail
	tree  map[string]*runners.Znode
	// owners are the addresses of sessions.
	owners map[string]string
	// seen are the model servers that were told of, by their file, and whether their end
	// was.
	seen   map[string]*seenServer
	counts runners.Counts
	// deeds count what processes of a training job have done.
	deeds map[trainingDeed]int
}

// seenServer is what was told of a model server.
type seenServer struct{ serving, ended bool }

func newJournal(c *Cluster) *journal {
	return &journal{
		c: c, stop: make(chan struct{}), tails: map[string]*tail{}, tree: map[string]*runners.Znode{"/": {Path: "/"}},
		owners: map[string]string{}, seen: map[string]*seenServer{}, deeds: map[trainingDeed]int{},
		counts: runners.Counts{RPCs: map[string]uint64{}, ZooKeeperRequests: map[string]uint64{}},
	}
}

// lookEvery is the wall time between two looks at the files.
const lookEvery = 50 * time.Millisecond

// watch begins to follow what processes write down.
func (j *journal) watch() {
	j.done = make(chan struct{})
	go func() {
		defer close(j.done)
		again := time.NewTicker(lookEvery)
		defer again.Stop()
		for {
			j.look()
			select {
			case <-j.stop:
				return
			case <-again.C:
			}
		}
	}()
}

// close ends the watch.
func (j *journal) close() {
	close(j.stop)
	if j.done != nil {
		<-j.done
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range j.tails {
		t.file.Close()
	}
}

// add takes an observation down; one without a time is of now.
func (j *journal) add(o runners.Observation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.note(o)
}

func (j *journal) note(o runners.Observation) {
	if o.At == 0 {
		o.At = j.c.Now()
	}
	if !j.c.spec.Detail {
		o.Data, o.ID, o.Peer, o.Took = "", 0, "", 0
	}
	j.list = append(j.list, o)
}

// log is what was seen so far, in the order in which it happened.
func (j *journal) log() []runners.Observation {
	j.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	slices.SortStableFunc(j.list, func(a, b runners.Observation) int { return cmp.Compare(a.At, b.At) })
	return slices.Clip(j.list)
}

// started and ended tell of the first process of a pod.
func (j *journal) started(p *pod, pid int) {
	if p.bare == nil { // a model server tells of itself
		j.add(runners.Observation{Pod: p.Name, Op: "process.start", Path: "agent_service", Note: "--conf=" + agentConf, ID: int64(pid)})
	}
}

func (j *journal) ended(p *pod, pid, code int) {
	name := "agent_service"
	if p.bare != nil {
		name = "tensorflow_model_server"
	}
	j.add(runners.Observation{Pod: p.Name, Op: "process.exit", Path: name, Note: fmt.Sprintf("code %d", code), ID: int64(pid)})
}

// agentConf is the agent.conf as agents call it.
const agentConf = "/opt/tiger/monolith_serving/conf/agent.conf"

// look reads what processes have written down since.
func (j *journal) look() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if z, ok := j.c.zk.(*simulated); ok {
		j.follow(z.eventsFile(), j.wrote)
	}
	for _, p := range j.c.pods {
		for _, s := range p.allModelServers() {
			j.lookAt(p, s)
		}
	}
	for _, t := range j.c.trainers {
		j.follow(t.eventsFile(), func(line []byte) { j.trained(t, line) })
	}
}

// lookAt tells what is new of a model server.
func (j *journal) lookAt(p *pod, s modelServer) {
	seen := j.seen[s.name]
	if seen == nil {
		seen = &seenServer{}
		j.seen[s.name] = seen
		args := string(j.c.disks.plain(p.Name, []byte(strings.Join(s.args, " "))))
		j.note(runners.Observation{At: j.c.at(s.startedAt), Pod: p.Name, Op: "process.start", Path: "tensorflow_model_server", Note: args, ID: int64(s.pid)})
	}
	if !s.serving.IsZero() && !seen.serving {
		seen.serving = true
		j.note(runners.Observation{At: j.c.at(s.serving), Pod: p.Name, Op: "modelserver.serving", Path: s.kind, Note: fmt.Sprintf("port %d", s.port), ID: int64(s.pid)})
	}
	j.follow(s.name+".events", func(line []byte) { j.changed(p, s.pid, line) })
	if !seen.ended && p.bare == nil && !s.runs() && time.Since(s.startedAt) > time.Second {
		seen.ended = true
		j.note(runners.Observation{Pod: p.Name, Op: "process.exit", Path: "tensorflow_model_server", ID: int64(s.pid)})
	}
}

// changed tells of a version's new state.
func (j *journal) changed(p *pod, pid int, line []byte) {
	var e struct {
		Time    time.Time
		Model   string
		Version int64
		State   string
		Code    string
		Message string
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	note := e.State
	if e.Code != "" {
		note += ": " + e.Code + ": " + string(j.c.disks.plain(p.Name, []byte(e.Message)))
	}
	j.note(runners.Observation{
		At: j.c.told(e.Time), Pod: p.Name, Op: "modelserver.state", Path: fmt.Sprintf("%s/%d", e.Model, e.Version), Note: note, ID: int64(pid),
	})
}

// wrote takes down a write of ZooKeeper, and does the same to the tree.
func (j *journal) wrote(line []byte) {
	var e wire.Event
	if json.Unmarshal(line, &e) != nil {
		return
	}
	data := e.DataBytes
	if data == nil {
		data = []byte(e.Data)
	}
	j.counts.ZooKeeperWrites++
	j.counts.ZooKeeperRequests[e.Op]++
	switch {
	case e.Error != "":
	case e.Op == "createSession":
		j.counts.SessionsOpened++
	default:
		j.apply(e.Op, e.Path, data, e.Ephemeral)
	}
	if _, known := j.owners[e.Session]; !known && e.Client != "" { // whoever ends it later may be another
		j.owners[e.Session] = e.Client
	}
	note := e.Error
	switch {
	case note != "":
	case e.Of == "closeSession" && e.Op == "delete":
		note = "with its session"
	case e.Ephemeral:
		note = "ephemeral"
	}
	var id int64
	fmt.Sscanf(e.Session, "%v", &id)
	j.note(runners.Observation{
		At: j.c.told(e.Time), Pod: j.podAt(j.owners[e.Session]), Op: "zookeeper." + e.Op, Path: e.Path, Note: note,
		Data: string(j.c.disks.plain("", data)), ID: id,
	})
}

// podAt is the pod, or the process of a training job, with an address; the operator has none.
func (j *journal) podAt(ip string) string {
	for _, t := range j.c.trainers {
		if t.ip == ip {
			return t.name
		}
	}
	for _, p := range j.c.pods {
		if p.ip == ip {
			return p.Name
		}
	}
	return "operator"
}

// apply changes the tree.
func (j *journal) apply(op, path string, data []byte, ephemeral bool) {
	parent := j.tree[parentOf(path)]
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case strings.HasPrefix(op, "create"):
		j.tree[path] = &runners.Znode{Path: path, Data: data, Ephemeral: ephemeral}
		if parent != nil {
			i, _ := slices.BinarySearch(parent.Children, name)
			parent.Children = slices.Insert(slices.Clone(parent.Children), i, name)
		}
	case op == "setData":
		if n := j.tree[path]; n != nil {
			n.Data = data
			n.Version++
		}
	case strings.HasPrefix(op, "delete"):
		delete(j.tree, path)
		if parent != nil {
			parent.Children = slices.DeleteFunc(slices.Clone(parent.Children), func(c string) bool { return c == name })
		}
	}
}

func parentOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

// znode is a znode as the last write left it.
func (j *journal) znode(path string) (runners.Znode, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if z, ok := j.c.zk.(*simulated); ok {
		j.follow(z.eventsFile(), j.wrote)
	}
	n := j.tree[path]
	if n == nil {
		return runners.Znode{}, false
	}
	found := *n
	found.Data = j.c.disks.plain("", n.Data)
	return found, true
}

// tail is a file that somebody adds lines to.
type tail struct {
	file *os.File
	rest []byte // the beginning of a line
}

// follow gives each new line of a file to take. A file that is not there has none.
func (j *journal) follow(name string, take func(line []byte)) {
	t := j.tails[name]
	if t == nil {
		file, err := os.Open(name)
		if err != nil {
			return
		}
		t = &tail{file: file}
		j.tails[name] = t
	}
	text, err := io.ReadAll(bufio.NewReader(t.file))
	if err != nil || len(text) == 0 {
		return
	}
	text = append(t.rest, text...)
	last := bytes.LastIndexByte(text, '\n') + 1
	t.rest = slices.Clone(text[last:])
	for line := range bytes.Lines(text[:last]) {
		take(line)
	}
}

// stats are the counts so far.
func (j *journal) stats() runners.Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	return runners.Stats{Virtual: j.c.Now(), Counts: j.counts}
}
