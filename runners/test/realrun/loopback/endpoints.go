package loopback

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// Endpoints holds the current addresses of a cluster's processes.
type Endpoints struct {
	// ZooKeeper is host:port, or "" while the server is down. ZooKeeperAdmin is the URL of its
	// interface for faults, with the token as password. It is "" unless Options.Admin is set.
	ZooKeeper      string       `json:"zookeeper"`
	ZooKeeperAdmin string       `json:"zookeeper_admin,omitempty"`
	Pods           []PodAddress `json:"pods"`
}

// PodAddress holds the addresses of a pod.
type PodAddress struct {
	Name string `json:"name"`
	IP   string `json:"ip"`
	// Agent is host:port of AgentService, or "" while no agent runs.
	Agent        string          `json:"agent,omitempty"`
	ModelServers []ServerAddress `json:"model_servers"`
}

// ServerAddress holds the addresses of a model server. REST and Admin are "" if the server
// has none.
type ServerAddress struct {
	Kind  string `json:"kind,omitempty"`
	GRPC  string `json:"grpc"`
	REST  string `json:"rest,omitempty"`
	Admin string `json:"admin,omitempty"`
	// Serving says whether the model server's ports are open.
	Serving bool `json:"serving"`
	PID     int  `json:"pid"`
}

// Endpoints returns the present addresses of the cluster's processes.
func (c *Cluster) Endpoints() Endpoints {
	all := Endpoints{ZooKeeper: strings.Join(c.zk.addrs(), ","), Pods: lists.Map(c.pods, (*pod).addresses)}
	if z, ok := c.zk.(*simulated); ok && c.o.Admin {
		all.ZooKeeperAdmin = z.admin()
	}
	return all
}

// noToken is the value of Options.AdminToken that turns the check of tokens off.
const noToken = "none"

// tokenFile names the file that holds the token of the interfaces for faults.
const tokenFile = "admin.token"

// adminAccess returns the flag that tells a process the token of its interface for faults.
// The flag names a file, because others could read a token in the list of processes.
func (c *Cluster) adminAccess(flag, file string) string {
	if c.o.AdminToken == noToken {
		return flag + "=" + noToken
	}
	return file + "=" + filepath.Join(c.disks.root, tokenFile)
}

// adminURL returns the URL of an interface for faults, including the token.
func (c *Cluster) adminURL(port int) string {
	u := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
	if c.o.AdminToken != noToken {
		u.User = url.UserPassword("monosim", c.o.AdminToken)
	}
	return u.String()
}

func (p *pod) addresses() PodAddress {
	a := PodAddress{Name: p.Name, IP: p.ip, ModelServers: []ServerAddress{}}
	if port, ok := p.agentPort(); ok {
		a.Agent = fmt.Sprintf("%s:%d", p.ip, port)
	}
	for _, m := range p.modelServers() {
		one := ServerAddress{Kind: m.kind, GRPC: p.addr(m), Serving: !m.serving.IsZero(), PID: m.pid}
		if m.rest != 0 {
			one.REST = fmt.Sprintf("%s:%d", p.ip, m.rest)
		}
		if m.admin != 0 {
			one.Admin = p.c.adminURL(m.admin)
		}
		a.ModelServers = append(a.ModelServers, one)
	}
	return a
}
