package realrun

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"

	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
)

// worded returns the status of a failed call. A status from the server stays as it is; a
// failure that the client found gets grpc-python's words.
func (c *channel) worded(err error, p *progress) *env.RPCError {
	s, ok := status.FromError(err)
	if !ok {
		return &env.RPCError{Code: env.Unknown, Message: err.Error()}
	}
	code, message := env.Code(s.Code()), s.Message()
	switch {
	case code == env.DeadlineExceeded && message == context.DeadlineExceeded.Error():
		// gRPC-Go words an expired deadline like this on both sides, which notice it at the
		// same time: the answer may have arrived after the client gave up.
		message = env.DeadlineIsOver
	case p.answered.Load():
	case c.closed.Load():
		code, message = env.Canceled, env.ChannelClosed
	case code == env.DeadlineExceeded:
		message = env.DeadlineIsOver
	case code == env.ResourceExhausted:
		message = tooLarge(message)
	case code == env.Unavailable && p.sent.Load():
		message = c.howBroken()
	case code == env.Unavailable:
		message = c.whyNoConnection()
	}
	return &env.RPCError{Code: code, Message: message}
}

func (c *channel) howBroken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.brokenBy, syscall.ECONNRESET) {
		return env.ConnectionReset
	}
	return env.SocketClosed
}

func (c *channel) whyNoConnection() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var unknown *net.DNSError
	if errors.As(c.dialErr, &unknown) {
		return env.NoSuchName + c.addr
	}
	return env.NoConnection
}

// tooLarge replaces gRPC-Go's text by env.MessageTooLarge; the two begin differently.
func tooLarge(message string) string {
	if rest, ok := strings.CutPrefix(message, "grpc: received message"); ok {
		return "Received message" + rest
	}
	return message
}
