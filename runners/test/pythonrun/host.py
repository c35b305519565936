"""Gives this process a host of its own on the loopback: a name, and one address for all that it serves.

Pods share a machine and its 127.0.0.1. In place of that, of localhost and of all addresses
stands the pod's own, where the reference asks for them: in its look whether a port is open
and for a free one (utils.py), in the channels to its model server and in its own server. So
pods do not meet on ports, and nothing listens beyond the loopback.
"""
import socket
import types

OWN = ("localhost", "127.0.0.1", "0.0.0.0", "[::]", "::")

machine = types.SimpleNamespace(gethostbyname=socket.gethostbyname, getaddrinfo=socket.getaddrinfo)


class Host:

    def __init__(self, name, ip):
        self.name, self.ip = name, ip

    def gethostname(self):
        return self.name

    def gethostbyname(self, name):
        return self.ip if name == self.name else machine.gethostbyname(name)

    def getaddrinfo(self, name, port, family=0, type=0, proto=0, flags=0):  # pylint: disable=redefined-builtin
        if name == self.name:
            if family == socket.AF_INET6:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            name = self.ip
        return machine.getaddrinfo(name, port, family, type, proto, flags)

    def address(self, host):
        """The pod's own address for any of the names of OWN."""
        return self.ip if host in OWN else host

    def target(self, text):
        """A host and a port as gRPC takes them."""
        host, separator, port = text.rpartition(":")
        return self.address(host) + separator + port


def own_socket(host):
    """A class of sockets that connect and bind to the pod where they are told the machine."""

    class Socket(socket.socket):

        def connect(self, address):
            return super().connect((host.address(address[0]),) + tuple(address[1:]))

        def bind(self, address):
            return super().bind((host.address(address[0]),) + tuple(address[1:]))

    return Socket


def install_names(host):
    """Puts the host's name in its place, for everyone."""
    socket.gethostname = host.gethostname
    socket.gethostbyname = host.gethostbyname
    socket.getaddrinfo = host.getaddrinfo


def install_sockets(host, utils):
    """Gives the sockets of utils.py, and gRPC, the host's address."""
    import grpc  # pylint: disable=import-outside-toplevel
    names = {k: v for k, v in vars(socket).items() if not k.startswith("__")}
    names["socket"] = own_socket(host)
    utils.socket = types.SimpleNamespace(**names)
    channel, server = grpc.insecure_channel, grpc.server

    def insecure_channel(target, options=None, compression=None):
        return channel(host.target(target), options, compression)

    def make_server(*args, **kwargs):
        made = server(*args, **kwargs)
        add = made.add_insecure_port
        made.add_insecure_port = lambda address: add(host.target(address))
        return made

    grpc.insecure_channel, grpc.server = insecure_channel, make_server
