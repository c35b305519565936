#!/bin/sh
# Guess:     FormatServers of go-zookeeper, which "makes sure" that each server is <addr>:<port> and adds port 2181
#            where none is given, does so for an IPv6 address, as it does for a name.
# Version:   github.com/go-zookeeper/zk v1.0.4
# Behaviour: it leaves ::1 and [::1] as they are, since they contain a colon; net.SplitHostPort refuses both.
# Seen:      localhost -> localhost:2181 <nil>
#            ::1 -> ::1 address ::1: too many colons in address
#            [::1] -> [::1] address [::1]: missing port in address
# Shaped:    every address that we hand to it comes from a listener, so that it has its port.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > go.mod <<'END'
module finding
go 1.24
require github.com/go-zookeeper/zk v1.0.4
END
cat > main.go <<'END'
package main

import (
	"fmt"
	"net"

	"github.com/go-zookeeper/zk"
)

func main() {
	for _, server := range []string{"localhost", "::1", "[::1]"} {
		formatted := zk.FormatServers([]string{server})[0]
		_, _, err := net.SplitHostPort(formatted)
		fmt.Println(server, "->", formatted, err)
	}
}
END
go mod tidy >&2
go run . | tee seen
cat > want <<'END'
localhost -> localhost:2181 <nil>
::1 -> ::1 address ::1: too many colons in address
[::1] -> [::1] address [::1]: missing port in address
END
diff want seen
