package diff

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// TCP is a server at the address Addr (host:port). Label is its name in reports.
type TCP struct{ Label, Addr string }

// Name returns the name of the server in reports.
func (s TCP) Name() string { return s.Label }

// Dial connects.
func (s TCP) Dial() (Conn, error) {
	conn, err := net.DialTimeout("tcp", s.Addr, answerTimeout)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Label, err)
	}
	return &tcpConn{conn: conn, in: bufio.NewReaderSize(conn, 4096)}, nil
}

// Ensemble is a group of servers. Connections of a script go to its servers in turn.
type Ensemble struct {
	Label string
	Addrs []string
}

// Name returns the name of the ensemble in reports.
func (s Ensemble) Name() string { return s.Label }

// Dial connects to the first server.
func (s Ensemble) Dial() (Conn, error) { return s.DialAt(0) }

// DialAt opens connection n of a script, counted from 0. The servers take the connections in turn.
func (s Ensemble) DialAt(n int) (Conn, error) {
	return TCP{Label: s.Label, Addr: s.Addrs[n%len(s.Addrs)]}.Dial()
}

type tcpConn struct {
	conn net.Conn
	in   *bufio.Reader
}

// Send writes a frame and ignores errors. If the server has closed the connection, Receive
// reports that.
func (c *tcpConn) Send(frame []byte) error {
	_, _ = c.conn.Write(frame)
	return nil
}

// longest is the greatest accepted length of a message, in bytes.
const longest = 64 << 20

func (c *tcpConn) Receive() ([]byte, error) { return c.receive(answerTimeout) }

func (c *tcpConn) Ends() (messages [][]byte, ended bool) {
	for {
		message, err := c.receive(closeTimeout)
		if err != nil {
			return messages, errors.Is(err, ErrClosed)
		}
		messages = append(messages, message)
	}
}

func (c *tcpConn) receive(limit time.Duration) ([]byte, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return nil, ErrClosed
	}
	var length [4]byte
	if _, err := io.ReadFull(c.in, length[:]); err != nil {
		return nil, ended(err)
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > longest {
		return nil, fmt.Errorf("found a message of %d bytes, want %d at most", n, longest)
	}
	message := make([]byte, n)
	if _, err := io.ReadFull(c.in, message); err != nil {
		return nil, ended(err)
	}
	return message, nil
}

// ErrNoAnswer means that a request was not answered in time. Real followers sometimes leave
// a request unanswered on a busy machine.
var ErrNoAnswer = errors.New("found no answer in time")

// ended returns ErrNoAnswer after a timeout. Every other error means the end of the
// connection and becomes ErrClosed.
func ended(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrNoAnswer
	}
	return ErrClosed
}

func (c *tcpConn) Close() { c.conn.Close() }
