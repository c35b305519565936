"""Makes clocks and timed waits of this process faster than the wall clock.

install() must come before every other import: kazoo and others keep time.sleep by another
name. begin(speed) sets the pace, from the present instant on. Scaled are time.*, conditions
(and with them events, queues and futures), joins, select and poll, and the limits of sockets.

gRPC keeps the wall clock: its core compares deadlines with its own, and Server.start polls
time.time() of before. The back-off of channels is set by options, of which the core takes
none below 100 ms, so that speed is at most 10.
"""
import queue
import select
import socket
import threading
import time
import types

# gRPC's own back-off in ms: the first, the least time of an attempt, the longest.
BACKOFF = {"initial": 1000, "min": 20000, "max": 120000}

wall = types.SimpleNamespace(**{k: getattr(time, k) for k in dir(time) if not k.startswith("__")})


class Pace:
    """How fast time passes, and since when."""

    def __init__(self):
        self.speed = 1.0
        self.began = {}

    def set(self, speed):
        self.began = {name: getattr(wall, name)() for name in self.began}
        self.speed = speed

    def clock(self, name):
        read = getattr(wall, name)
        self.began[name] = read()

        def scaled():
            return self.began[name] + (read() - self.began[name]) * self.speed

        return scaled

    def wall(self, timeout):
        """The wall time of a time to wait; None and times that are over stay as they are."""
        return timeout if timeout is None or timeout <= 0 else timeout / self.speed


pace = Pace()


def install():
    """Puts the clocks and waits in their places, at the pace of the wall clock."""
    time.sleep = lambda seconds: wall.sleep(pace.wall(seconds))
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, pace.clock(name))
    threading._time = queue.time = time.monotonic  # they took the function by another name
    scale_method(threading.Condition, "wait")
    scale_method(threading.Thread, "join")
    real_select = select.select
    select.select = lambda r, w, x, timeout=None: real_select(r, w, x, pace.wall(timeout))
    select.poll = poll_class(select.poll)
    scale_method(socket.socket, "settimeout")


def scale_method(owner, name):
    real = getattr(owner, name)
    setattr(owner, name, lambda self, timeout=None: real(self, pace.wall(timeout)))


def poll_class(real):

    class Poll:

        def __init__(self):
            self.real = real()

        def __getattr__(self, name):
            return getattr(self.real, name)

        def poll(self, timeout=None):
            return self.real.poll(pace.wall(timeout))

    return Poll


def begin(speed):
    """Lets time pass at this speed from now on."""
    import grpc  # pylint: disable=import-outside-toplevel
    from grpc import _channel, _common, _server  # pylint: disable=import-outside-toplevel
    from grpc._cython import cygrpc  # pylint: disable=import-outside-toplevel
    for module in (_channel, _common, _server, cygrpc):
        for name in ("time", "_time"):
            if getattr(module, name, None) is time:
                setattr(module, name, wall)
    channel = grpc.insecure_channel
    backoff = [(f"grpc.{name}_reconnect_backoff_ms", max(int(ms / speed), 100)) for name, ms in BACKOFF.items()]

    def insecure_channel(target, options=None, compression=None):
        return channel(target, list(options or ()) + backoff, compression)

    grpc.insecure_channel = insecure_channel
    pace.set(speed)
