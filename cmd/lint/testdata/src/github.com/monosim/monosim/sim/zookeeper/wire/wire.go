package wire

import (
	"net"
	"time"
)

// The served front end lives in wall time.
func serve(l net.Listener, sessions map[string]time.Time) (net.Conn, error) {
	for id := range sessions {
		println(id)
	}
	go l.Accept()
	return l.Accept()
}
