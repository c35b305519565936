"""A plain kazoo session against the server at HOST:PORT, given as argument."""

import sys
import threading

from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError, RolledBackError
from kazoo.security import CREATOR_ALL_ACL, make_digest_acl

PATIENCE = 20


def raised(wanted, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except wanted:
        return True
    return False


def main(hosts):
    zk = KazooClient(hosts=hosts, auth_data=[("digest", "u:p")])
    zk.start(timeout=PATIENCE)
    other = KazooClient(hosts=hosts)
    other.start(timeout=PATIENCE)
    assert zk.server_version()[:2] == (3, 8), zk.server_version()

    assert zk.create("/app/config", b"one", makepath=True) == "/app/config"
    assert raised(NodeExistsError, zk.create, "/app/config")
    assert raised(NoNodeError, zk.get, "/missing")
    data, stat = zk.get("/app/config")
    assert (data, stat.version, stat.dataLength) == (b"one", 0, 3), (data, stat)
    assert zk.set("/app/config", b"two", version=0).version == 1
    assert raised(BadVersionError, zk.set, "/app/config", b"three", version=0)
    path, stat = zk.create("/app/e-", b"", ephemeral=True, sequence=True, include_data=True)
    assert path == "/app/e-0000000001" and stat.ephemeralOwner == zk.client_id[0], (path, stat)
    names, stat = zk.get_children("/app", include_data=True)
    assert sorted(names) == ["config", "e-0000000001"] and stat.numChildren == 2
    assert zk.exists("/missing") is None
    assert zk.sync("/app") == "/app"

    zk.create("/mine", b"", acl=[make_digest_acl("u", "p", all=True)])
    assert raised(Exception, other.get, "/mine")
    zk.get("/mine")
    assert zk.get_acls("/mine")[0][0].id.scheme == "digest"

    zk.create("/own", b"", acl=CREATOR_ALL_ACL)
    assert zk.get_acls("/own")[0][0].id.id.startswith("u:")

    transaction = zk.transaction()
    transaction.create("/app/t", b"x")
    transaction.set_data("/app/t", b"y")
    transaction.check("/app/t", version=1)
    transaction.delete("/app/t")
    assert transaction.commit()[0] == "/app/t"
    transaction = zk.transaction()
    transaction.create("/app/t", b"x")
    transaction.delete("/missing")
    results = transaction.commit()
    assert isinstance(results[0], RolledBackError) and isinstance(results[1], NoNodeError), results

    seen, heard = [], threading.Condition()

    def note(kind, value):
        with heard:
            seen.append((kind, value))
            heard.notify_all()

    def wait_for(kind, value):
        with heard:
            assert heard.wait_for(lambda: (kind, value) in seen, PATIENCE), (kind, value, seen)

    zk.DataWatch("/app/config", lambda data, stat: note("data", data))
    zk.ChildrenWatch("/app", lambda names: note("children", sorted(names)))
    other.set("/app/config", b"three")
    wait_for("data", b"three")
    other.create("/app/new")
    wait_for("children", ["config", "e-0000000001", "new"])

    with zk.Lock("/app/lock", "zk"):
        assert not other.Lock("/app/lock", "other").acquire(blocking=False)
    led = []
    zk.Election("/app/election", "zk").run(led.append, "zk")
    assert led == ["zk"]

    zk.stop()
    zk.close()
    assert other.exists("/app/e-0000000001") is None
    other.stop()
    other.close()
    print("kazoo is content")


main(sys.argv[1])
