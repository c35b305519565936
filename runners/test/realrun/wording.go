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

// worded converts the error of a failed call to a status. A status from the server stays as
// it is. A failure found by the client gets grpc-python's text.
func (c *channel) worded(err error, p *progress) *env.RPCError {
	s, ok := status.FromError(err)
	if !ok {
		return &env.RPCError{Code: rpcerrors.Unknown, Message: err.Error()}
	}
	code, message := rpcerrors.Code(s.Code()), s.Message()
	switch {
	case code == rpcerrors.DeadlineExceeded && message == context.DeadlineExceeded.Error():
		// gRPC-Go gives an expired deadline this text on both sides, which notice it at the same
		// time. So the status may have arrived after the client gave up.
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

// tooLarge converts gRPC-Go's text for a too large message to rpcerrors.MessageTooLarge. The
// two texts differ only in how they begin.
func tooLarge(message string) string {
	if rest, ok := strings.CutPrefix(message, "grpc: received message"); ok {
		return "Received message" + rest
	}
	return message
}
