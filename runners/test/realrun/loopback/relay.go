package loopback

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/monosim/monosim/runners/test/realrun/wiretap"
)

// relay stands for the network between one pod and ZooKeeper. It passes on frames of
// ZooKeeper's protocol, and can hold them, delay them, or lose answers. It connects to the
// server from the pod's address. The cluster's tap decodes all of its traffic.
type relay struct {
	c *Cluster
	// name is the pod's name in observations, and ip its address.
	name, ip string
	// door is the listener to which the pod connects.
	door *door
	wg   sync.WaitGroup

	mu     sync.Mutex
	change *sync.Cond // signalled when a field below changes
	// held says, for each direction, whether frames are held back: to the server, and to the pod.
	held [2]bool
	// refuses says that every connection is closed at once.
	refuses bool
	// delay is how much slower each direction is, in wall time.
	delay time.Duration
	// placed is the address of the server that connections are made to, "" for any server.
	placed string
	// lose is how many of the next answers are to be lost.
	lose   int
	links  map[*relayLink]bool
	closed bool
	// sessions lists the pod's sessions, the newest last.
	sessions []zkSession
}

// zkSession holds what a client needs to continue a session.
type zkSession struct {
	id       int64
	password []byte
}

// The two directions of a relay.
const (
	toServer = iota
	toPod
)

func newRelay(c *Cluster, name, ip string) (*relay, error) {
	d, err := newDoor(c, ip)
	if err != nil {
		return nil, err
	}
	r := &relay{c: c, name: name, ip: ip, door: d, links: map[*relayLink]bool{}}
	r.change = sync.NewCond(&r.mu)
	r.wg.Add(1)
	go r.accept(d.ln)
	return r, nil
}

// comeBack accepts connections again after the door was closed.
func (r *relay) comeBack() error {
	ln, err := r.door.comeBack()
	if err == nil {
		r.wg.Add(1)
		go r.accept(ln)
	}
	return err
}

// addr returns the address at which the pod finds ZooKeeper.
func (r *relay) addr() string { return r.door.addr() }

func (r *relay) accept(ln net.Listener) {
	defer r.wg.Done()
	for {
		conn, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // usually there are no file descriptors left, and some will become free again
			continue
		}
		r.wg.Add(1)
		go r.serve(conn)
	}
}

// relayLink joins one connection from the pod with its connection to the server.
type relayLink struct {
	pod, server net.Conn
	tap         *wiretap.Conn
	closeOnce   sync.Once
}

// reset aborts the pod's connection with a TCP reset, like a network that has lost an
// answer. The server has handled the request, but the client cannot know.
func (l *relayLink) reset() {
	if tcp, ok := l.pod.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the error is not looked at: without this, the connection is closed normally
	}
	l.close()
}

func (l *relayLink) close() {
	l.closeOnce.Do(func() {
		l.pod.Close()
		if l.server != nil {
			l.server.Close()
		}
	})
}

// serve passes on the traffic of one connection until either end closes it.
func (r *relay) serve(conn net.Conn) {
	defer r.wg.Done()
	l := &relayLink{pod: conn}
	defer l.close()
	if r.c.cable == nil {
		time.Sleep(2 * r.slowness()) // a slow network would also delay both packets of the connection's start
	}
	// Connecting takes both directions, so a connection that began before the door was shut
	// waits for both to open.
	if !r.wait(toServer) || !r.wait(toPod) || !r.dial(l) {
		return
	}
	defer func() {
		l.tap.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.links, l)
	}()
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		defer l.close()
		r.pass(l, toServer, l.pod, l.server)
	}()
	r.pass(l, toPod, l.server, l.pod)
}

// dial connects to the server. It returns false if that fails, as during an outage.
func (r *relay) dial(l *relayLink) bool {
	r.mu.Lock()
	refuses, placed := r.refuses, r.placed
	r.mu.Unlock()
	if refuses {
		return false
	}
	server, err := r.c.dialZooKeeper(r.ip, placed)
	if err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l.server, l.tap = server, r.c.tap.Connect(r.name)
	if r.closed || r.refuses || r.placed != placed {
		return false
	}
	r.links[l] = true
	return true
}

// maxFrame is a limit in bytes above any frame of a server or client (jute.maxbuffer).
const maxFrame = 8 << 20

// frame is a message in one direction. due is when it is to be sent. A frame without data stands
// for the end of the connection, which is delayed and held as messages are.
type frame struct {
	data []byte
	due  time.Time
}

// pass passes on the frames of one direction in order, each after the relay's delay.
func (r *relay) pass(l *relayLink, way int, from, to net.Conn) {
	frames := make(chan frame, 1024)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for f := range frames {
			time.Sleep(time.Until(f.due))
			if !r.wait(way) || f.data == nil {
				break
			}
			if _, err := to.Write(f.data); err != nil {
				break
			}
		}
		l.close() // closed, so that the goroutine that reads from it ends
		for range frames {
			continue
		}
	}()
	for first := true; ; first = false {
		data, err := readFrame(from)
		if err != nil {
			if way == toPod {
				l.tap.Close() // the server has closed the connection, even if the pod may not know it yet
			}
			frames <- frame{nil, time.Now().Add(r.slowness())}
			break
		}
		data, lost := r.inspect(l, way, first, data)
		if lost {
			l.reset()
			break
		}
		frames <- frame{data, time.Now().Add(r.slowness())}
	}
	close(frames)
	<-done
}

