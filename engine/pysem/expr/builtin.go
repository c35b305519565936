package expr

// builtins holds the names of Python's own that are evaluated here.
var builtins map[string]Value

func init() {
	builtins = map[string]Value{"Ellipsis": ellipsis{}, "NotImplemented": notImplemented{}}
	for _, table := range [][]*builtin{numberBuiltins, iterBuiltins, otherBuiltins} {
		for _, b := range table {
			builtins[b.name] = b
		}
	}
	for _, c := range classes {
		builtins[c.name] = c
	}
}

// refusedBuiltins holds the others, which reach the machine or the interpreter, or name
// types that have no values here.
var refusedBuiltins = setOf(
	"ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError", "BrokenPipeError",
	"BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError",
	"ConnectionResetError", "DeprecationWarning", "EOFError", "EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup",
	"FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError", "ImportError",
	"ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt",
	"LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "NotADirectoryError", "NotImplementedError", "OSError",
	"OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "RecursionError", "ReferenceError",
	"ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning",
	"SystemError", "SystemExit", "TabError", "TimeoutError", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
	"UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError", "Warning",
	"ZeroDivisionError", "aiter", "anext", "breakpoint", "bytearray", "classmethod", "compile", "complex", "copyright", "credits",
	"delattr", "dir", "eval", "exec", "exit", "getattr", "globals", "hasattr", "help", "id", "input", "license", "locals",
	"memoryview", "object", "open", "print", "property", "quit", "setattr", "staticmethod", "super", "vars",
)

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

var otherBuiltins = []*builtin{
	define("ascii", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return m.ascii(a[0]) }),
	define("repr", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return m.repr(a[0]) }),
	define("format", between(1, 2), func(m *machine, a []Value) (Value, error) {
		spec := ""
		if has(a[1]) {
			var ok bool
			if spec, ok = a[1].(string); !ok {
				return nil, typeError("format() argument 2 must be str, not %s", argumentName(a[1]))
			}
		}
		return m.format(a[0], spec)
	}),
	define("len", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return length(a[0]) }),
	define("callable", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return isCallable(a[0]), nil }),
	define("hash", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) {
		h, stable, err := hashOf(a[0])
		if err == nil && !stable {
			err = refuse(unstable, "the hash of a "+typeName(a[0]))
		}
		return int(h), err
	}),
	define("isinstance", exactly(2), func(m *machine, a []Value) (Value, error) {
		return isInstanceOf(a[0], a[1], "isinstance() arg 2 must be a type, a tuple of types, or a union")
	}),
	define("issubclass", exactly(2), func(m *machine, a []Value) (Value, error) {
		c, ok := a[0].(*class)
		if !ok {
			return nil, typeError("issubclass() arg 1 must be a class")
		}
		return isSubclassOf(c, a[1])
	}),
}

func isCallable(v Value) bool {
	switch v.(type) {
	case *function, *builtin, *method, *class:
		return true
	}
	return false
}

// length returns len(v).
func length(v Value) (Value, error) {
	switch v := v.(type) {
	case string:
		return lengthOf(v), nil
	case []byte, *List, Tuple:
		return sizeOfSequence(v), nil
	case *Dict:
		return v.Len(), nil
	case *Set:
		return v.len(), nil
	case *view:
		return v.of.Len(), nil
	case *Range:
		return v.Len(), nil
	}
	return nil, typeError("object of type '%s' has no len()", typeName(v))
}

func isInstanceOf(v, of Value, wrong string) (Value, error) {
	switch of := of.(type) {
	case *class:
		return isInstance(v, of.name), nil
	case Tuple:
		for _, one := range of {
			is, err := isInstanceOf(v, one, wrong)
			if err != nil || is == true {
				return is, err
			}
		}
		return false, nil
	}
	return nil, typeError("%s", wrong)
}

func isSubclassOf(c *class, of Value) (Value, error) {
	switch of := of.(type) {
	case *class:
		return c == of || c.name == "bool" && of.name == "int", nil
	case Tuple:
		for _, one := range of {
			is, err := isSubclassOf(c, one)
			if err != nil || is == true {
				return is, err
			}
		}
		return false, nil
	}
	return nil, typeError("issubclass() arg 2 must be a class, a tuple of classes, or a union")
}
