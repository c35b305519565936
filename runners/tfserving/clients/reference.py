"""The reference's clients of a model server, unmodified, on real sockets and processes.

    MONOLITH_SRC=<checkout of bytedance/monolith> python3 reference.py < orders > answers

    {"hello": true}              {"unavailable": why, or null}
    {"monitor": port}            {}   a TFSMonitor of a container with an entry and a ps, both at the port
    {"addr": sub model}          a line
    {"status": [name, version or null]}
                                 a line
    {"publish_status": [publish, fix dense version]}
                                 a line
    {"reload": [server type, publishes, fix dense version, base path of the model `default`]}
                                 a line
    {"stop_monitor": true}       {}
    {"wrapper": [config file, ports, log file, options]}
                                 a line: a TFSWrapper, started; the variable MONOLITH_TFS_BINARY names the program
    {"saved_models": true}       a line
    {"stop_wrapper": true}       a line
    {"tfs_client": flags}        a line, or {"hex": message} of what is printed
    {"profile": flags}           a line "<answered calls> <failed calls>"

A publish is one as it is stored. A line is {"line": text}: versions are "<version> <state> <code> <message>"
with commas between, what is raised is "<type>: <text>" and of gRPC "<code>: <details>".

How the reference is imported is told in runners/diff/python/finder.py. Flags of its modules clash (Q60), so the orders
tfs_client and all others want processes of their own.
"""
import builtins
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

import orders


def install():
    """Makes the reference importable. Answers why it is not."""
    source = os.environ.get("MONOLITH_SRC", "")
    if not os.path.isdir(os.path.join(source, "monolith", "agent_service")):
        return "MONOLITH_SRC does not name a checkout of bytedance/monolith"
    try:
        import finder  # pylint: disable=import-outside-toplevel
        finder.install(source)
        from monolith.agent_service import tfs_monitor  # pylint: disable=import-outside-toplevel,unused-import
    except Exception as e:  # pylint: disable=broad-except
        return f"the reference cannot be imported: {e!r}; see runners/diff/python/requirements.txt"
    return None


def raised(e):
    if hasattr(e, "code") and hasattr(e, "details"):
        return f"{e.code().name}: {e.details()}"
    return f"{type(e).__name__}: {e}"


def version(v):
    state = type(v).State.Name(v.state)
    return f"{v.version} {state} {v.status.error_code} {v.status.error_message}"


class Reference:

    def __init__(self):
        self.monitor_object, self.wrapper_object = None, None

    def monitor(self, port):
        from monolith.agent_service import tfs_monitor, utils
        config = utils.AgentConfig(bzid="b", base_name="n", deploy_type="mixed")
        config.tfs_entry_port = config.tfs_ps_port = port
        self.monitor_object = tfs_monitor.TFSMonitor(config)
        self.monitor_object.start()

    def addr(self, name):
        return self.monitor_object.get_addr(name)

    def status(self, name, number):
        return ", ".join(version(v) for v in self.monitor_object.get_model_status(name, number))

    def publish_status(self, publish, fix):
        found = self.monitor_object.get_model_status(self.publish(publish), fix)
        return ", ".join(f"{name} {path} {version(v)}" for name, (path, v) in found.items())

    def reload(self, server_type, publishes, fix, default):
        from monolith.agent_service import utils
        config = self.monitor_object.gen_model_config([self.publish(p) for p in publishes], fix)[server_type]
        config.model_config_list.config.append(utils.gen_model_config("default", default))
        status = self.monitor_object.handle_reload_config_request(server_type, config)
        return f"{status.error_code} {status.error_message}"

    @staticmethod
    def publish(given):
        from monolith.agent_service import data_def
        return data_def.PublishMeta.deserialize(given.encode())

    def stop_monitor(self, _):
        self.monitor_object.stop()

    def wrapper(self, config_file, ports, log_file, options):
        from monolith.agent_service import tfs_wrapper, utils
        config = utils.AgentConfig(bzid="b", base_name="n", deploy_type="mixed", **options)
        self.wrapper_object = tfs_wrapper.TFSWrapper(*ports, config_file, config, log_file)
        self.wrapper_object.start()
        return f"gRPC {self.wrapper_object.is_grpc_remote_op}: {self.wrapper_object._prepare_cmd()}"

    def saved_models(self, _):
        wrapper = self.wrapper_object
        found = wrapper.list_saved_models_status()
        lines = [f"{name} {version(v)}" for name, v in found.items()]
        return f"poll {wrapper.poll()}, models {wrapper.list_saved_models()}, " + ", ".join(lines)

    def stop_wrapper(self, _):
        self.wrapper_object.stop()
        self.wrapper_object._proc.wait()
        return f"poll {self.wrapper_object.poll()}"

    @staticmethod
    def client_program(given):
        """The module tfs_client with these flags."""
        from absl import flags
        from monolith.agent_service import tfs_client
        from monolith.native_training import env_utils
        if not flags.FLAGS.is_parsed():
            flags.FLAGS.mark_as_parsed()
        for name in flags.FLAGS:
            setattr(flags.FLAGS, name, given.get(name, flags.FLAGS[name].default))
        env_utils.setup_host_ip = lambda: None  # main calls it, and it does not exist (Q67)
        return tfs_client

    def profile(self, given):
        tfs_client = self.client_program(given)
        tfs_client.VALID_SLOTS, tfs_client.user_features = [1], []  # nothing sets them (Q135, Q136)
        import tqdm
        tqdm.tqdm = lambda items, desc=None: items  # no progress bar
        lines = []
        tfs_client.logging = types.SimpleNamespace(info=lines.append)
        tfs_client.main(None)
        count, = [re.match(r"\[Profile\] Count: (\d+),", l).group(1) for l in lines if l.startswith("[Profile]")]
        return f"{count} {sum(l.startswith('Warning!') for l in lines)}"

    def tfs_client(self, given):
        tfs_client = self.client_program(given)
        printed = []
        tfs_client.print = printed.append
        try:
            result = tfs_client.main(None)
        finally:
            tfs_client.print = builtins.print
        message = printed[0] if printed else result
        return {"hex": message.SerializeToString(deterministic=True).hex()}

    def obey(self, order):
        (name, given), = order.items()
        try:
            answer = getattr(self, name)(*given) if isinstance(given, list) else getattr(self, name)(given)
        except Exception as e:  # pylint: disable=broad-except
            answer = raised(e)
        if answer is None:
            return {}
        return answer if isinstance(answer, dict) else {"line": answer}


def main():
    why_not = install()
    reference = Reference()
    orders.answer_all(lambda order: {"unavailable": why_not} if "hello" in order else reference.obey(order))


if __name__ == "__main__":
    main()
