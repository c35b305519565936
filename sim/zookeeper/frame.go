package zookeeper

// maxFrameBytes is the largest request that a server reads; at a larger one it
// hangs up without a word (ZK-1.6: jute.maxbuffer).
const maxFrameBytes = 0xfffff

// frameBytes is how long a request with data is on the wire, header included; of
// the others it is a part, as they never come near the limit.
func (r *Request) frameBytes() int {
	const header, length, version = 8, 4, 4
	bytes := header + length + len(r.Path) + length + len(r.Data)
	switch r.Op {
	case OpSetData:
		bytes += version
	case OpCreate:
		const count, perms, flags = 4, 4, 4
		bytes += count + flags
		for _, a := range r.ACL {
			bytes += perms + length + len(a.Scheme) + length + len(a.ID)
		}
	}
	return bytes
}
