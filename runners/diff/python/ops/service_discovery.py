"""service_discovery (PROTOCOL.md section 19)."""
from monolith.native_training import service_discovery

import recorder
import surroundings
from values import Raw, attempt, encode, error

service_discovery.threading = surroundings.threading_with(surroundings.IdleThread)
service_discovery.time = surroundings.clock

MLP_CALLS = (
    ("props",), ("query", "ps", True), ("query", "WORKER", True), ("query", "nope", True), ("query", "", True),
    ("query", None), ("query_all",), ("deregister", "ps", 0, "ps0:1000"), ("query", "ps", True),
    ("register", "ps", 0, "ps0:1000"), ("query", "ps", True), ("register", "ps", 5, "ps0:1000"),
    ("register", "nope", 0, "x:1"), ("register", "ps", 0, "ps0:9"), ("register", "ps", 0, "other:1000"),
    ("register", "ps", 0, "localhost:1000"), ("register", "worker", 1, "w1b:2222"),
    ("register", "worker", 1, "10.5.5.5:2222"), ("register", "ps", 0, "bad"), ("deregister_all",),
    ("query", "ps", True), ("query_all",), ("register", "PS", 1, "ps1:1001"), ("query", "ps", True), ("close",),
    ("props",), ("query", "ps", True), ("query_all",), ("deregister_all",))


def tf_config(given):
    discovery = service_discovery.TfConfigServiceDiscovery(given["tf_config"])
    answer = {f"query({name})": attempt(discovery.query, name) for name in ("ps", "worker", "chief", "", "PS")}
    for name in ("server_type", "addr", "index"):
        answer[name] = attempt(getattr, discovery, name)
    for name in ("register", "deregister"):
        answer[name] = attempt(getattr(discovery, name), "ps", 0, "x")
    return answer


def mlp(given):
    del given
    try:
        discovery = service_discovery.MLPServiceDiscovery()
    except Exception as e:  # pylint: disable=broad-except
        return {"ctor": error(e)}
    answer = []
    for name, *arguments in MLP_CALLS:
        if name == "props":
            result = {p: attempt(getattr, discovery, p) for p in ("server_type", "index", "addr")}
        else:
            result = attempt(getattr(discovery, name), *arguments)
        answer.append([name, arguments, result])
    return answer


class Consul:
    """Stands for the consul client: holds elements, and writes down what it is asked."""

    def __init__(self, elements):
        self.elements = elements
        self.log = []

    def lookup(self, name, timeout):
        self.log.append(["lookup", name, timeout])
        return list(self.elements)

    def register(self, name, port, tags):
        self.log.append(Raw(encode(["register", name, port, tags])))
        self.elements.append({"Port": port, "Host": "h", "Tags": {k: str(v) for k, v in tags.items()}})

    def deregister(self, name, port):
        self.log.append(["deregister", name, port])
        self.elements[:] = [e for e in self.elements if e["Port"] != port]


def consul(given):
    discovery = service_discovery.ConsulServiceDiscovery(given["consul_id"], retry_time_secs=0)
    discovery._client = stub = Consul(given["elements"])
    answer = []
    for name, arguments in given["calls"]:
        result = attempt(getattr(discovery, name), *arguments)
        answer.append([name, arguments, result, stub.log])
        stub.log = []
    return answer


class FilledClient(recorder.Client):
    """A client that finds nodes when it starts."""

    def __init__(self, tree):
        super().__init__()
        self.nodes = tree

    def start(self):
        super().start()
        with self.unlogged():
            for path, value in self.nodes:
                self.create(path, value, makepath=True)


class RoundOver(BaseException):
    """Ends a thread that would wait for its next round."""


class HalfAnHour:
    """Stands for the event that wakes a thread that registers: half an hour passes, once."""

    def __init__(self):
        self.passed = False

    def wait(self, seconds):
        if self.passed:
            raise RoundOver()
        self.passed = True
        return False


class Registering(surroundings.IdleThread):
    """A thread that registers periodically, when it is told that the time has come."""

    made = []

    def __init__(self, target, args, daemon):
        super().__init__(target=target, args=args, daemon=daemon)
        self.target, self.args = target, args

    def start(self):
        self.made.append(self)

    def round(self):
        name, index, addr, stop, _ = self.args
        try:
            self.target(name, index, addr, stop, HalfAnHour())
        except RoundOver:
            pass


def pass_half_an_hour():
    for thread in list(Registering.made):
        thread.round()


def zk(given):
    client = FilledClient(given["tree"])
    Registering.made = []
    real, service_discovery.MonolithKazooClient = service_discovery.MonolithKazooClient, lambda servers: client
    service_discovery.threading = surroundings.threading_with(Registering)
    try:
        discovery = service_discovery.ZKServiceDiscovery(given["job_name"], "127.0.0.1:1", max_tries=1, delay=0)
    finally:
        service_discovery.MonolithKazooClient = real
    answer = [["start", [], {"r": None}, client.take_writes()]]
    for name, arguments in given["calls"]:
        if name.startswith("zk."):
            result = attempt(recorder.call, client, name[len("zk."):], arguments)
        elif name == "half_an_hour":
            result = attempt(pass_half_an_hour)
        else:
            result = attempt(getattr(discovery, name), *arguments)
        answer.append([name, arguments, result, client.take_writes()])
    return {"calls": answer, "tree": client.tree()}


OPS = {
    "service_discovery.TfConfigServiceDiscovery": tf_config,
    "service_discovery.MLPServiceDiscovery": mlp,
    "service_discovery.ConsulServiceDiscovery": consul,
    "service_discovery.ZKServiceDiscovery": zk,
}
