"""A module that has every name, for packages of which nothing is used."""
import types


class _AnyMeta(type):

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Any

    def __iter__(cls):
        return iter(())


class Any(metaclass=_AnyMeta):
    """Can be called, subclassed, used as a decorator, and asked for any name."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Any


class Module(types.ModuleType):

    def __init__(self, name, real=()):
        """real: names of submodules that there are; importing one of them must not be answered here."""
        super().__init__(name)
        self.__path__ = []
        self._real = real

    def __getattr__(self, name):
        if name.startswith("__") or name in self._real:
            raise AttributeError(name)
        return Any
