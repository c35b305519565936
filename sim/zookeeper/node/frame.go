package node

import (
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// maxFrameBytes is the size of the largest request that a server reads, in bytes. For a larger
// request the server closes the connection without an answer (ZK-1.6: jute.maxbuffer).
const maxFrameBytes = 0xfffff

// frameBytes returns the size of a request on the wire in bytes, with its header. Fields that never
// come near the limit, such as lists of watches, are not counted.
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
