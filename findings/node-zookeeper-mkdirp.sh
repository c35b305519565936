#!/bin/sh
# Guess:     mkdirp of node-zookeeper-client, which takes data and a mode, makes the last node with them and plain
#            parents without data, as kazoo's create does with makepath.
# Version:   node-zookeeper-client 1.1.3, Apache ZooKeeper 3.9.5, kazoo 2.11.0 beside it
# Behaviour: every node that it makes gets the data and the mode. So an ephemeral or a sequential node below a parent
#            that is not there cannot be made, and its first parent stays, as an ephemeral or under another name.
# Seen:      kazoo: /kazoo "", /kazoo/a "", /kazoo/a/b "x"
#            data: /plain "x", /plain/a "x", /plain/a/b "x"
#            ephemeral: NO_CHILDREN_FOR_EPHEMERALS, left: /ephemeral
#            sequential: NO_NODE, left: /sequential0000000003
# Shaped:    clients of ours make parents that are persistent and empty (engine/training/service_discovery_zk.go).
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
(cd "$dir" && npm install --silent --no-fund --no-audit node-zookeeper-client@1.1.3 >&2)
mkdir "$dir/data"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23387
clientPortAddress=127.0.0.1
admin.enableServer=false
CFG
java -cp "$dir/jars/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
cat >"$dir/mkdirp.js" <<'END'
const { promisify } = require('node:util')
const { createClient, CreateMode } = require('node-zookeeper-client')

const client = createClient('127.0.0.1:23387', { retries: 60 })
const ask = (method, ...args) => promisify(client[method]).apply(client, args)

async function play() {
  await ask('mkdirp', '/plain/a/b', Buffer.from('x'))
  const seen = []
  for (const path of ['/plain', '/plain/a', '/plain/a/b']) seen.push(`${path} "${await ask('getData', path)}"`)
  console.log('data:', seen.join(', '))
  for (const [what, mode] of [['ephemeral', CreateMode.EPHEMERAL], ['sequential', CreateMode.PERSISTENT_SEQUENTIAL]]) {
    const said = await ask('mkdirp', `/${what}/a/b`, mode).then(() => 'made', (err) => err.name)
    const left = (await ask('getChildren', '/')).filter((name) => name.startsWith(what))
    console.log(`${what}: ${said}, left: ${left.map((name) => '/' + name)}`)
  }
  client.close()
}

client.once('connected', play)
client.connect()
END
cat >"$dir/makepath.py" <<'END'
from kazoo.client import KazooClient

client = KazooClient("127.0.0.1:23387")
client.start(timeout=60)
client.create("/kazoo/a/b", b"x", makepath=True)
print("kazoo:", ", ".join(f'{path} "{client.get(path)[0].decode()}"' for path in ("/kazoo", "/kazoo/a", "/kazoo/a/b")))
client.stop()
END
{ "$dir/venv/bin/python" "$dir/makepath.py"; (cd "$dir" && node mkdirp.js); } | tee "$dir/seen"
cat >"$dir/want" <<'END'
kazoo: /kazoo "", /kazoo/a "", /kazoo/a/b "x"
data: /plain "x", /plain/a "x", /plain/a/b "x"
ephemeral: NO_CHILDREN_FOR_EPHEMERALS, left: /ephemeral
sequential: NO_NODE, left: /sequential0000000003
END
diff "$dir/want" "$dir/seen"
