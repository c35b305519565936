"""The comparison of PROTOCOL.md section 4: difference(op, wanted, got) says where two answers differ, or None."""
import re

from google.protobuf import text_format

import protos

TEXT_PROTOS = {
    ("utils.AgentConfig.get_cmd_and_port", "model_config_text"): "tensorflow.serving.ModelServerConfig",
    ("utils.AgentConfig.generate_platform_config_file", "text"): "tensorflow.serving.PlatformConfigMap",
    ("utils.InstanceFormater.from_pb_text", "str"): "parser.proto.Instance",
    ("utils.InstanceFormater.to_pb_text", "content"): "parser.proto.Instance",
    ("agent_v3.AgentV3.layout_update_callback", "initial_text"): "tensorflow.serving.ModelServerConfig",
    ("agent_v3.AgentV3.layout_update_callback", "text"): "tensorflow.serving.ModelServerConfig",
    ("agent_v3.AgentV3", "config_text"): "tensorflow.serving.ModelServerConfig",
}
WORDED = ("NoNodeError", "NodeExistsError", "NotEmptyError", "NotImplementedError", "AssertionError", "RuntimeError",
          "Exception")
WORDED_VALUE_ERROR = re.compile(
    r" is not allowed!$|^name must be ps/worker$|^leader function is not callable$|^Invalid addr: |^Index \["
    r"|^Unable to find the monolith base directory\.|^(boom|callback failed|leader failed)$")


def difference(op, wanted, got, at="out"):
    if is_error(wanted) and is_error(got):
        return error_difference(wanted, got, at)
    if isinstance(wanted, dict) and isinstance(got, dict):
        return dict_difference(op, wanted, got, at)
    if isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            return f"{at}: want {len(wanted)} entries, got {len(got)}: {wanted!r} against {got!r}"
        return first(difference(op, w, g, f"{at}[{i}]") for i, (w, g) in enumerate(zip(wanted, got)))
    if type(wanted) is type(got) and wanted == got:
        return None
    return f"{at}: want {wanted!r}, got {got!r}"


def dict_difference(op, wanted, got, at):
    optional = {"text"} if "$pb" in wanted else set()
    if set(wanted) - optional != set(got) - optional:
        return f"{at}: want keys {sorted(wanted)}, got {sorted(got)}"
    if "$pb" in wanted:
        same = wanted["$pb"] == got["$pb"] and parsed(wanted) == parsed(got)
        return None if same else f"{at}: want {wanted!r}, got {got!r}"
    if "$set" in wanted or "$dict" in wanted:
        key = "$set" if "$set" in wanted else "$dict"
        same = sorted(map(repr, wanted[key])) == sorted(map(repr, got[key]))
        return None if same else f"{at}: want {wanted!r}, got {got!r}"
    if "$f64" in wanted:
        same = repr(float(wanted["$f64"])) == repr(float(got["$f64"]))
        return None if same else f"{at}: want {wanted!r}, got {got!r}"
    if {"code", "details"} == set(wanted):
        return call_difference(wanted, got, at)
    return first(member_difference(op, k, wanted[k], got[k], f"{at}.{k}") for k in wanted)


def member_difference(op, key, wanted, got, at):
    kind = TEXT_PROTOS.get((op, key))
    if kind and wanted is not None and got is not None:
        return None if from_text(kind, wanted) == from_text(kind, got) else f"{at}: want {wanted!r}, got {got!r}"
    return difference(op, wanted, got, at)


def first(differences):
    return next((d for d in differences if d), None)


def is_error(json):
    return isinstance(json, dict) and set(json) == {"type", "message"} and str(json["type"])[:1].isupper()


def error_difference(wanted, got, at):
    if wanted["type"] != got["type"]:
        return f"{at}: want {wanted!r}, got {got!r}"
    worded = wanted["type"] in WORDED or wanted["type"] == "ValueError" and WORDED_VALUE_ERROR.search(wanted["message"])
    if worded and wanted["message"] != got["message"]:
        return f"{at}: want message {wanted['message']!r}, got {got['message']!r}"
    return None


def call_difference(wanted, got, at):
    exact = (wanted["details"] == "Barrier is placed already." or
             wanted["details"].startswith("Exception calling application: not implement for agent v"))
    if wanted["code"] != got["code"] or exact and wanted["details"] != got["details"]:
        return f"{at}: want {wanted!r}, got {got!r}"
    return None


def parsed(json):
    return protos.message(json["$pb"], bytes.fromhex(json["hex"]))


def from_text(kind, text):
    if isinstance(text, dict):
        text = bytes.fromhex(text["$hex"]).decode()
    return text_format.Parse(text, protos.message(kind, b""))
