"""What a case sees of the world (PROTOCOL.md section 3): directory, environment, host, time, threads.

Use enter(request) before a case and leave() after it; install() once, after the
packages that want the real sockets are imported. The directory is one and the
same for all cases and is emptied between them only when a case left something.

To fake another entry of the host look at host and Socket; of time, Clock; of
threads, InlineThread and IdleThread.
"""
import contextlib
import errno
import gc
import io
import os
import shutil
import socket
import stat
import sys
import tempfile
import types
import warnings

import shown
import values

HOST_NAME = "case-host"
HOST_DEFAULTS = {
    "gethostbyname": "192.0.2.10",
    "ipv6": "2001:db8::10",
    "udp_ip": None,
    "mem_available": 7000000000,
}
START_TIME = 1700000000
COLLECT_EVERY = 100

host = dict(HOST_DEFAULTS)

real_socket = socket.socket
real_getaddrinfo = socket.getaddrinfo
real_walk = os.walk


class Directory:
    """The case's directory."""

    def __init__(self):
        self.parent = os.path.realpath(tempfile.mkdtemp(prefix="testee-"))
        self.path = os.path.join(self.parent, "case")
        os.mkdir(self.path)

    def clear(self):
        """Makes it empty again, whatever the case did to it."""
        try:
            if not os.listdir(self.path):
                return
        except OSError:
            pass
        os.chdir(self.parent)
        if os.path.islink(self.path) or os.path.isfile(self.path):
            os.remove(self.path)
        shutil.rmtree(self.path, ignore_errors=True)
        os.mkdir(self.path)

    def remove(self):
        os.chdir("/")
        shutil.rmtree(self.parent, ignore_errors=True)

    def write(self, files):
        """Writes files as a case gives them: name to text, bytes ($hex or decoded), link or directory (null)."""
        for name, content in files.items():
            self.write_one(self.inside(name), content)

    def inside(self, name):
        """The path of a file of the case; names that lead out of its directory, by a link too, are refused."""
        path = os.path.join(self.path, name)
        place = os.path.realpath(os.path.dirname(path.rstrip("/")))
        if os.path.commonpath([place, self.path]) != self.path or os.path.islink(path):
            raise ValueError(f"files: found {name!r}, want a name below the directory of the case")
        return path

    def write_one(self, path, content):
        if content is None or path.endswith("/"):
            os.makedirs(path, exist_ok=True)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, dict) and "$link" in content:
            os.symlink(values.placeholders.take(content["$link"]), path)
            return
        if isinstance(content, dict):
            content = bytes.fromhex(content["$hex"])
        elif isinstance(content, str):
            content = values.placeholders.take(content).encode("utf-8", "surrogatepass")
        with open(path, "wb") as f:
            f.write(content)

    def tree(self):
        """The files and directories, as write takes them."""
        found = {}
        for root, directories, names in real_walk(self.path):
            for name in directories + names:
                path = os.path.join(root, name)
                shown = os.path.relpath(path, self.path)
                if os.path.islink(path):
                    found[shown] = {"$link": values.encode(os.readlink(path))}
                elif name in directories:
                    found[shown + "/"] = None
                else:
                    found[shown] = read_shown(path)
        return values.Raw({values.placeholders.put(k): found[k] for k in sorted(found)})


def read_shown(path):
    """A file's text, or its bytes when it is not UTF-8."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        return None
    with open(path, "rb") as f:
        content = f.read()
    try:
        return values.encode(content.decode("utf-8"))
    except UnicodeDecodeError:
        return values.encode(content)


class Socket:
    """A socket of the case's host: nothing listens, and no network but perhaps an own address for datagrams."""

    # pylint: disable-next=redefined-builtin
    def __init__(self, family=socket.AF_INET, type=socket.SOCK_STREAM, proto=0, fileno=None):
        del family, proto, fileno
        self.is_datagram = type == socket.SOCK_DGRAM

    def connect(self, address):
        if not self.is_datagram:
            if "is_open" in host and host["is_open"](address[1]):
                return
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        if host["udp_ip"] is None:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        del address

    def getsockname(self):
        if self.is_datagram:
            return (host["udp_ip"] or "0.0.0.0", values.FREE_PORT)
        return ("127.0.0.1", values.FREE_PORT)

    def bind(self, address):
        pass

    def setsockopt(self, *args):
        pass

    def settimeout(self, value):
        pass

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass


