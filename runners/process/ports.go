package process

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
)

// FreePorts returns n different TCP ports of the loopback that nobody has now. The kernel gives none of them to
// whoever asks it for any port, as every connection does, and this program gets none
// twice, so that hardly anybody else takes one before the program does.
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

// given are the ports that this program had from FreePorts.
var given sync.Map

// free says whether nobody listens on a port of any address.
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

// quietPorts are the first and the last of a range that the kernel gives none of by
// itself: Linux's own range begins at 32768 where nobody has said otherwise, the other
// systems' at 49152.
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
	return quiet, 65_535 // no range is quiet here
}
