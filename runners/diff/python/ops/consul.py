"""consul.py over sockets that play a script (PROTOCOL.md section 19)."""
import io
import socket
import types
from http import client as http_client

from monolith.native_training import consul

from ops.waiting import Endless, Time, in_rows
from running import with_names
from values import Raw, attempt, encode


class Stream(io.RawIOBase):
    """What comes in on a socket, and how it ends."""

    def __init__(self, own):
        super().__init__()
        self.own = own

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.own.coming:
            return self.own.end()
        taken = self.own.coming[:len(buffer)]
        self.own.coming = self.own.coming[len(buffer):]
        buffer[:len(taken)] = taken
        return len(taken)


class Socket:
    """A connection to an agent that does what the script says, an entry a request."""

    def __init__(self, world):
        self.world, self.coming, self.gone = world, b"", False
        self.end = self.hung_up

    def hung_up(self):
        self.gone = True
        return 0

    def reset(self):
        self.gone = True
        raise ConnectionResetError(104, "Connection reset by peer")

    def timed_out(self):
        raise socket.timeout("timed out")

    def setsockopt(self, *args):
        pass

    def settimeout(self, timeout):
        pass

    def close(self):
        pass

    def connect(self, path):
        self.world.connect(path, None, None)

    def makefile(self, mode):
        del mode
        return io.BufferedReader(Stream(self))

    def sendall(self, data):
        if self.world.request is not None and self.world.request[0] is self:
            self.world.request[1][3] += data.decode()  # the body comes by itself
            return
        if self.gone:
            self.end = self.hung_up
            return
        self.take(data)

    def take(self, data):
        kind, *rest = self.world.next()
        if kind == "pipe":
            self.gone = True
            raise BrokenPipeError(32, "Broken pipe")
        head = data.decode().split("\r\n")
        method, target, _ = head[0].split(" ")
        entry = ["request", method, target, data.decode().split("\r\n\r\n", 1)[1]]
        self.world.log.append(entry)
        self.world.request = (self, entry)
        self.end = {"timeout": self.timed_out, "stall": self.timed_out, "reset": self.reset}.get(kind, self.hung_up)
        if kind in ("answer", "close", "cut", "stall"):
            status, body = rest
            body = body.encode() if isinstance(body, str) else bytes(body)
            extra = "Connection: close\r\n" if kind == "close" else ""
            header = f"HTTP/1.1 {status} Said\r\n{extra}Content-Length: {len(body)}\r\n\r\n".encode()
            self.coming = header + (body[:len(body) // 2] if kind in ("cut", "stall") else body)
        elif kind == "garbage":
            self.coming = b"SSH-2.0-OpenSSH\r\n\r\n"


class World:
    """The script, and what was done."""

    def __init__(self, script):
        self.script, self.log, self.request = list(script), [], None

    def next(self):
        return self.script.pop(0) if self.script else ["answer", 200, ""]

    def connect(self, host, port, timeout):
        self.log.append(["connect", host, port, timeout])
        kind = self.script[0][0] if self.script else "answer"
        if kind in ("refuse", "no_name", "unanswered"):
            self.next()
            raise {"refuse": ConnectionRefusedError(111, "Connection refused"), "unanswered": socket.timeout("timed out"),
                   "no_name": socket.gaierror(-2, "Name or service not known")}[kind]


class Deadlock:
    """A lock that ends a call that would wait for itself."""

    def __init__(self):
        self.held = False

    def __enter__(self):
        if self.held:
            raise Endless()
        self.held = True

    def __exit__(self, *args):
        self.held = False


class Clock(Time):
    """Time that only sleeps move, until so many."""

    def __init__(self):
        super().__init__()
        self.passed, self.most = 0, 0

    def time(self):
        return super().time() + self.passed

    def sleep(self, seconds):
        self.slept.append(seconds)
        if len(self.slept) >= self.most:
            raise Endless()


def sequence(given):
    world, clock, threads = World(given.get("script") or []), Clock(), []

    class Connection(http_client.HTTPConnection):
        def __init__(self, *args, **kwargs):
            http_client.HTTPConnection.__init__(self, *args, **kwargs)

            def create(address, timeout, source):
                del source
                world.connect(*address, timeout)
                return Socket(world)
            self._create_connection = create

        def request(self, *args, **kwargs):
            world.request = None
            http_client.HTTPConnection.request(self, *args, **kwargs)

    class Thread:
        def __init__(self, name, target, daemon):
            del daemon
            threads.append((name, target))

        def start(self):
            pass

    def beat(times):
        """The heartbeat that was begun last, until it has slept so often."""
        name, target = threads.pop()
        clock.most = times
        try:
            result = attempt(target)
        except Endless:
            result = {"r": None, "endless": True}
        answer = {"name": name, "result": result, "slept": in_rows(clock.slept)}
        clock.passed, clock.slept = clock.passed + sum(clock.slept), []
        return answer

    replaced = {"time": clock, "HTTPConnection": Connection,
                "threading": types.SimpleNamespace(Lock=Deadlock, Thread=Thread),
                "socket": types.SimpleNamespace(socket=lambda *args: Socket(world), AF_UNIX=1, SOCK_STREAM=1, error=OSError),
                "traceback": types.SimpleNamespace(format_exc=lambda: ""), "print": lambda *args, **kwargs: None}
    answers = []

    def play():
        own = consul.Client()
        for name, *rest in given["steps"]:
            arguments, world.log = dict(rest[0]) if rest else {}, []
            beats = arguments.pop("heartbeats", None)
            if name == "pass":
                clock.passed += arguments["seconds"]
                answers.append({"r": None, "log": []})
                continue
            try:
                answer = attempt(getattr(own, name), **arguments)
            except Endless:
                answer = {"r": None, "endless": True}
            if beats and threads:
                answer["heartbeat"] = beat(beats)
            threads.clear()
            answers.append(Raw(encode({**answer, "log": list(world.log)})))

    with_names(consul, replaced, play)
    return {"steps": answers}


OPS = {"consul.Client.sequence": sequence}
