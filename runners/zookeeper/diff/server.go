package diff

import (
	"errors"
	"time"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Server is a server on which scripts are played.
type Server interface {
	Name() string
	// Dial opens a connection.
	Dial() (Conn, error)
}

// Spread is a group of servers, to which clients connect in turn.
type Spread interface {
	Server
	// DialAt opens the connection number n of a script, counted from 0.
	DialAt(n int) (Conn, error)
}

// Conn is a connection that carries frames, without their lengths.
type Conn interface {
	// Send sends a frame, after its length.
	Send(frame []byte) error
	// Receive waits for the next message. It returns ErrClosed when the server has closed
	// the connection and no message is left.
	Receive() ([]byte, error)
	// Ends waits until the server closes the connection, and returns the messages before
	// that. ended reports whether the end came.
	Ends() (messages [][]byte, ended bool)
	Close()
}

// ErrClosed is the error of a connection that the server has closed.
var ErrClosed = errors.New("the server has closed the connection")

// answerTimeout bounds the wait for an answer.
const answerTimeout = 10 * time.Second

// closeTimeout bounds the wait until a server closes a connection.
const closeTimeout = 2 * time.Second

// superCredential allows everything on servers that are set up as ZK-17.2 says. It removes
// the script's znodes.
const superCredential = "super:test"

// SuperDigest is the digest identity of superCredential, for the configuration of servers.
var SuperDigest = acl.DigestID(superCredential)
