package loopback

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// network is a range of loopback addresses, 127.x.y.1 to 127.x.y.254, that no other cluster
// on this host uses.
type network struct {
	prefix string
	// claim listens at the range's last address, so that other programs see that the range is
	// taken.
	claim net.Listener
}

// claimPort is the port on which claim listens.
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

// ip returns address number i of the range. Number 1 belongs to the servers that all pods
// share.
func (n *network) ip(i int) string { return fmt.Sprintf("%s%d", n.prefix, i) }

func (n *network) close() { n.claim.Close() }

// maxPods is the largest number of pods for which a range has addresses.
const maxPods = 240
