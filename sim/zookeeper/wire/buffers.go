package wire

import "sync"

// An idle connection holds no buffer, because a server may have 100,000 idle connections. It
// borrows a buffer from a pool while bytes are in transit.

const (
	// burstBuffer is the size in bytes of a new read buffer.
	burstBuffer = 16 << 10
	// keepBuffer is the capacity in bytes above which a send buffer is not returned to the pool.
	keepBuffer = 64 << 10
)

// buffers pools send buffers. bursts pools read buffers of at least burstBuffer bytes.
var buffers, bursts sync.Pool // of *[]byte

// borrow returns an empty send buffer from the pool. bytes is nil if the pool is empty.
func borrow() (buffer *[]byte, bytes []byte) {
	buffer, ok := buffers.Get().(*[]byte)
	if !ok {
		return new([]byte), nil
	}
	return buffer, (*buffer)[:0]
}

// giveBack returns a buffer from borrow to the pool. bytes is the buffer's content, which may have
// grown. A nil buffer is ignored.
func giveBack(buffer *[]byte, bytes []byte) {
	if buffer == nil || cap(bytes) == 0 || cap(bytes) > keepBuffer {
		return
	}
	*buffer = bytes[:0]
	buffers.Put(buffer)
}

// borrowBurst returns a read buffer from the pool, or a new one.
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
