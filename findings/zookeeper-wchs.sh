#!/bin/sh
# Guess:     the words wchs and wchc tell of the connections that have watches.
# Version:   Apache ZooKeeper 3.9.5, kazoo 2.11.0
# Behaviour: a connection whose one-shot watches have all fired still counts, and is listed without a path, until
#            it is closed.
# Seen:      before: 1 connections watching 1 paths
#            fired: 1 connections watching 0 paths
#            listed: a session without paths
#            closed: 0 connections watching 0 paths
# Shaped:    our served ZooKeeper does so, too (sim/zookeeper/SPEC.md, ZK-11).
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
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --disable-pip-version-check kazoo==2.11.0
mkdir "$dir/data"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23382
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=wchs,wchc
CFG
java -cp "$dir/jars/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
cat >"$dir/watches.py" <<'END'
import socket
import threading

from kazoo.client import KazooClient


def word(name):
    with socket.create_connection(("127.0.0.1", 23382)) as s:
        s.sendall(name)
        answer = b""
        while more := s.recv(4096):
            answer += more
    return answer.decode()


def watching(when):
    print(when + ":", word(b"wchs").splitlines()[0])


watcher, writer = (KazooClient("127.0.0.1:23382") for _ in range(2))
watcher.start(timeout=60)
writer.start(timeout=60)
writer.create("/a")
fired = threading.Event()
watcher.get("/a", watch=lambda event: fired.set())
watching("before")
writer.set("/a", b"x")
assert fired.wait(60)
watching("fired")
lines = word(b"wchc").splitlines()
print("listed: a session without paths" if lines[0].startswith("0x") and not any(lines[1:]) else f"listed: {lines}")
watcher.stop()
watching("closed")
writer.stop()
END
"$dir/venv/bin/python" "$dir/watches.py" | tee "$dir/seen"
cat >"$dir/want" <<'END'
before: 1 connections watching 1 paths
fired: 1 connections watching 0 paths
listed: a session without paths
closed: 0 connections watching 0 paths
END
diff "$dir/want" "$dir/seen"
