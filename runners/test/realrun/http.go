package realrun

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/httperrors"
	"github.com/monosim/monosim/engine/walltime"
)

// httpConn is a plain HTTP connection. net/http parses the responses, but unlike its client
// httpConn never retries a request by itself.
type httpConn struct {
	n             *Network
	p             *walltime.Process
	network, addr string
	timeout       time.Duration

	conn     net.Conn
	reader   *bufio.Reader
	response *http.Response
}

// DialHTTP returns a connection to addr. The socket is opened by the first request.
func (n *Network) DialHTTP(addr string, timeout time.Duration) env.HTTPConn {
	n.p.Check()
	c := &httpConn{n: n, p: n.p, network: "tcp", addr: n.resolve(addr), timeout: timeout}
	if strings.HasPrefix(addr, "/") {
		c.network, c.addr = "unix", addr
	}
	return c
}

// dialer returns a dialer that uses the process's own address as the source, as in a
// container. A Consul agent tells hosts apart by the source address.
func (n *Network) dialer(network string) *net.Dialer {
	if ip := net.ParseIP(n.o.Localhost); ip != nil && network == "tcp" {
		return &net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}
	}
	return &net.Dialer{}
}

// wait runs fn, for no longer than the connection's timeout. If fn fails, the error is prefixed
// with what and the address.
func (c *httpConn) wait(what string, fn func(ctx context.Context) error) (err error) {
	c.p.Block(func(ctx context.Context) {
		if c.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.p.World().Real(c.timeout))
			defer cancel()
		}
		if c.conn != nil {
			conn := c.conn
			defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
		}
		err = fn(ctx)
	})
	if err != nil {
		return httperrors.Wrap(httpKind(err), "%s %s: %v", what, c.addr, err)
	}
	return nil
}

// httpKind converts a socket error to the matching kind of package httperrors.
func httpKind(err error) error {
	var dns *net.DNSError
	var timeout net.Error
	for _, kind := range []struct{ err, is error }{
		{syscall.ECONNREFUSED, httperrors.Refused}, {syscall.ECONNRESET, httperrors.Reset}, {syscall.EPIPE, httperrors.BrokenPipe},
		{syscall.ENOENT, httperrors.NoSuchFile}, {context.DeadlineExceeded, httperrors.TimedOut}, {httperrors.Disconnected, httperrors.Disconnected},
		{httperrors.Malformed, httperrors.Malformed}, {httperrors.Incomplete, httperrors.Incomplete}, {io.ErrUnexpectedEOF, httperrors.Incomplete},
	} {
		if errors.Is(err, kind.err) {
			return kind.is
		}
	}
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return httperrors.TimedOut
	case errors.As(err, &dns):
		return httperrors.NoSuchName
	}
	return httperrors.Unreachable
}

// Request sends a request with the same header fields as Python's http.client.
func (c *httpConn) Request(method, target string, body []byte) error {
	if c.conn == nil {
		err := c.wait("connect", func(ctx context.Context) error {
			conn, err := c.n.dialer(c.network).DialContext(ctx, c.network, c.addr)
			c.conn = conn
			return err
		})
		if err != nil {
			c.conn = nil
			return err
		}
		c.n.keepHTTP(c.conn)
		c.reader = bufio.NewReader(c.conn)
	}
	host := c.addr
	if c.network == "unix" {
		host = "localhost"
	}
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: identity\r\n", method, target, host)
	if len(body) > 0 || method == "PUT" {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return c.wait("send to", func(context.Context) error {
		_, err := c.conn.Write(append([]byte(head+"\r\n"), body...))
		return err
	})
}

// keepHTTP registers a connection, so that it is closed when the process ends. endHTTP
// closes a connection now.
func (n *Network) keepHTTP(conn net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.https[conn] = struct{}{}
}

func (n *Network) endHTTP(conn net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.https, conn)
	conn.Close() // the caller has given up, so nobody would read the error
}

func (n *Network) closeHTTP() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.https {
		conn.Close()
	}
}

// Status reads the header of the response and returns its status code.
func (c *httpConn) Status() (int, error) {
	if c.conn == nil {
		return 0, httperrors.Wrap(httperrors.Disconnected, "answer of %s", c.addr)
	}
	err := c.wait("answer of", func(context.Context) error {
		if _, err := c.reader.Peek(1); errors.Is(err, io.EOF) {
			return httperrors.Disconnected
		} else if err != nil {
			return err
		}
		var err error
		if c.response, err = http.ReadResponse(c.reader, nil); err == nil || isNetwork(err) {
			return err
		}
		return fmt.Errorf("%w: %w", httperrors.Malformed, err)
	})
	if err != nil {
		return 0, err
	}
	return c.response.StatusCode, nil
}

// isNetwork reports whether the error comes from the socket, and not from a malformed
// response.
func isNetwork(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

// Body reads the rest of the response.
func (c *httpConn) Body() (body []byte, err error) {
	if c.response == nil {
		return nil, httperrors.Wrap(httperrors.Disconnected, "answer of %s", c.addr)
	}
	response := c.response
	c.response = nil
	err = c.wait("answer of", func(context.Context) (err error) {
		body, err = io.ReadAll(response.Body)
		return err
	})
	if err != nil {
		return nil, err
	}
	if response.Close {
		c.Close()
	}
	return body, nil
}

// Close ends the connection.
func (c *httpConn) Close() {
	if c.conn != nil {
		c.n.endHTTP(c.conn)
	}
	c.conn, c.reader, c.response = nil, nil, nil
}

var _ env.HTTPConn = (*httpConn)(nil)
