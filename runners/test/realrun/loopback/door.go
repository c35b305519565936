package loopback

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// door accepts a pod's connections to ZooKeeper. It can imitate a host that is unreachable and answers
// nothing, so that the client's attempt times out, a host that answers late, and a host without the
// server, which refuses. If this program may create a network device (cable), the imitation is exact.
// Otherwise an unreachable host only loses the client's first packet, which the system sends again
// after a second of wall time. And a late host accepts at once, but delays the server's first answer.
type door struct {
	c      *Cluster
	number int

	mu sync.Mutex
	ln net.Listener
	// shut says that attempts to connect get no answer, because their first packets are lost. delay
	// is the additional delay in each direction.
	shut  bool
	delay time.Duration
}

// newDoor opens the listener through which a pod connects to ZooKeeper.
func newDoor(c *Cluster, ip string) (*door, error) {
	d := &door{c: c}
	host := c.net.ip(1)
	if c.cable != nil {
		host = c.cable.local()
		fmt.Sscan(ip[strings.LastIndexByte(ip, '.')+1:], &d.number)
	}
	var err error
	d.ln, err = listen(net.JoinHostPort(host, "0"))
	return d, err
}

// HasCable reports whether the relays in front of ZooKeeper are reached through a network
// device of this program, rather than at an address of the cluster.
func (c *Cluster) HasCable() bool { return c.cable != nil }

// listen listens on a TCP address with multipath TCP off, because multipath sockets cannot
// drop starts of connections.
func listen(addr string) (net.Listener, error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	return config.Listen(context.Background(), "tcp", addr)
}

// addr returns the address at which the pod finds ZooKeeper.
func (d *door) addr() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.c.cable == nil {
		return d.ln.Addr().String()
	}
	_, port, _ := net.SplitHostPort(d.ln.Addr().String()) // cannot fail: the listener's address has a port
	return net.JoinHostPort(d.c.cable.at(d.number), port)
}

// hold makes attempts to connect go unanswered if shut is true, and lets them be answered again if
// it is false.
func (d *door) hold(shut bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut == shut {
		return nil
	}
	d.shut = shut
	if d.c.cable != nil {
		d.c.cable.hold(d.number, d.shut, 2*d.delay)
		return nil
	}
	return ignore(d.ln, shut)
}

// slow delays the start of each connection by delay in each direction, if there is a cable.
func (d *door) slow(delay time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.delay = delay
	if d.c.cable != nil {
		d.c.cable.hold(d.number, d.shut, 2*d.delay)
	}
}

// leave closes the listener, so that attempts to connect are refused, as by a host without
// the server.
func (d *door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ln.Close()
}

// comeBack listens again at the previous port.
func (d *door) comeBack() (net.Listener, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ln, err := listen(d.ln.Addr().String())
	if err != nil {
		return nil, err
	}
	d.ln = ln
	if d.shut && d.c.cable == nil {
		err = ignore(ln, true)
	}
	return ln, err
}

// zooKeeperDown stops the server, or starts it again. While it is down, connections are
// refused.
func (c *Cluster) zooKeeperDown(on bool) error {
	if on {
		if err := c.stopZooKeeper(); err != nil {
			return err
		}
		for _, r := range c.relays() {
			r.door.leave()
		}
		return nil
	}
	if err := c.startZooKeeper(); err != nil {
		return err
	}
	for _, r := range c.relays() {
		if err := r.comeBack(); err != nil {
			return err
		}
	}
	return nil
}

// relays lists the relays of all pods and of all processes of the training job.
func (c *Cluster) relays() []*relay {
	list := lists.MapOrNil(c.pods, func(p *pod) *relay { return p.relay })
	for _, t := range c.trainers {
		if t.relay != nil {
			list = append(list, t.relay)
		}
	}
	return list
}
