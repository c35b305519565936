package process

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
)

// FreePorts returns n different TCP ports of the loopback on which nobody listens. It never returns
// a port twice, and takes ports that the kernel does not assign to outgoing connections. So it is
// unlikely that another program takes a returned port first.
func FreePorts(n int) ([]int, error) {
	least, most := quietPorts()
	var ports []int
	for range 1000 {
		if len(ports) == n {
			return ports, nil
		}
		port := least + rand.IntN(most-least+1)
		if _, was := given.LoadOrStore(port, true); !was && free(port) {
			ports = append(ports, port)
		}
	}
	return nil, fmt.Errorf("found %d free ports from %d to %d, want %d", len(ports), least, most, n)
}

// given holds the ports that FreePorts has returned so far, so that it returns no port twice.
var given sync.Map

// free reports whether nobody listens on a port at any address.
func free(port int) bool {
	for _, host := range []string{"", "127.0.0.1"} {
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", host, port))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}

// quietPorts returns the first and the last port of a range from which the kernel does not assign
// ports by itself. Linux assigns ports from 32768 by default, and other systems from 49152.
func quietPorts() (least, most int) {
	const quiet, enough = 10_000, 1000
	least, most = quiet, 32_767
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return least, most
	}
	var first, last int
	if _, err := fmt.Sscan(string(text), &first, &last); err != nil {
		return least, most
	}
	switch {
	case first-quiet >= enough:
		return quiet, first - 1
	case 65_535-last >= enough:
		return last + 1, 65_535
	}
	return quiet, 65_535 // the kernel's own range leaves no room below it, so any high port has to do
}
