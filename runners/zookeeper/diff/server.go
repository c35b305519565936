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

// Spread is a group of servers. The connections of a script go to its servers in turn.
type Spread interface {
	Server
	// DialAt opens the connection number n of a script, counted from 0.
	DialAt(n int) (Conn, error)
}

// Restarter is a server that keeps its state when it is ended and started again.
type Restarter interface {
	Server
	Restart() error
}

// Conn is a connection that carries frames. Callers see them without the length field.
type Conn interface {
	// Send sends a frame, preceded by its length.
	Send(frame []byte) error
	// Receive waits for the next message. It returns ErrClosed when the server has closed
	// the connection and no message is left.
	Receive() ([]byte, error)
	// Ends waits until the server closes the connection and returns the messages before that.
	// ended is false if the server did not close it in time.
	Ends() (messages [][]byte, ended bool)
	Close()
}

// ErrClosed means that the server has closed the connection.
var ErrClosed = errors.New("the server has closed the connection")

// answerTimeout is the longest wait for an answer.
const answerTimeout = 10 * time.Second

// closeTimeout is the longest wait for a server to close a connection.
const closeTimeout = 2 * time.Second

// superCredential is the login of the super user on servers configured as in ZK-17.2. Play
// removes the script's znodes with it.
const superCredential = "super:test"

// SuperDigest is the hashed form of superCredential that goes into the configuration of
// servers.
var SuperDigest = acl.DigestID(superCredential)
