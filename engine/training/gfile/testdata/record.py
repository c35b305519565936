"""Records what TensorFlow's gfile answers into glob.json: PYTHON record.py.

The recorded file says which TensorFlow that was (2.4.4). Every path is below the directory in which
the tree is made, which the answers call /case.
"""
import json
import os
import shutil
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402

FILES = [
    "a", "b", ".h", "[", "a]", "a[b", "x*y", "xzy", "q?", "back\\slash", "ab", "A", "1", "-",
    "v1/f", "v2/f", "v1/model.ckpt-1.index", "v1/model.ckpt-1.data-00000-of-00001", "v1/model.ckpt-10.index",
    "run1/model.ckpt-5.index", "run[1]/model.ckpt-5.index", "run1/sub/g", "run2/sub/g", "job/c.index", "job?/c.index",
    "job7/c.index", ".hidden/f", "x*y.d/f", "back\\dir/f", "deep/one/two/f", "deep/one/three/f",
]
LINKS = {"dangling": "nothing", "linked": "v1", "to-a": "a"}
EMPTY = ["empty"]

PATTERNS = [
    "", "/case", "/case/", "/case/*", "/case/.*", "/case/?", "/case/??", "/case/[ab]", "/case/[!ab]", "/case/[^ab]", "/case/[^a]*", "/case/[!a]*", "/case/[a-b]",
    "/case/[b-a]", "/case/[]a]", "/case/[", "/case/a[b", "/case/a]", "/case/[[]", "/case/[a", "/case/[]", "/case/[!]", "/case/x*y", "/case/x\\*y", "/case/q?", "/case/q\\?",
    "/case/back\\slash", "/case/back\\\\slash", "/case/\\a", "/case/a\\", "/case/v[[:digit:]]", "/case/[[:alpha:]]", "/case/[[:upper:]]", "/case/[![:alpha:]]",
    "/case/[[:nothing:]]", "/case/[-a]", "/case/[[.-.]]", "/case/[[=a=]]", "/case/[\\]]*", "/case/[\\", "/case/[a\\]", "/case/[a\\-b]", "/case/[!\\a]", "/case/[^]a]", "/case/[[:digit:]-b]", "/case/[a-[]", "/case/[*?]", "/case/x[*]y", "/case/[^!]", "/case/[!!]", "/case/[!^]", "/case/[[:digit:]", "/case/[[:digit]", "/case/[:digit:]", "/case/[", "/case/[a-", "/case/[a-\\b]", "/case/[]-a]", "/case/[[-a]", "/case/[+--]", "/case/***", "/case/*a*b", "/case/[a-]", "/case/v1/", "/case/v1/*", "/case/v?/f", "/case/*/f", "/case/*/*", "/case/*/", "/case/.h/", "/case/.h", "/case/empty/*",
    "/case/v1//f", "/case//v1/f", "/case//*", "/case/*//f", "/case/./a", "/case/./*", "/case/v1/../a", "/case/v1/../*", "/case/*/../a",
    "/case/nothing", "/case/nothing/*", "/case/*/nothing", "/case/a/*", "/case/a/b", "/case/dangling", "/case/dangl*", "/case/linked/*", "/case/link*/f",
    "/case/run[1]/model.ckpt-5.index", "/case/run\\[1]/model.ckpt-5.index", "/case/run[[]1]/model.ckpt-5.*", "/case/run[1]/model.ckpt-5.*",
    "/case/run?/sub/g", "/case/run?/*", "/case/run[12]/sub/*", "/case/job?/c.index", "/case/job\\?/c.index", "/case/job*/c.*", "/case/x*y.d/f", "/case/back\\dir/f",
    "/case/back\\\\dir/f", "/case/deep/*/f", "/case/deep/*/*/f", "/case/deep/**/f", "/case/**", "/case/v1/model.ckpt-1.*", "/case/v1/model.ckpt-1*",
    "/case/[av]?", "/case/v1[/]f", "/case/v1*f", "/case/v1?f", "/case/{a,b}", "/case/~", "/case/.hidden/*", "/case/.*/f", "/case/[.]h", "/case/[a-z]*/f", "/case/v[1-9]/model.ckpt-[0-9]*.index",
    "*", "a", "./a", "./*", "v1", "v?", "v1/*", "*/f", "", "[ab]", "run[1]/model.ckpt-5.index", ".h", ".*", "nothing", "nothing*", "../case/a", "../case/*",
]

