package wire

import "sync"

// Idle connections, of which there may be 100,000, have no buffers: they are lent to
// connections while bytes are on their way.

const (
	// burstBuffer is what is read into at first.
	burstBuffer = 16 << 10
	// keepBuffer is the largest buffer that is lent again.
	keepBuffer = 64 << 10
)

// buffers are of bytes to be sent, bursts of bytes that were read; each of the latter has
// burstBuffer bytes at least.
var buffers, bursts sync.Pool // of *[]byte

// borrow returns an empty buffer for bytes to be sent, nil when none is there to be lent.
func borrow() (buffer *[]byte, bytes []byte) {
	buffer, ok := buffers.Get().(*[]byte)
	if !ok {
		return new([]byte), nil
	}
	return buffer, (*buffer)[:0]
}

// giveBack takes a buffer from borrow, which may have grown; nil is none.
func giveBack(buffer *[]byte, bytes []byte) {
	if buffer == nil || cap(bytes) == 0 || cap(bytes) > keepBuffer {
		return
	}
	*buffer = bytes[:0]
	buffers.Put(buffer)
}

// borrowBurst returns a buffer to read into.
func borrowBurst() *[]byte {
	if buffer, ok := bursts.Get().(*[]byte); ok {
		return buffer
	}
	bytes := make([]byte, burstBuffer)
	return &bytes
}

// giveBackBurst takes a buffer from borrowBurst.
func giveBackBurst(buffer *[]byte) {
	if buffer != nil {
		bursts.Put(buffer)
	}
}
