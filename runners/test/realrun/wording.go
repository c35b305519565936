package realrun

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"

	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// worded returns the status of a failed call. A status from the server stays as it is; a
// failure that the client found gets grpc-python's words.
func (c *channel) worded(err error, p *progress) *env.RPCError {
	s, ok := status.FromError(err)
	if !ok {
		return &env.RPCError{Code: rpcerrors.Unknown, Message: err.Error()}
	}
	code, message := rpcerrors.Code(s.Code()), s.Message()
	switch {
	case code == rpcerrors.DeadlineExceeded && message == context.DeadlineExceeded.Error():
		// gRPC-Go words an expired deadline like this on both sides, which notice it at the
		// same time: the answer may have arrived after the client gave up.
		message = rpcerrors.DeadlineIsOver
	case p.answered.Load():
	case c.closed.Load():
		code, message = rpcerrors.Canceled, rpcerrors.ChannelClosed
	case code == rpcerrors.DeadlineExceeded:
		message = rpcerrors.DeadlineIsOver
	case code == rpcerrors.ResourceExhausted:
		message = tooLarge(message)
	case code == rpcerrors.Unavailable && p.sent.Load():
		message = c.howBroken()
	case code == rpcerrors.Unavailable:
		message = c.whyNoConnection()
	}
	return &env.RPCError{Code: code, Message: message}
}

func (c *channel) howBroken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.brokenBy, syscall.ECONNRESET) {
		return rpcerrors.ConnectionReset
	}
	return rpcerrors.SocketClosed
}

func (c *channel) whyNoConnection() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var unknown *net.DNSError
	if errors.As(c.dialErr, &unknown) {
		return rpcerrors.NoSuchName + c.addr
	}
	return rpcerrors.NoConnection
}

// tooLarge replaces gRPC-Go's text by rpcerrors.MessageTooLarge; the two begin differently.
func tooLarge(message string) string {
	if rest, ok := strings.CutPrefix(message, "grpc: received message"); ok {
		return "Received message" + rest
	}
	return message
}
