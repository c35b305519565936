package wire

import "sync"

// An idle connection owns no buffer, because a server may have 100,000 of them. It borrows
// one from a pool while bytes are on their way.

const (
	// burstBuffer is the size in bytes of a new read buffer.
	burstBuffer = 16 << 10
	// keepBuffer is the largest send buffer that goes back to the pool, in bytes.
	keepBuffer = 64 << 10
)

// buffers pools send buffers, bursts read buffers of at least burstBuffer bytes.
var buffers, bursts sync.Pool // of *[]byte

// borrow returns an empty send buffer. bytes is nil when the pool has none.
func borrow() (buffer *[]byte, bytes []byte) {
	buffer, ok := buffers.Get().(*[]byte)
	if !ok {
		return new([]byte), nil
	}
	return buffer, (*buffer)[:0]
}

// giveBack returns a buffer from borrow to the pool; bytes may have grown. A nil buffer is
// ignored.
func giveBack(buffer *[]byte, bytes []byte) {
	if buffer == nil || cap(bytes) == 0 || cap(bytes) > keepBuffer {
		return
	}
	*buffer = bytes[:0]
	buffers.Put(buffer)
}

// borrowBurst returns a read buffer.
func borrowBurst() *[]byte {
	if buffer, ok := bursts.Get().(*[]byte); ok {
		return buffer
	}
	bytes := make([]byte, burstBuffer)
	return &bytes
}

// giveBackBurst returns a buffer from borrowBurst to the pool. A nil buffer is ignored.
func giveBackBurst(buffer *[]byte) {
	if buffer != nil {
		bursts.Put(buffer)
	}
}
