"""A pytest plugin for kazoo's own tests: they run on one server or on several, which
zkServer.sh starts when a test wants them and which live until kazoo stops them.

kazoo.testing starts servers of its own from Java's class path. Each of its tests
works below a path of its own, so one cluster serves them all. Nothing of the
checkout is changed: only the function that makes the cluster is replaced.

ZOOKEEPER_BIN_PATH  folder of zkServer.sh
KAZOO_SERVERS       how many servers, 1 without it
KAZOO_SKIP          tests to skip, one a line: its name, a space, the reason
"""

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import types

import pytest

for _name in ("jks", "OpenSSL"):
    # kazoo.testing imports them for a server with TLS, which no test here has.
    try:
        __import__(_name)
    except ImportError:
        sys.modules[_name] = types.ModuleType(_name)

import kazoo.testing.harness  # noqa: E402

# As kazoo's own servers have it; the password is "test".
SUPER = (
    "-Dzookeeper.DigestAuthenticationProvider.superDigest="
    "super:D/InIHSb7yEEbrWz8b9l71RjZJU="
)
START_LIMIT = 120  # seconds


def free_ports(count):
    """Ports of the loopback that nobody has."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


class Server:
    """One server with its data, as ManagedZooKeeper."""

    host = "127.0.0.1"

    def __init__(self, number, peers, local_sessions):
        self.number = number
        self.peers = peers  # lines of the configuration, none for one server
        self.local_sessions = local_sessions
        self.client_port = free_ports(1)[0]
        self.address = "%s:%d" % (self.host, self.client_port)
        self.process = None
        self.path = tempfile.mkdtemp()

    def _configure(self):
        data = os.path.join(self.path, "data")
        os.makedirs(data, exist_ok=True)
        with open(os.path.join(data, "myid"), "w") as f:
            f.write("%d\n" % self.number)
        config = os.path.join(self.path, "zoo.cfg")
        with open(config, "w") as f:
            f.write(
                "tickTime=2000\n"
                "dataDir=%s\n"
                "clientPortAddress=%s\n"
                "clientPort=%d\n"
                "maxClientCnxns=0\n"
                "admin.enableServer=false\n"
                "4lw.commands.whitelist=*\n"
                "reconfigEnabled=true\n" % (data, self.host, self.client_port)
            )
            if self.peers:
                f.write("initLimit=4\nsyncLimit=2\n")
                f.write("localSessionsEnabled=%s\n" % self.local_sessions)
                f.write("localSessionsUpgradingEnabled=%s\n" % self.local_sessions)
                f.write("".join(self.peers))
        return config

    @property
    def running(self):
        return self.process is not None

    def run(self):
        self.launch()
        self._await_serving()

    def launch(self):
        """Start it, without waiting until it serves."""
        if self.running:
            return
        config = self._configure()
        program = os.path.join(os.environ["ZOOKEEPER_BIN_PATH"], "zkServer.sh")
        with open(os.path.join(self.path, "out.log"), "ab") as out:
            self.process = subprocess.Popen(
                [program, "start-foreground", config],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=dict(os.environ, SERVER_JVMFLAGS=SUPER),
            )

    def _await_serving(self):
        limit = time.monotonic() + START_LIMIT
        while b"\nMode:" not in self._ask(b"srvr"):
            if self.process.poll() is not None or time.monotonic() > limit:
                pytest.exit("the server does not serve: %s" % self.get_logs())
            time.sleep(0.02)

    def _ask(self, word):
        """The answer to a four-letter word; empty when there is none."""
        try:
            with socket.create_connection((self.host, self.client_port), 1) as s:
                s.sendall(word)
                with s.makefile("rb") as answer:
                    return answer.read()
        except OSError:
            return b""

    def stop(self):
        if not self.running:
            return
        process, self.process = self.process, None
        process.terminate()
        process.wait()

    def destroy(self):
        """Stop it and forget its data."""
        self.stop()
        shutil.rmtree(self.path, True)

    def get_logs(self):
        with open(os.path.join(self.path, "out.log"), errors="replace") as f:
            return f.readlines()[-100:]


class Cluster(list):
    """The servers, as ZookeeperCluster."""

    def __init__(self, size, local_sessions):
        peers = []
        if size > 1:
            ports = free_ports(2 * size)
            for i in range(size):
                line = "server.%d=127.0.0.1:%d:%d:participant\n"
                peers.append(line % (i + 1, ports[2 * i], ports[2 * i + 1]))
        for i in range(size):
            self.append(Server(i + 1, peers, local_sessions))

    def start(self):
        for server in self:
            server.launch()
        for server in self:
            server.run()

    def stop(self):
        for server in self:
            server.stop()

    def terminate(self):
        for server in self:
            server.destroy()

    def get_logs(self):
        return [line for server in self for line in server.get_logs()]


_clusters = {}  # by whether it has local sessions; the one in use


def global_cluster():
    """The cluster as the environment wants it; another one ends."""
    local_sessions = os.environ.get("ZOOKEEPER_LOCAL_SESSION_RO", "false")
    if local_sessions not in _clusters:
        terminate()
        size = int(os.environ.get("KAZOO_SERVERS", "1"))
        _clusters[local_sessions] = Cluster(size, local_sessions)
    return _clusters[local_sessions]


def terminate():
    for cluster in _clusters.values():
        cluster.terminate()
    _clusters.clear()


atexit.register(terminate)
kazoo.testing.harness.get_global_cluster = global_cluster


def name_of(item):
    """test_client.TestClient.test_create, as in the list of known failures."""
    module = item.module.__name__.rsplit(".", 1)[-1]
    return ".".join([module, *item.nodeid.split("::")[1:]])


def pytest_collection_modifyitems(items):
    skip = dict(
        line.split(" ", 1)
        for line in os.environ.get("KAZOO_SKIP", "").splitlines()
    )
    for item in items:
        # The name of a class stands for all its tests.
        name = name_of(item)
        for known in (name, name.rsplit(".", 1)[0], name.split(".", 1)[0]):
            if known in skip:
                item.add_marker(pytest.mark.skip(reason=skip[known]))
                break
