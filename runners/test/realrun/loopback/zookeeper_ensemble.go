package loopback

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// ownEnsemble is `monosim zookeeper --ensemble`: several servers in one process. Its
// interface for faults can stop, separate and delay each server. Clients connect to the
// leader unless they are placed elsewhere.
type ownEnsemble struct {
	*simulated

	mu sync.Mutex
	// taken maps the address of a server that serves a single pod to the server's number.
	taken map[string]int
}

// ensembleSize is a leader and two followers, enough to give each of two pods its own
// follower.
const ensembleSize = 3

// electionTime is how long an election takes, in cluster time. A real election takes as long
// on a quiet network (ZK-24).
const electionTime = 300 * time.Millisecond

// leaderLimit is how long, in wall time, an ensemble may take to elect a leader.
const leaderLimit = 30 * time.Second

func newOwnEnsemble(c *Cluster) (zooKeeper, error) {
	z := &ownEnsemble{simulated: &simulated{c: c, dir: filepath.Join(c.disks.root, "zookeeper"), servers: ensembleSize}, taken: map[string]int{}}
	if err := z.simulated.start(); err != nil {
		return nil, err
	}
	return z, z.awaitLeader()
}

// ensembleServer is what the interface for faults says about one server.
type ensembleServer struct {
	ID   int    `json:"id"`
	Addr string `json:"addr"`
	Mode string `json:"mode"`
}

func (z *ownEnsemble) look() (list []ensembleServer, err error) {
	return list, ask(http.MethodGet, z.admin()+"/servers", nil, &list)
}

// tell sends an action to the interface for faults, once for each selected server. The parameter
// which is the function that selects servers.
func (z *ownEnsemble) tell(action string, body any, which func(ensembleServer) bool) error {
	list, err := z.look()
	for _, s := range list {
		if which(s) {
			err = errors.Join(err, ask(http.MethodPost, fmt.Sprintf("%s/servers/%d%s", z.admin(), s.ID, action), body, nil))
		}
	}
	return err
}

func all(ensembleServer) bool { return true }

// addrs returns the leader's address, or the addresses of all servers if there is no leader.
func (z *ownEnsemble) addrs() []string {
	list, err := z.look()
	if err != nil {
		return nil
	}
	var addrs []string
	for _, s := range list {
		if s.Mode == "leader" {
			return []string{s.Addr}
		}
		if s.Mode != "stopped" {
			addrs = append(addrs, s.Addr)
		}
	}
	return addrs
}

// stop stops all servers. Acknowledged writes are kept.
func (z *ownEnsemble) stop() error { return z.tell("/stop", struct{}{}, all) }

// start starts the stopped servers and reconnects all servers with each other.
func (z *ownEnsemble) start() error {
	err := z.tell("/cut", map[string]any{"cut": false}, all)
	err = errors.Join(err, z.tell("/start", struct{}{}, func(s ensembleServer) bool { return s.Mode == "stopped" }))
	if err != nil {
		return err
	}
	return z.awaitLeader()
}

func (z *ownEnsemble) close() { _ = z.simulated.stop() }

func (z *ownEnsemble) awaitLeader() error {
	for end := time.Now().Add(leaderLimit); ; time.Sleep(serverLooks) {
		list, err := z.look()
		if slices.ContainsFunc(list, func(s ensembleServer) bool { return s.Mode == "leader" }) {
			return nil
		}
		if time.Now().After(end) {
			return errors.Join(err, fmt.Errorf("zookeeper: found no leader of %d servers after %v", len(list), leaderLimit))
		}
	}
}

func (z *ownEnsemble) follower(lag time.Duration) (string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	list, err := z.look()
	if err != nil {
		return "", err
	}
	for _, s := range list {
		if s.Mode == "follower" && z.taken[s.Addr] == 0 {
			z.taken[s.Addr] = s.ID
			return s.Addr, z.behind(s.ID, lag)
		}
	}
	return "", fmt.Errorf("zookeeper: found %d pods that are served by a follower of their own, want %d at most", len(z.taken), len(list)-1)
}

// behind makes a server learn of writes with a delay of lag, in cluster time.
func (z *ownEnsemble) behind(id int, lag time.Duration) error {
	return z.tell("/behind", map[string]any{"lag": z.c.wall(lag).String()}, func(s ensembleServer) bool { return s.ID == id })
}

func (z *ownEnsemble) leave(addr string) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	id := z.taken[addr]
	delete(z.taken, addr)
	return z.behind(id, 0)
}

func (z *ownEnsemble) loseQuorum() error { return z.tell("/cut", map[string]any{"cut": true}, all) }