ERRORS = [
    ["listdir", "/case/no"], ["listdir", "/case/.h"], ["listdir", "/case/a/b"], ["listdir", "/case/empty"], ["listdir", "/case/dangling"], ["listdir", ""],
    ["rmtree", "/case/no"], ["rmtree", "/case/a"], ["rmtree", "/case/v1"], ["rmtree", "/case/a/b"], ["rmtree", ""],
    ["makedirs", "/case/.h"], ["makedirs", "/case/.h/x"], ["makedirs", "/case/.h/x/y"], ["makedirs", "/case/v1"], ["makedirs", ""],
    ["remove", "/case/no"], ["remove", "/case/v1"], ["remove", "/case/a/b"], ["remove", ""],
    ["read", "/case/no"], ["read", "/case/v1"], ["read", "/case/a/b"], ["read", ""], ["read", "/case/dangling"],
    ["stat", "/case/no"], ["stat", "/case/a/b"], ["stat", "/case/dangling"],
    ["exists", "/case/no"], ["exists", "/case/v1"], ["exists", "/case/v1/"], ["exists", "/case/a/"], ["exists", "/case/dangling"], ["exists", ""], ["exists", "/case/a/b"],
    ["isdir", "/case/no"], ["isdir", "/case/a"], ["isdir", "/case/v1"], ["isdir", "/case/linked"],
]

# Names that are tidied: all operations find the file of the tidy name.
ERRORS += [[op, p] for op in ["listdir", "rmtree", "makedirs", "read", "exists"] for p in [
    "/case/a/", "/case/a//", "/case/./a", "/case/v1/../a", "/case/v1/..//a/", "/case/a/.", "/case/v1/", "/case/v1/.", "/case/linked/", "/case/dangling/", "/case/no/", "/case/.h/x/"]
    if [op, p] not in ERRORS]

# Copies with overwriting: the answer is what the source holds and what the target holds after.
COPIES = [
    ["/case/a", "/case/new"], ["/case/a", "/case/b"], ["/case/a", "/case/a"], ["/case/a", "/case/a/"], ["/case/a", "/case/./a"], ["/case/a", "/case/v1/../a"],
    ["/case/linked/f", "/case/v1/f"], ["/case/to-a", "/case/a"], ["/case/a", "/case/to-a"], ["/case/a", "/case/new/"], ["/case/a/", "/case/new"], ["/case/a", "/case/b/"],
    ["/case/a", "/case/dangling"], ["/case/dangling", "/case/new"], ["/case/no", "/case/no"], ["/case/v1", "/case/v1"], ["/case/a", "/case/v1"], ["/case/a", "/case/v1/"],
    ["/case/v1", "/case/new"], ["/case/a", "/case/b/x"],
]


def make(root):
    for name in FILES:
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(name)
    for name in EMPTY:
        os.makedirs(os.path.join(root, name))
    for name, to in LINKS.items():
        os.symlink(to, os.path.join(root, name))


def call(op, path):
    def read(p):
        with tf.io.gfile.GFile(p) as f:
            return f.read()

    return {
        "listdir": lambda p: sorted(tf.io.gfile.listdir(p)), "rmtree": tf.io.gfile.rmtree, "makedirs": tf.io.gfile.makedirs, "remove": tf.io.gfile.remove,
        "read": read, "stat": lambda p: tf.io.gfile.stat(p).length, "exists": tf.io.gfile.exists, "isdir": tf.io.gfile.isdir,
    }[op](path)


def copy(src, dst):
    tf.io.gfile.copy(src, dst, overwrite=True)
    return [call("read", src), call("read", dst)]


def fresh(top):
    root = os.path.join(top, "case")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    make(root)
    os.chdir(root)
    return root


def answer(root, fn, path):
    real = root + path[len("/case"):] if path.startswith("/case") else path
    try:
        got = {"is": fn(real)}
    except Exception as e:  # whatever it raises is the answer
        got = {"class": type(e).__name__, "text": getattr(e, "message", str(e))}
    text = json.dumps(got).replace(root, "/case").replace(os.path.dirname(root), "/")
    return json.loads(text)


def main():
    top = os.path.realpath(tempfile.mkdtemp())
    root = fresh(top)
    globs = []
    for p in dict.fromkeys(PATTERNS):
        got = answer(root, tf.io.gfile.glob, p)
        got["pattern"] = p
        if "is" in got:
            got["is"] = sorted(got["is"])
        globs.append(got)
    errors = []
    for op, p in ERRORS:
        root = fresh(top)
        got = answer(root, lambda real: call(op, real), p)
        got["op"], got["path"] = op, p
        errors.append(got)
    for src, dst in COPIES:
        root = fresh(top)
        got = answer(root, lambda real: copy(real, root + dst[len("/case"):]), src)
        got["op"], got["path"], got["to"] = "copy", src, dst
        errors.append(got)
    os.chdir("/")
    shutil.rmtree(top)
    rows = lambda items: "[\n" + ",\n".join("  " + json.dumps(i, sort_keys=True) for i in items) + "\n ]"
    with open(os.path.join(HERE, "glob.json"), "w") as f:
        f.write('{"tensorflow": %s,\n "files": %s,\n "links": %s,\n "empty": %s,\n "globs": %s,\n "calls": %s}\n' % (
            json.dumps(tf.__version__), json.dumps(FILES), json.dumps(LINKS), json.dumps(EMPTY), rows(globs), rows(errors)))


HERE = os.path.dirname(os.path.abspath(__file__))
if __name__ == "__main__":
    sys.exit(main())
