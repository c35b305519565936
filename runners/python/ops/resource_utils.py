"""resource_utils (PROTOCOL.md section 18)."""
from monolith.agent_service import resource_utils


def cal_model_info_v2(given):
    info = resource_utils.cal_model_info_v2(given["exported_models_path"], given.get("ckpt"), given.get("version"))
    return [[name, size, path] for name, (size, path) in info.items()]


def memory(given):
    del given
    return {"total": resource_utils.total_memory_v2(), "available": resource_utils.cal_available_memory_v2()}


OPS = {
    "resource_utils.cal_model_info_v2": cal_model_info_v2,
    "resource_utils.memory": memory,
    "resource_utils.exists": lambda given: resource_utils.exists(given["dirname"]),
}
