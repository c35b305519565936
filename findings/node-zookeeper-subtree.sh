#!/bin/sh
# Guess:     listSubTreeBFS of node-zookeeper-client lists a node and all below it, as ZKUtil's method of the same name
#            in Java's client does, and removeRecursive deletes them.
# Version:   node-zookeeper-client 1.1.3, Apache ZooKeeper 3.9.5, server and Java client
# Behaviour: it asks for the children of the first node alone: the walk goes over a list that grows meanwhile, of which
#            only the first length counts. So what lies two below is not listed, and removeRecursive fails at its parent.
# Seen:      Node list: /t /t/a
#            Node remove: NOT_EMPTY
#            Java list: /t /t/a /t/a/b
#            Java remove: true
# Shaped:    a Delete of ours with Recursive goes through all levels, as kazoo's does (engine/recipes/client.go).
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
rm -f "$dir"/jars/logback-*.jar # which would log between the lines
(cd "$dir" && npm install --silent --no-fund --no-audit node-zookeeper-client@1.1.3 >&2)
mkdir "$dir/data"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23388
clientPortAddress=127.0.0.1
admin.enableServer=false
CFG
java -cp "$dir/jars/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
cat >"$dir/subtree.js" <<'END'
const { promisify } = require('node:util')
const { createClient } = require('node-zookeeper-client')

const client = createClient('127.0.0.1:23388', { retries: 60 })
const ask = (method, ...args) => promisify(client[method]).apply(client, args)

client.once('connected', async () => {
  await ask('mkdirp', '/t/a/b')
  console.log('Node list:', (await ask('listSubTreeBFS', '/t')).join(' '))
  console.log('Node remove:', await ask('removeRecursive', '/t').then(() => 'removed', (err) => err.name))
  client.close()
})
client.connect()
END
cat >"$dir/Subtree.java" <<'END'
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

public class Subtree {
    public static void main(String[] args) throws Exception {
        try (ZooKeeper zk = new ZooKeeper("127.0.0.1:23388", 30000, null)) {
            System.out.println("Java list: " + String.join(" ", ZKUtil.listSubTreeBFS(zk, "/t")));
            System.out.println("Java remove: " + ZKUtil.deleteRecursive(zk, "/t", 1));
        }
    }
}
END
(cd "$dir" && { node subtree.js && java -cp "jars/*" Subtree.java 2>>log; } | tee seen)
cat >"$dir/want" <<'END'
Node list: /t /t/a
Node remove: NOT_EMPTY
Java list: /t /t/a /t/a/b
Java remove: true
END
diff "$dir/want" "$dir/seen"
