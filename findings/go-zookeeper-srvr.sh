#!/bin/sh
# Guess:     FLWSrvr of go-zookeeper, which asks a server for "srvr", reads the answer of a current ZooKeeper.
# Version:   github.com/go-zookeeper/zk v1.0.4, Apache ZooKeeper 3.9.5
# Behaviour: it does not: it wants the date of the build as 02/25/2022 08:49, and servers print 2026-02-11 20:18. The
#            mode, the zxid and all other fields stay empty with it.
# Seen:      built on 2026-02-11 20:18 UTC
#            Mode: standalone
#            FLWSrvr: false unknown unable to parse fields from zookeeper response (no regex matches)
# Shaped:    our server prints the date as that parser wants it (sim/zookeeper/SPEC.md, ZK-11.1).
set -eu
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cat >"$dir/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.zookeeper</groupId><artifactId>zookeeper</artifactId><version>3.9.5</version></dependency>
    <dependency><groupId>org.xerial.snappy</groupId><artifactId>snappy-java</artifactId><version>1.1.10.5</version></dependency>
    <dependency><groupId>io.dropwizard.metrics</groupId><artifactId>metrics-core</artifactId><version>4.1.12.1</version></dependency>
  </dependencies>
</project>
POM
(cd "$dir" && MAVEN_OPTS=-Djansi.mode=strip mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars >&2)
mkdir "$dir/data"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23281
clientPortAddress=127.0.0.1
admin.enableServer=false
CFG
java -cp "$dir/jars/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
cat >"$dir/go.mod" <<'END'
module finding
go 1.24
require github.com/go-zookeeper/zk v1.0.4
END
cat >"$dir/main.go" <<'END'
package main

import (
	"fmt"
	"io"
	"net"
	"regexp"
	"time"

	"github.com/go-zookeeper/zk"
)

const addr = "127.0.0.1:23281"

// ask returns what a server that serves answers to srvr.
func ask() string {
	for range 300 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			_, _ = conn.Write([]byte("srvr"))
			text, _ := io.ReadAll(conn)
			_ = conn.Close()
			if regexp.MustCompile("Mode:").Match(text) {
				return string(text)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	panic("the server does not answer")
}

func main() {
	text := ask()
	for _, line := range []string{"built on .*", "Mode: .*"} {
		fmt.Println(regexp.MustCompile(line).FindString(text))
	}
	stats, ok := zk.FLWSrvr([]string{addr}, 5*time.Second)
	fmt.Println("FLWSrvr:", ok, stats[0].Mode, stats[0].Error)
}
END
(cd "$dir" && go mod tidy >&2 && go run . | tee seen)
cat >"$dir/want" <<'END'
built on 2026-02-11 20:18 UTC
Mode: standalone
FLWSrvr: false unknown unable to parse fields from zookeeper response (no regex matches)
END
diff "$dir/want" "$dir/seen"
