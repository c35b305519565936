"""model_registry.py and model_imports.py (PROTOCOL.md section 25)."""
import importlib.abc
import importlib.machinery
import sys

from monolith.core import model_imports
from monolith.core import model_registry
from monolith.core.base_model_params import SingleTaskModelParams

from values import attempt

HELPER = model_registry._ModelRegistryHelper
ERRORS = {"ImportError": ImportError, "RuntimeError": RuntimeError}


def sorted_set(keys):
    """The names of a class, in an order that is no hash's."""
    return sorted(set(keys))


def register(given, module):
    """Makes a class as it is described, and registers it."""
    members = {"__module__": module}
    if "task" in given:
        members["task"] = lambda self: given["task"]
    made = type(given["name"], (object if given.get("other") else SingleTaskModelParams,), members)
    return model_registry.RegisterSingleTaskModel(made).__name__


class Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules of a case; a name that is only before a dot is a package."""

    def __init__(self, given):
        self.given = given

    def has(self, name):
        return name in self.given or any(n.startswith(name + ".") for n in self.given)

    def find_spec(self, name, path=None, target=None):
        del path, target
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if self.has(name) else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        given = self.given.get(module.__name__, {})
        for one in given.get("classes", ()):
            register(one, module.__name__)
        if given.get("raises"):
            raise ERRORS[given["raises"]](module.__name__ + " failed")


def named(found):
    return f"{found.__module__}.{found.__name__}"


STEPS = {
    "register": lambda module, **given: register(given, module),
    "GetAllRegisteredClasses": lambda: sorted([key, named(found)] for key, found in model_registry.GetAllRegisteredClasses().items()),
    "GetClass": lambda class_key: named(model_registry.GetClass(class_key)),
    "GetParams": lambda class_key: model_registry.GetParams(class_key),
    "ImportParams": lambda **given: model_imports.ImportParams(**given),
}


def sequence(given):
    before, modules = set(sys.modules), Modules(given["modules"])
    HELPER._MODEL_PARAMS, HELPER._REGISTERED_MODULES = {}, set()
    model_registry.set = sorted_set
    sys.meta_path.insert(0, modules)
    try:
        return {"steps": [attempt(STEPS[name], **(arguments[0] if arguments else {})) for name, *arguments in given["steps"]]}
    finally:
        sys.meta_path.remove(modules)
        del model_registry.set
        for name in set(sys.modules) - before:
            if modules.has(name):
                del sys.modules[name]


OPS = {"model_registry.sequence": sequence}
