#!/bin/sh
# Guess:     GET /commands/ruok of ZooKeeper's AdminServer fails, by its HTTP status, while the server has no
#            quorum, so that a health check that looks at the status notices.
# Version:   Apache ZooKeeper 3.9.3 with Jetty 9.4.56; one server of three that are configured, the others never started
# Behaviour: its status is 200, as that of a command that does not exist: only "error" in the body is not null. That of
#            /commands/monitor is 500, with a page about a NullPointerException.
# Seen:      ruok 200 "error" : "This ZooKeeper instance is not currently serving requests"
#            nope 200 "error" : "Unknown command: nope"
#            monitor 500 NullPointerException
# Shaped:    monosim zookeeper --admin-server answers so, and its page says to read the body.
set -eu
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cat >"$dir/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.zookeeper</groupId><artifactId>zookeeper</artifactId><version>3.9.3</version></dependency>
    <dependency><groupId>org.eclipse.jetty</groupId><artifactId>jetty-servlet</artifactId><version>9.4.56.v20240826</version></dependency>
    <dependency><groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>2.15.2</version></dependency>
    <dependency><groupId>org.xerial.snappy</groupId><artifactId>snappy-java</artifactId><version>1.1.10.5</version></dependency>
    <dependency><groupId>io.dropwizard.metrics</groupId><artifactId>metrics-core</artifactId><version>4.1.12.1</version></dependency>
  </dependencies>
</project>
POM
(cd "$dir" && MAVEN_OPTS=-Djansi.mode=strip mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars >&2)
mkdir "$dir/data"
echo 1 >"$dir/data/myid"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23181
clientPortAddress=127.0.0.1
initLimit=10
syncLimit=5
server.1=127.0.0.1:23182:23183
server.2=127.0.0.1:23184:23185
server.3=127.0.0.1:23186:23187
CFG
java -Dzookeeper.admin.serverPort=23188 -Dzookeeper.admin.serverAddress=127.0.0.1 -cp "$dir/jars/*" \
  org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
url=http://127.0.0.1:23188/commands
tries=0
until curl -s -o "$dir/body" "$url/ruok"; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || {
    tail -n 20 "$dir/log" >&2
    exit 1
  }
  sleep 1
done
for name in ruok nope; do
  status=$(curl -s -o "$dir/body" -w '%{http_code}' "$url/$name")
  echo "$name $status $(grep -o '"error".*' "$dir/body")"
done >"$dir/seen"
status=$(curl -s -o "$dir/body" -w '%{http_code}' "$url/monitor")
echo "monitor $status $(grep -o NullPointerException "$dir/body" | head -n 1)" >>"$dir/seen"
cat "$dir/seen"
cat >"$dir/want" <<'WANT'
ruok 200 "error" : "This ZooKeeper instance is not currently serving requests"
nope 200 "error" : "Unknown command: nope"
monitor 500 NullPointerException
WANT
diff "$dir/want" "$dir/seen"
