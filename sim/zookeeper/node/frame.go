package node

import (
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// maxFrameBytes is the largest request that a server reads; at a larger one it
// hangs up without a word (ZK-1.6: jute.maxbuffer).
const maxFrameBytes = 0xfffff

// frameBytes is how long a request is on the wire, header included. Bodies that never
// come near the limit, as lists of watches, are not counted.
func frameBytes(r *zookeeper.Request) int {
	const header, length, number = 8, 4, 4
	bytes := header
	for _, f := range r.Op.RequestFields() {
		switch f {
		case field.Path, field.NewPath, field.NullablePath, field.EchoedPath:
			bytes += length + len(r.Path)
		case field.Data:
			bytes += length + len(r.Data)
		case field.Credential:
			bytes += number + length + len(r.Scheme) + length + len(r.Data)
		case field.Version, field.Flags:
			bytes += number
		case field.ACL:
			bytes += length
			for _, a := range r.ACL {
				bytes += number + length + len(a.Scheme) + length + len(a.ID)
			}
		}
	}
	return bytes
}
