package loopback

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// cable is a network device (tun) of this program through which pods reach their relays. The
// program receives every packet and sends it back with its two addresses exchanged. A packet
// to the address of a pod's relay thus arrives at the relay, and answers return the same
// way. So the program can hold back the start of a connection, and both ends only notice a
// delay.
type cable struct {
	device *os.File
	claim  net.Listener
	net    [3]byte // the first three bytes of the cable's addresses
	done   chan struct{}

	mu    sync.Mutex
	gates map[byte]*heldStart // connections held at their start, by the last byte of the address
}

// heldStart says how the first packets (SYN) of connections to one address are treated.
type heldStart struct {
	shut  bool
	delay time.Duration
	held  map[uint16][]byte // latest SYN packet from each port, while the cable is cut
}

// newCable makes a cable with addresses that no other cable on this host uses. It needs
// root, and its error says which permission is missing.
func newCable() (*cable, error) {
	w := &cable{gates: map[byte]*heldStart{}, done: make(chan struct{})}
	// 198.18.0.0/15 is reserved for network tests (RFC 2544). Listening on a port of the
	// loopback claims one part of that range.
	for n := 0; w.claim == nil; n++ {
		if n == 512 {
			return nil, fmt.Errorf("addresses of 198.18.0.0/15: all are taken")
		}
		w.net = [3]byte{198, 18 + byte(n/256), byte(n)}
		// an error means that the part is taken
		w.claim, _ = net.Listen("tcp", fmt.Sprintf("127.254.%d.%d:%d", n/256, n%256, claimPort))
	}
	name, err := w.open()
	if err == nil {
		err = w.setUp(name)
	}
	if err != nil {
		if w.device != nil {
			w.device.Close()
		}
		w.claim.Close()
		return nil, err
	}
	go w.pass()
	return w, nil
}

// open creates the network device. The kernel removes the device when it is closed.
func (w *cable) open() (name string, err error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("open /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq("monosim%d")
	if err != nil {
		return "", err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		unix.Close(fd)
		return "", fmt.Errorf("make a network device: %w", err)
	}
	w.device = os.NewFile(uintptr(fd), "/dev/net/tun")
	return request.Name(), nil
}

// setUp gives the network device the relays' address and brings it up.
func (w *cable) setUp(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, step := range []struct {
		request uint
		value   [4]byte
	}{
		{unix.SIOCSIFADDR, [4]byte{w.net[0], w.net[1], w.net[2], 1}},
		{unix.SIOCSIFNETMASK, [4]byte{255, 255, 255, 0}},
	} {
		r, err := unix.NewIfreq(name)
		if err == nil {
			err = r.SetInet4Addr(step.value[:])
		}
		if err == nil {
			err = unix.IoctlIfreq(fd, step.request, r)
		}
		if err != nil {
			return fmt.Errorf("give %s the address %v: %w", name, step.value, err)
		}
	}
	r, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// local returns the address on which relays listen. at returns the address at which the n-th
// pod reaches its relay.
func (w *cable) local() string { return w.ip(1) }

func (w *cable) at(n int) string { return w.ip(n) }

func (w *cable) ip(n int) string { return fmt.Sprintf("%d.%d.%d.%d", w.net[0], w.net[1], w.net[2], n) }

// Offsets and values in the header of a packet (RFC 791, RFC 793).
const (
	sourceAt, targetAt = 12, 16
	protocolAt, tcp    = 9, 6
	flagsAt            = 13
	synFlag, ackFlag   = 0x02, 0x10
)

// pass sends received packets back until the device is closed.
func (w *cable) pass() {
	defer close(w.done)
	packet := make([]byte, 1<<16)
	for {
		n, err := w.device.Read(packet)
		if err != nil {
			return
		}
		p := packet[:n]
		if n < 20 || p[0]>>4 != 4 {
			continue
		}
		to := p[targetAt+3]
		for i := range 4 { // the checksums stay valid, because they do not depend on the order of the two addresses
			p[sourceAt+i], p[targetAt+i] = p[targetAt+i], p[sourceAt+i]
		}
		if head := int(p[0]&15) * 4; p[protocolAt] == tcp && n >= head+20 && p[head+flagsAt]&(synFlag|ackFlag) == synFlag {
			w.start(to, binary.BigEndian.Uint16(p[head:]), append([]byte{}, p...))
			continue
		}
		w.put(p)
	}
}

// put sends a packet back. If that fails the packet is lost, as on any network.
func (w *cable) put(p []byte) { _, _ = w.device.Write(p) }

// start handles the first packet of a connection. It sends the packet on at once, after a delay, or
// when the address is opened again.
func (w *cable) start(to byte, port uint16, p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch g := w.gates[to]; {
	case g == nil:
		w.put(p)
	case g.shut:
		g.held[port] = p
	case g.delay > 0:
		time.AfterFunc(g.delay, func() { w.put(p) })
	default:
		w.put(p)
	}
}

// hold sets how starts of connections to the n-th address are treated: held while shut,
// otherwise delayed. Opening the address sends the held packets on.
func (w *cable) hold(n int, shut bool, delay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.gates[byte(n)]
	if g == nil {
		g = &heldStart{held: map[uint16][]byte{}}
		w.gates[byte(n)] = g
	}
	g.shut, g.delay = shut, delay
	if !shut {
		for _, p := range g.held {
			w.put(p)
		}
		clear(g.held)
	}
}

func (w *cable) close() {
	w.device.Close()
	<-w.done
	w.claim.Close()
}

// ignore makes a listener drop the first packets of connections, as if the host could not be
// reached. If on is false, it accepts them again. A client whose packet was dropped sends it again
// after a second.
func ignore(l net.Listener, on bool) error {
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	nothing := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0}
	var failed error
	err = raw.Control(func(fd uintptr) {
		if on {
			failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing})
		} else {
			failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0)
		}
	})
	if err == nil {
		err = failed
	}
	return err
}
