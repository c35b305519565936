package loopback

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// network is a range of addresses of the loopback, 127.x.y.1 to 127.x.y.254, which no
// other cluster of this machine has.
type network struct {
	prefix string
	// claim is a socket that others who want the range find taken.
	claim net.Listener
}

// claimPort is where whoever has a range listens, at its last address.
const claimPort = 20481

func newNetwork() (*network, error) {
	var last error
	for range 100 {
		prefix := fmt.Sprintf("127.%d.%d.", 1+rand.IntN(254), 1+rand.IntN(254))
		claim, err := net.Listen("tcp", fmt.Sprintf("%s254:%d", prefix, claimPort))
		if err == nil {
			return &network{prefix: prefix, claim: claim}, nil
		}
		last = err
	}
	return nil, fmt.Errorf("addresses for a cluster: %w (want all of 127.0.0.0/8 on the loopback, as on Linux, and port %d free)", last, claimPort)
}

// ip is the n-th address; the first is that of the servers that all pods share.
func (n *network) ip(i int) string { return fmt.Sprintf("%s%d", n.prefix, i) }

func (n *network) close() { n.claim.Close() }

// maxPods is how many pods a range has addresses for.
const maxPods = 240
