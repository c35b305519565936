package diff

import (
	"errors"
	"time"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Server is where scripts are played.
type Server interface {
	Name() string
	// Dial opens a connection.
	Dial() (Conn, error)
}

// Spread is a server that is several, which clients connect to in turn.
type Spread interface {
	Server
	// DialAt opens the connection number n of a script, counted from 0.
	DialAt(n int) (Conn, error)
}

// Conn is a connection, spoken to in frames without their length.
type Conn interface {
	// Send sends a frame, its length before it.
	Send(frame []byte) error
	// Receive waits for the next message; ErrClosed when the server has closed the
	// connection and nothing is left.
	Receive() ([]byte, error)
	// Ends waits for the end of a connection that the server is to close, in its own
	// time, and returns what came before. It reports whether the end came.
	Ends() (messages [][]byte, ended bool)
	Close()
}

// ErrClosed is the end of a connection.
var ErrClosed = errors.New("the server has closed the connection")

// answerTimeout is how long a server may take for an answer.
const answerTimeout = 10 * time.Second

// closeTimeout is how long a server may take to close a connection.
const closeTimeout = 2 * time.Second

// superCredential may do everything on servers that are set up as ZK-17.2 says; the
// script's znodes are removed with it.
const superCredential = "super:test"

// SuperDigest is the digest identity of super, for the configuration of servers.
var SuperDigest = acl.DigestID(superCredential)
