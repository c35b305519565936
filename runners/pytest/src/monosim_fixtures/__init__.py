"""pytest fixtures that serve with monosim: zookeeper, model_server and cluster.

plugin.py has the fixtures, servers.py the processes behind them."""

from .servers import Cluster, ModelServer, MonosimError, ZooKeeper

__all__ = ["Cluster", "ModelServer", "MonosimError", "ZooKeeper"]