// readFrame reads one frame, which is a length and that many bytes, or a four-letter word.
// It returns the bytes unchanged.
func readFrame(from io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, errors.New("relay: found a frame of more bytes than ZooKeeper takes")
	}
	data := make([]byte, 4+n)
	copy(data, head[:])
	_, err := io.ReadFull(from, data[4:])
	return data, err
}

// xids of messages that answer no request.
const (
	xidEvent = -1
	xidPing  = -2
)

// inspect examines a frame and returns the frame to pass on. It lets the tap decode the
// frame, records sessions, and scales timeouts for a server on the wall clock. lost says
// that the frame is to be dropped.
func (r *relay) inspect(l *relayLink, way int, first bool, data []byte) (passed []byte, lost bool) {
	body := data[4:]
	switch {
	case first && way == toServer:
		// ConnectRequest: protocolVersion int32, lastZxidSeen int64, timeOut int32, ...
		l.tap.Request(body)
		if len(body) >= 16 {
			scale(body[12:16], r.timeoutScale())
		}
		return data, false
	case first && way == toPod:
		// ConnectResponse: protocolVersion int32, timeOut int32, sessionId int64, passwd
		l.tap.Answer(body)
		if len(body) >= 20 {
			scale(body[4:8], 1/r.timeoutScale())
			r.greet(body)
		}
		return data, false
	case way == toServer:
		return instead(data, l.tap.Request(body)), false
	case len(body) < 4:
		return data, false
	}
	xid := int32(binary.BigEndian.Uint32(body))
	data = instead(data, l.tap.Answer(body))
	if xid == xidPing || xid == xidEvent {
		return data, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lose > 0 {
		r.lose--
		return nil, true
	}
	return data, false
}

// instead returns other, or frame if other is nil. The tap sets other when it wants another frame
// to be passed on.
func instead(frame, other []byte) []byte {
	if other != nil {
		return other
	}
	return frame
}

// timeoutScale returns the factor by which session timeouts are multiplied on their way to
// the server. It is 1 for the operator's client, which runs on the wall clock.
func (r *relay) timeoutScale() float64 {
	if r.name == operatorName {
		return 1
	}
	return r.c.zk.timeoutScale()
}

func scale(field []byte, by float64) {
	if by != 1 {
		binary.BigEndian.PutUint32(field, uint32(float64(binary.BigEndian.Uint32(field))*by))
	}
}

// greet records the session that the server has granted to the pod.
func (r *relay) greet(body []byte) {
	id, n := int64(binary.BigEndian.Uint64(body[8:16])), int(binary.BigEndian.Uint32(body[16:20]))
	if id == 0 || n < 0 || len(body) < 20+n {
		return // the requested session has expired
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.sessions {
		if r.sessions[i].id == id {
			r.sessions = append(r.sessions[:i], r.sessions[i+1:]...)
			break
		}
	}
	r.sessions = append(r.sessions, zkSession{id, append([]byte{}, body[20:20+n]...)})
}

// wait waits until a direction is no longer held. It returns false if the relay is closed.
func (r *relay) wait(way int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.held[way] && !r.closed {
		r.change.Wait()
	}
	return !r.closed
}

// hold holds frames of the given directions back, or releases them.
func (r *relay) hold(held bool, ways ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, way := range ways {
		r.held[way] = held
	}
	r.change.Broadcast()
	if err := r.door.hold(r.held[toServer] || r.held[toPod]); err != nil {
		r.c.fail("the network of %s: %v", r.ip, err)
	}
}

// slowness returns the delay of each direction, in wall time.
func (r *relay) slowness() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.delay
}

// slow sets the delay of each direction, in wall time.
func (r *relay) slow(delay time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = delay
	r.door.slow(delay)
}

// loseAnswers makes the next n answers to requests get lost.
func (r *relay) loseAnswers(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose += n
}

// refuse closes all present connections and each new one if on is true. If on is false, connections
// are accepted again.
func (r *relay) refuse(on bool) {
	r.mu.Lock()
	r.refuses = on
	r.mu.Unlock()
	if on {
		r.drop()
	}
}

// move directs new connections to the server at addr, "" for any server, and closes existing
// ones. It returns the address that was set before.
func (r *relay) move(addr string) (had string) {
	r.mu.Lock()
	had, r.placed = r.placed, addr
	r.mu.Unlock()
	if had != addr {
		r.drop()
	}
	return had
}

// drop ends all connections.
func (r *relay) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.links {
		l.close()
	}
}

// given returns all sessions that the pod was granted.
func (r *relay) given() []zkSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]zkSession{}, r.sessions...)
}

func (r *relay) close() {
	r.mu.Lock()
	r.closed = true
	r.change.Broadcast()
	r.mu.Unlock()
	r.door.leave()
	r.drop()
	r.wg.Wait()
}
