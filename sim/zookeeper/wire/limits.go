package wire

import "time"

// Limits keep one client from hurting the others (ZK-1.9). Zero values mean the
// defaults.
type Limits struct {
	// ConnsPerAddr is how many connections one address may have, words included;
	// the default is 60 as the real server's maxClientCnxns, and -1 is no limit.
	ConnsPerAddr int
	// Outstanding is how many answers may wait to be sent to a connection before
	// no more of its requests are taken; the default is 1000, as the real server's
	// globalOutstandingLimit, which counts all connections.
	Outstanding int
	// UnsentBytes is the same in bytes; the default is 1 MiB. One answer may be
	// larger.
	UnsentBytes int
	// EventBytes is how much may wait to be sent when an event comes: events
	// cannot be held back, so a client that does not read is cut off. The default
	// is 16 MiB.
	EventBytes int
	// FirstFrame is how long a connection may take to say what it wants; the
	// default is 10 s, as the real server's sessionlessCnxnTimeout.
	FirstFrame time.Duration
	// LastBytes is how long a connection that the server closes may take to read
	// what was sent before; the default is 5 s.
	LastBytes time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&l.ConnsPerAddr, 60)
	set(&l.Outstanding, 1000)
	set(&l.UnsentBytes, 1<<20)
	set(&l.EventBytes, 16<<20)
	if l.FirstFrame == 0 {
		l.FirstFrame = 10 * time.Second
	}
	if l.LastBytes == 0 {
		l.LastBytes = 5 * time.Second
	}
	return l
}
