import json
import socket
import urllib.request


def test_zookeeper_is_ok(zookeeper):
    host, port = zookeeper.hosts.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as s:
        s.sendall(b"ruok")
        assert s.makefile("rb").read() == b"imok"


def test_model_is_available(model_server):
    with urllib.request.urlopen(model_server.rest + "/v1/models/ranker", timeout=10) as answer:
        assert json.load(answer)["model_version_status"][0]["state"] == "AVAILABLE"