def gethostbyname(name):
    del name
    if host["gethostbyname"] is None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return host["gethostbyname"]


def getaddrinfo(name, port, family=0, type=0, proto=0, flags=0):  # pylint: disable=redefined-builtin
    if name != HOST_NAME:
        return real_getaddrinfo(name, port, family, type, proto, flags)
    v4 = host["gethostbyname"] if family in (0, socket.AF_INET) else None
    v6 = host["ipv6"] if family in (0, socket.AF_INET6) else None
    if v4 is not None:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (v4, port or 0))]
    if v6 is not None:
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", (v6, port or 0, 0, 0))]
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def sorted_walk(top, topdown=True, onerror=None, followlinks=False):
    """os.walk in the order of names."""
    for directory, directories, files in real_walk(top, topdown, onerror, followlinks):
        directories.sort()
        files.sort()
        yield directory, directories, files


class Clock:
    """Takes the place of the time module in a module of the reference: sleeps are noted and take no time."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.slept = []
        self.now = START_TIME
        self.on_sleep = None
        self.source = None  # another clock, where one runs

    def time(self):
        return self.source.time() if self.source else self.now

    def sleep(self, seconds):
        shown.waited(seconds)
        self.slept.append(seconds)
        if self.on_sleep:
            self.on_sleep(len(self.slept))


class InlineThread:
    """A thread that runs to its end when it is started, as if it were joined at once."""

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, daemon=None):
        del group, daemon
        self.name = name
        self._run = lambda: target(*args, **(kwargs or {}))

    def start(self):
        try:
            self._run()
        except Exception:  # pylint: disable=broad-except
            pass  # A thread's error ends the thread alone.

    def join(self, timeout=None):
        pass


class IdleThread(InlineThread):
    """A thread that never gets to run."""

    def start(self):
        pass


def threading_with(thread):
    """The threading module with another Thread."""
    import threading  # pylint: disable=import-outside-toplevel
    names = {n: getattr(threading, n) for n in ("Lock", "RLock", "Event")}
    return types.SimpleNamespace(**names, Thread=thread)


directory = Directory()
clock = Clock()
_entered = 0


def install():
    """Fakes the host for good. Output to stdout goes to stderr from here on."""
    socket.socket = Socket
    socket.gethostname = lambda: HOST_NAME
    socket.gethostbyname = gethostbyname
    socket.getaddrinfo = getaddrinfo
    os.walk = sorted_walk
    sys.stdout = sys.stderr
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda unraisable: None  # errors of watches of dropped nodes
    values.placeholders.directory = directory.path
    gc.disable()  # what is dropped fires watches: only when it is dropped, and between cases


def enter(request):
    """Sets up what a case asks for."""
    global _entered
    _entered += 1
    if _entered % COLLECT_EVERY == 0:
        gc.collect()
    directory.clear()
    os.chdir(directory.path)
    tempfile.tempdir = directory.path
    host.clear()
    host.update(HOST_DEFAULTS)
    host.update(request.get("host") or {})
    os.environ.clear()
    os.environ.update({k: values.placeholders.take(v) for k, v in sorted((request.get("env") or {}).items())})
    clock.reset()
    directory.write(request.get("files") or {})


@contextlib.contextmanager
def captured_stdout():
    """What is printed meanwhile."""
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        yield sys.stdout
    finally:
        sys.stdout = before


def free_port():
    """A port that is really free, for a server that is really started."""
    with real_socket(socket.AF_INET6, socket.SOCK_STREAM) as s:
        s.bind(("::", 0))
        return s.getsockname()[1]
