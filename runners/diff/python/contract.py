"""One side of the AgentService contract: the reference as a server or as a client, on real sockets.

    MONOLITH_SRC=<checkout of bytedance/monolith> python3 runners/diff/python/contract.py < orders > answers

Orders and answers are JSON lines. A case is one of the operation agent_service.grpc
(PROTOCOL.md section 11).

    {"hello": true}                  -> {}, or {"unavailable": why} where the reference cannot be run
    {"serve": case}                  -> {"port": n}           the reference's AgentService serves the case
    {"stop": true}                   -> {"seen": [[method, request hex]…]}
    {"call": case, "port": n}        -> {"calls": [{"by", "response" hex}|{"by", "status"}…]}

Where the reference's SvrClient can make a call it does ("by": "svr_client"), else
the generated stub. Responses are serialised anew, map entries by key. What cannot
be done is {"failed": why}.

To change how a case becomes a service look in ops/agent_service.py. Server and
client are two processes of this program, as both read the environment.
"""
import json
import os
import sys

import testee


def recording(server_class, seen):
    """A server class that notes the bytes of every request that its service takes."""
    import grpc  # pylint: disable=import-outside-toplevel

    class Interceptor(grpc.ServerInterceptor):

        def intercept_service(self, continuation, details):
            handler = continuation(details)
            if handler is None:
                return None

            def parse(data):
                seen.append([details.method, data.hex()])
                return handler.request_deserializer(data)

            return handler._replace(request_deserializer=parse)

    class Recording(server_class):

        def __init__(self, pool):
            super().__init__(pool, interceptors=[Interceptor()])

    return Recording


class Contract:

    def __init__(self):
        import surroundings  # pylint: disable=import-outside-toplevel
        import values  # pylint: disable=import-outside-toplevel
        from ops import agent_service as op  # pylint: disable=import-outside-toplevel
        self.surroundings, self.values, self.op = surroundings, values, op
        self.service = None
        self.seen = []

    def given(self, case):
        return self.values.decode(self.values.placeholders.take(case["in"]))

    def serve(self, case):
        self.surroundings.enter(case)
        self.seen = []
        self.op.use_server(recording(self.op.Server, self.seen))
        self.service = self.op.served(self.given(case))
        self.service.start()
        return {"port": self.service._server.port}

    def stop(self):
        self.service.stop()
        return {"seen": self.seen}

    def call(self, case, port):
        import grpc  # pylint: disable=import-outside-toplevel
        from monolith.agent_service import svr_client  # pylint: disable=import-outside-toplevel
        from monolith.agent_service import utils  # pylint: disable=import-outside-toplevel
        self.surroundings.enter({"env": {"MY_HOST_IP": "127.0.0.1", "PORT2": str(port)}})
        client = svr_client.SvrClient(utils.AgentConfig(bzid="b", base_name="n", deploy_type="mixed"))
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel, self.surroundings.captured_stdout():
            return {"calls": [self.ask(client, channel, *c) for c in self.given(case)["calls"]]}

    def ask(self, client, channel, rpc, fields, message=None):
        import grpc  # pylint: disable=import-outside-toplevel
        by, make = "svr_client", None
        if isinstance(fields, dict) and rpc == "HeartBeat":
            make = lambda: client.heart_beat(fields.get("server_type", 0))
        elif isinstance(fields, dict) and rpc == "GetReplicas" and not fields.get("model_name"):
            make = lambda: client.get_replicas(fields.get("server_type", 0), fields.get("task", 0))
        else:
            by, request = "stub", message or self.op.request_of(rpc, fields)
            make = lambda: self.op.ask(channel, rpc, request)
        try:
            reply = make()
        except grpc.RpcError as e:
            return {"by": by, "status": self.op.status(e)}
        return {"by": by, "response": reply.SerializeToString(deterministic=True).hex()}

    def obey(self, order):
        if "serve" in order:
            return self.serve(order["serve"])
        if "call" in order:
            return self.call(order["call"], order["port"])
        return self.stop()


def main():
    # What the reference prints must not reach the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    contract, hello = None, {}
    try:
        testee.load(testee.MAIN)
        contract = Contract()
    except testee.Unavailable as e:
        hello = {"unavailable": str(e)}
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = hello if "hello" in order else contract.obey(order)
        except Exception as e:  # pylint: disable=broad-except
            answer = {"failed": repr(e)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(0)  # threads of gRPC or of the reference may be left


if __name__ == "__main__":
    main()
