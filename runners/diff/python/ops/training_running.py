"""Threads of the training side that run (PROTOCOL.md section 27)."""
import http.client
import socket
import types

from kazoo.protocol.states import KazooState
from monolith.native_training import consul, net_utils, service_discovery

import recorder
import surroundings
from ops import consul as scripted
from running import Log, played, with_names
from turns import SECOND_MS, Event, Lock, Thread, turns
from values import Raw, attempt, encode


def nodes(given):
    """Threads that connect to addresses which take their time to answer."""
    log, answers = Log(), list(given["answers"])

    class Socket:
        def __init__(self, family, kind):
            del family, kind
            self.timeout = None

        def settimeout(self, timeout):
            if timeout < 0:
                raise ValueError("Timeout value out of range")
            self.timeout = timeout

        def connect(self, address):
            if self.timeout == 0:
                raise BlockingIOError(115, "Operation now in progress")
            took, limit = answers.pop(0) if answers else 1, self.timeout * SECOND_MS
            log.note("connect", [*address, self.timeout])
            turns.sleep(min(abs(took), limit) / SECOND_MS)
            if abs(took) >= limit:
                log.note("timed out", address[1])
                raise socket.timeout("timed out")
            log.note("refused" if took < 0 else "connected", address[1])
            if took < 0:
                raise ConnectionRefusedError(111, "Connection refused")

        def close(self):
            pass

    def main():
        checker = net_utils.NodeAliveChecker(given["addrs"], given["timeout"], given["num_thread"])
        log.note("checked", [sorted(checker.get_alive_nodes()), sorted(checker.get_dead_nodes())])

    replaced = {"threading": types.SimpleNamespace(Thread=Thread, Lock=Lock),
                "socket": types.SimpleNamespace(socket=Socket, AF_INET=socket.AF_INET, AF_INET6=socket.AF_INET6, SOCK_STREAM=socket.SOCK_STREAM)}
    with surroundings.captured_stdout():
        return with_names(net_utils, replaced, lambda: played(log, given["until_ms"], main))


class Requests(list):
    """What a scripted agent is asked, each with its time."""

    def append(self, entry):
        super().append([round(turns.now_ms), entry[0], entry])


def services(given):
    """Registrations of consul.py whose heartbeats run."""
    world = scripted.World(given.get("script") or [])
    world.log = Requests()

    class Connection(http.client.HTTPConnection):
        def __init__(self, *args, **kwargs):
            http.client.HTTPConnection.__init__(self, *args, **kwargs)

            def create(address, timeout, source):
                del source
                world.connect(*address, timeout)
                return scripted.Socket(world)
            self._create_connection = create

        def request(self, *args, **kwargs):
            world.request = None
            http.client.HTTPConnection.request(self, *args, **kwargs)

    def main():
        client = consul.Client()
        for name, arguments in given["steps"]:
            if name == "pass":
                turns.sleep(arguments["seconds"])
            else:
                answer = attempt(getattr(client, name), **arguments)
                list.append(world.log, [round(turns.now_ms), name, answer])

    replaced = {"time": types.SimpleNamespace(time=turns.time, sleep=turns.sleep), "HTTPConnection": Connection,
                "threading": types.SimpleNamespace(Lock=Lock, Thread=Thread), "print": lambda *args, **kwargs: None}
    with_names(consul, replaced, lambda: turns.play(given["until_ms"], main, surroundings.START_TIME))
    return {"log": [Raw(encode(entry)) for entry in world.log]}


class Registers(recorder.Client):
    """A fake ZooKeeper whose writes are noted with their time."""

    def __init__(self, log):
        super().__init__()
        self.log = log

    def note(self, name, **arguments):
        super().note(name, **arguments)
        for call, shown in self.writes:
            self.log.note(call, shown)
        self.writes = []


def registrations(given):
    """A discovery by ZooKeeper whose threads register again and again."""
    log = Log()
    client = Registers(log)

    def main():
        discovery = service_discovery.ZKServiceDiscovery("job", "127.0.0.1:1", max_tries=1, delay=0)
        for name, *arguments in given["steps"]:
            if name == "pass":
                turns.sleep(*arguments)
            elif name == "state":
                client.tell(getattr(KazooState, *arguments))
            elif name.startswith("zk."):
                with client.unlogged():
                    getattr(client, name[len("zk."):])(*arguments)
            else:
                log.note(name, attempt(getattr(discovery, name), *arguments))

    replaced = {"MonolithKazooClient": lambda servers: client, "threading": types.SimpleNamespace(Thread=Thread, Event=Event, Lock=Lock)}
    return with_names(service_discovery, replaced, lambda: played(log, given["until_ms"], main))


OPS = {
    "service_discovery.ZKServiceDiscovery.threads.sequence": registrations,
    "net_utils.NodeAliveChecker.sequence": nodes,
    "consul.Client.threads.sequence": services,
}
