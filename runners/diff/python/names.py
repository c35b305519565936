"""Lists the public names of the reference, without importing it.

    MONOLITH_SRC=<checkout> python3 names.py [names.json]

Writes the modules of monolith/agent_service, sorted, and those elsewhere that the
scope is about or that are ported: for each the names that do not begin with an
underscore, in the order of the text, with their kind and their line. They are the
functions, classes and assigned names of the module, and the methods, properties and
assigned names of its classes; that a class can be made goes without saying. A module
whose __getattr__ asks an object of a class of its own has the names of that class too.
"program" says that the module can be run, "code" counts its lines of code: those
with more on them than a comment or a docstring. What methods set on self is not listed, nor are flags. A name that is defined twice is
listed once, where it is first.
"""
import ast
import glob
import io
import json
import os
import sys
import tokenize

AGENT_SERVICE = "monolith/agent_service"

# Modules elsewhere: those that rows of the groups A, C, D and E are about
# (vectors/scope/rows.yaml), and those that engine/training ports beside them.
ELSEWHERE = [
    "monolith/base_runner.py",
    "monolith/common/python/mem_profiling.py",
    "monolith/core/__init__.py",
    "monolith/core/model_registry.py",
    "monolith/native_training/barrier_ops.py",
    "monolith/native_training/barrier_ops_test.py",
    "monolith/native_training/cluster_manager.py",
    "monolith/native_training/cluster_manager_test.py",
    "monolith/native_training/consul.py",
    "monolith/native_training/consul_test.py",
    "monolith/native_training/cpu_training.py",
    "monolith/native_training/cpu_training_test.py",
    "monolith/native_training/data/datasets.py",
    "monolith/native_training/distribution_utils.py",
    "monolith/native_training/env_utils.py",
    "monolith/native_training/estimator.py",
    "monolith/native_training/estimator_test.py",
    "monolith/native_training/file_ops.py",
    "monolith/native_training/file_ops_test.py",
    "monolith/native_training/gflags_utils.py",
    "monolith/native_training/gflags_utils_test.py",
    "monolith/native_training/hooks/ckpt_hooks.py",
    "monolith/native_training/hooks/ckpt_hooks_test.py",
    "monolith/native_training/hooks/controller_hooks.py",
    "monolith/native_training/hooks/controller_hooks_test.py",
    "monolith/native_training/hooks/hook_utils.py",
    "monolith/native_training/hooks/hook_utils_test.py",
    "monolith/native_training/hooks/ps_check_hooks.py",
    "monolith/native_training/hooks/ps_check_hooks_test.py",
    "monolith/native_training/hooks/server/client_lib.py",
    "monolith/native_training/hooks/server/constants.py",
    "monolith/native_training/hooks/server/server_lib.py",
    "monolith/native_training/hooks/server/server_lib_test.py",
    "monolith/native_training/hooks/session_hooks.py",
    "monolith/native_training/hooks/session_hooks_test.py",
    "monolith/native_training/hvd_lib.py",
    "monolith/native_training/logging_ops.py",
    "monolith/native_training/logging_ops_test.py",
    "monolith/native_training/mlp_utils.py",
    "monolith/native_training/model_export/export_hooks.py",
    "monolith/native_training/model_export/export_hooks_test.py",
    "monolith/native_training/model_export/export_state_utils.py",
    "monolith/native_training/model_export/export_state_utils_test.py",
    "monolith/native_training/model_export/saved_model_exporters.py",
    "monolith/native_training/model_export/saved_model_exporters_test.py",
    "monolith/native_training/nested_tensors.py",
    "monolith/native_training/nested_tensors_test.py",
    "monolith/native_training/net_utils.py",
    "monolith/native_training/net_utils_test.py",
    "monolith/native_training/prefetch_queue.py",
    "monolith/native_training/prefetch_queue_test.py",
    "monolith/native_training/runner_utils.py",
    "monolith/native_training/runner_utils_test.py",
    "monolith/native_training/save_utils.py",
    "monolith/native_training/save_utils_test.py",
    "monolith/native_training/service_discovery.py",
    "monolith/native_training/service_discovery_test.py",
    "monolith/native_training/session_run_hooks.py",
    "monolith/native_training/session_run_hooks_test.py",
    "monolith/native_training/sync_hooks.py",
    "monolith/native_training/sync_hooks_test.py",
    "monolith/native_training/yarn_runtime.py",
    "monolith/native_training/yarn_runtime_test.py",
    "monolith/native_training/zk_utils.py",
    "monolith/path_utils.py",
    "monolith/tpu_runner.py",
    "monolith/utils.py",
    "monolith/utils_test.py",
]

NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
           tokenize.ENDMARKER)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PROPERTIES = ("property", "cached_property", "functools.cached_property")


def targets(node):
    """The names that an assignment binds; attributes and items are none."""
    found = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in found:
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def kind_of_function(node, inside):
    if not inside:
        return "function"
    decorators = [ast.unparse(d) for d in node.decorator_list]
    return "property" if any(d in PROPERTIES for d in decorators) else "method"


def names_of(body, inside=""):
    """Yields name, kind and line of what the statements define."""
    for node in body:
        if isinstance(node, FUNCTIONS):
            yield inside + node.name, kind_of_function(node, inside), node.lineno
        elif isinstance(node, ast.ClassDef):
            yield inside + node.name, "class", node.lineno
            yield from names_of(node.body, inside + node.name + ".")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for name in targets(node):
                yield inside + name, "attribute" if inside else "constant", node.lineno
        elif isinstance(node, (ast.If, ast.Try)) and not is_main_guard(node):
            for part in (node.body, node.orelse, getattr(node, "finalbody", [])):
                yield from names_of(part, inside)
            for handler in getattr(node, "handlers", []):
                yield from names_of(handler.body, inside)


def names_asked_for(body):
    """Yields name, kind and line of what a module's __getattr__ finds: the members of
    the class of the object that it asks."""
    classes = {n.name: n for n in body if isinstance(n, ast.ClassDef)}
    made = {t: n.value.func.id for n in body if isinstance(n, ast.Assign) for t in targets(n)
            if isinstance(n.value, ast.Call) and isinstance(n.value.func, ast.Name)}
    for node in body:
        if not isinstance(node, ast.FunctionDef) or node.name != "__getattr__":
            continue
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "getattr":
                asked = classes.get(made.get(ast.unparse(call.args[0])))
                for name, kind, line in names_of(asked.body, "_.") if asked else ():
                    yield name[2:], kind, line


def code_lines(text):
    """Counts the lines with code."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                lines.difference_update(range(value.lineno, value.end_lineno + 1))
    return len(lines)


def is_main_guard(node):
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


def module_names(text):
    found = {}
    body = ast.parse(text).body
    for name, kind, line in [*names_of(body), *names_asked_for(body)]:
        if is_public(name):
            found.setdefault(name, {"name": name, "kind": kind, "line": line})
    return list(found.values())


def modules(source):
    """Yields each module's path: within agent_service its name alone."""
    for path in sorted(glob.glob(os.path.join(source, AGENT_SERVICE, "*.py"))):
        yield os.path.basename(path), path
    for name in ELSEWHERE:
        yield name, os.path.join(source, name)


def listing(source):
    """The JSON, a name a line."""
    blocks = []
    for name, path in modules(source):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        lines = [json.dumps(entry, separators=(",", ":")) for entry in module_names(text)]
        program = ',"program":true' if any(is_main_guard(n) for n in ast.parse(text).body) else ""
        names = ",".join("\n" + line for line in lines) + ("\n" if lines else "")
        blocks.append('{"file":%s%s,"code":%d,"names":[%s]}' % (json.dumps(name), program, code_lines(text), names))
    return "[\n" + ",\n".join(blocks) + "\n]\n"


def main():
    text = listing(os.environ["MONOLITH_SRC"])
    if len(sys.argv) < 2:
        sys.stdout.write(text)
        return
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
