package diff

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// Recorder wraps a server and records its conversations, byte by byte.
type Recorder struct {
	Server
	// Lines lists the bytes sent (>) and received (<), and the end (x), of each connection. Each
	// line begins with the number of the connection, from 1: "2 > 0000...".
	Lines []string
	conns int
}

// Dial opens a connection to the wrapped server and records what it carries.
func (r *Recorder) Dial() (Conn, error) {
	conn, err := r.Server.Dial()
	if err != nil {
		return nil, err
	}
	r.conns++
	return &recordedConn{conn, r, r.conns}, nil
}

type recordedConn struct {
	Conn
	r *Recorder
	n int
}

func (c *recordedConn) note(sign string, frame []byte) {
	c.r.Lines = append(c.r.Lines, strings.TrimSpace(fmt.Sprintf("%d %s %x", c.n, sign, frame)))
}

func (c *recordedConn) Send(frame []byte) error {
	c.note(">", frame)
	return c.Conn.Send(frame)
}

func (c *recordedConn) Receive() ([]byte, error) {
	message, err := c.Conn.Receive()
	if err == nil {
		c.note("<", message)
	} else {
		c.note("x", nil)
	}
	return message, err
}

func (c *recordedConn) Ends() ([][]byte, bool) {
	messages, ended := c.Conn.Ends()
	for _, m := range messages {
		c.note("<", m)
	}
	if ended {
		c.note("x", nil)
	}
	return messages, ended
}

// Recorded is a server that replays a recording. The client must send exactly the recorded
// requests.
type Recorded struct {
	said  map[int][]utterance
	conns int
}

// utterance is one line of a recording.
type utterance struct {
	sign  string
	bytes []byte
}

// ParseRecording parses the lines of a [Recorder] into a server that replays them.
func ParseRecording(lines []string) (*Recorded, error) {
	r := &Recorded{said: map[int][]utterance{}}
	for i, line := range lines {
		var n int
		var u utterance
		var digits string
		if fields, err := fmt.Sscan(line, &n, &u.sign, &digits); fields < 2 || !strings.Contains("><x", u.sign) {
			return nil, fmt.Errorf("line %d: found %.40q, want a connection, >, < or x, and bytes: %w", i+1, line, err)
		}
		var err error
		if u.bytes, err = hex.DecodeString(digits); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		r.said[n] = append(r.said[n], u)
	}
	return r, nil
}

// Name returns the name of the server in reports.
func (r *Recorded) Name() string { return "recording" }

// Dial opens the next connection of the recording.
func (r *Recorded) Dial() (Conn, error) {
	r.conns++
	return &replayedConn{r: r, n: r.conns}, nil
}

type replayedConn struct {
	r *Recorded
	n int
}

// next removes and returns the next line of the connection, if its sign is one of signs.
func (c *replayedConn) next(signs string) (utterance, bool) {
	said := c.r.said[c.n]
	if len(said) == 0 || !strings.Contains(signs, said[0].sign) {
		return utterance{}, false
	}
	c.r.said[c.n] = said[1:]
	return said[0], true
}

func (c *replayedConn) Send(frame []byte) error {
	if u, ok := c.next(">"); !ok || !bytes.Equal(u.bytes, frame) {
		return fmt.Errorf("connection %d of the recording: found %x sent, want %x: record it again", c.n, frame, u.bytes)
	}
	return nil
}

func (c *replayedConn) Receive() ([]byte, error) {
	u, ok := c.next("<x")
	if !ok {
		return nil, fmt.Errorf("connection %d of the recording: found nothing to receive: record it again", c.n)
	}
	if u.sign == "x" {
		return nil, ErrClosed
	}
	return u.bytes, nil
}

func (c *replayedConn) Ends() (messages [][]byte, ended bool) {
	for {
		u, ok := c.next("<x")
		if !ok || u.sign == "x" {
			return messages, ok
		}
		messages = append(messages, u.bytes)
	}
}

func (c *replayedConn) Close() {}
