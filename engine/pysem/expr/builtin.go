package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// builtins holds the builtin names of Python that this package supports.
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

// refusedBuiltins lists Python's other builtin names. They give access to the machine or the
// interpreter, or are types whose values this package does not support.
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
	return lists.ToMap(names, func(n string) (string, bool) { return n, true })
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

var numberBuiltins = []*builtin{
	define("abs", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return m.abs(a[0]) }),
	define("divmod", exactly(2), func(m *machine, a []Value) (Value, error) { return m.divmod(a[0], a[1]) }),
	define("pow", byName(2, "base", "exp", "mod"), func(m *machine, a []Value) (Value, error) {
		if !has(a[2]) || a[2] == nil {
			return m.binary("**", a[0], a[1])
		}
		return m.powMod(a[0], a[1], a[2])
	}),
	define("round", byName(1, "number", "ndigits"), func(m *machine, a []Value) (Value, error) { return m.round(a[0], orNone(a[1])) }),
	define("bin", signature{style: oneArg}, inBase(2, "0b")),
	define("oct", signature{style: oneArg}, inBase(8, "0o")),
	define("hex", signature{style: oneArg}, inBase(16, "0x")),
	define("chr", signature{style: oneArg}, chr),
	define("ord", signature{style: oneArg}, ord),
}

func (m *machine) abs(v Value) (Value, error) {
	if f, ok := v.(float64); ok {
		return math.Abs(f), nil
	}
	n, ok := pysem.Big(v)
	if !ok {
		return nil, typeError("bad operand type for abs(): '%s'", typeName(v))
	}
	return pysem.Int(new(big.Int).Abs(n)), nil
}

func (m *machine) divmod(a, b Value) (Value, error) {
	if isInt(a) && isInt(b) {
		x, _ := pysem.Big(a)
		y, _ := pysem.Big(b)
		q, r, err := floorDivide(x, y)
		if err != nil {
			return nil, err
		}
		return Tuple{pysem.Int(q), pysem.Int(r)}, nil
	}
	_, aFloat := a.(float64)
	_, bFloat := b.(float64)
	if !aFloat && !isInt(a) || !bFloat && !isInt(b) {
		return nil, typeError("unsupported operand type(s) for divmod(): '%s' and '%s'", typeName(a), typeName(b))
	}
	x, err := pysem.ToFloat(a)
	if err != nil {
		return nil, err
	}
	y, err := pysem.ToFloat(b)
	if err != nil {
		return nil, err
	}
	if y == 0 {
		return nil, raise("ZeroDivisionError", "float divmod()")
	}
	quotient, modulo := floatDivmod(x, y)
	return Tuple{quotient, modulo}, nil
}

func (m *machine) powMod(a, b, c Value) (Value, error) {
	if !isInt(a) || !isInt(b) || !isInt(c) {
		for _, v := range []Value{a, b, c} {
			if _, ok := v.(float64); ok {
				return nil, typeError("pow() 3rd argument not allowed unless all arguments are integers")
			}
		}
		return nil, typeError("unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'", typeName(a), typeName(b), typeName(c))
	}
	x, _ := pysem.Big(a)
	y, _ := pysem.Big(b)
	z, _ := pysem.Big(c)
	if z.Sign() == 0 {
		return nil, raise("ValueError", "pow() 3rd argument cannot be 0")
	}
	modulus := new(big.Int).Abs(z)
	if y.Sign() < 0 {
		inverse := new(big.Int).ModInverse(new(big.Int).Mod(x, modulus), modulus)
		if inverse == nil {
			if modulus.IsInt64() && modulus.Int64() == 1 {
				return 0, nil
			}
			return nil, raise("ValueError", "base is not invertible for the given modulus")
		}
		x, y = inverse, new(big.Int).Neg(y)
	}
	if err := m.wants(y.BitLen() + z.BitLen()); err != nil {
		return nil, err
	}
	n := new(big.Int).Exp(new(big.Int).Mod(x, modulus), y, modulus)
	if n.Mod(n, modulus); z.Sign() < 0 && n.Sign() != 0 {
		n.Sub(n, modulus)
	}
	return pysem.Int(n), nil
}

// round returns round(v, digits). Without digits (None) the result is an int.
func (m *machine) round(v, digits Value) (Value, error) {
	if !isInt(v) {
		f, ok := v.(float64)
		if !ok {
			return nil, typeError("type %s doesn't define __round__ method", typeName(v))
		}
		if digits == nil {
			return truncated(math.RoundToEven(f))
		}
		n, err := wantIndex(digits)
		if err != nil {
			return nil, err
		}
		return roundFloat(f, n)
	}
	n, _ := pysem.Big(v)
	if digits == nil {
		return pysem.Int(n), nil
	}
	places, ok := pysem.Big(digits)
	if !ok {
		return nil, typeError("'%s' object cannot be interpreted as an integer", typeName(digits))
	}
	if places.Sign() >= 0 {
		return pysem.Int(n), nil
	}
	if !places.IsInt64() || places.Int64() < -int64(Limits.Bits)/4 {
		return nil, m.wants(math.MaxInt)
	}
	unit := new(big.Int).Exp(big.NewInt(10), new(big.Int).Neg(places), nil)
	if unit.BitLen() > n.BitLen()+8 {
		return 0, nil
	}
	return pysem.Int(nearest(n, unit)), nil
}

// nearest returns the multiple of unit that is nearest to n. If n is halfway between two, it
// returns the even multiple.
func nearest(n, unit *big.Int) *big.Int {
	q, r := new(big.Int).DivMod(n, unit, new(big.Int))
	switch r.Lsh(r, 1).Cmp(unit) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		q.Add(q, big.NewInt(int64(q.Bit(0))))
	}
	return q.Mul(q, unit)
}

func roundFloat(f float64, digits int) (Value, error) {
	const most = 323
	switch {
	case f == 0 || math.IsInf(f, 0) || math.IsNaN(f) || digits > most:
		return f, nil
	case digits < -308:
		return math.Copysign(0, f), nil
	case digits >= 0:
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
		if err != nil {
			return nil, raise("OverflowError", "rounded value too large to represent")
		}
		return rounded, nil
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil)
	exact := new(big.Rat).SetFloat64(math.Abs(f))
	exact.Quo(exact, new(big.Rat).SetInt(unit))
	q := nearest(new(big.Int).Lsh(exact.Num(), 1), new(big.Int).Lsh(exact.Denom(), 1))
	q.Quo(q, new(big.Int).Lsh(exact.Denom(), 1))
	rounded, _ := new(big.Rat).SetInt(q.Mul(q, unit)).Float64()
	if math.IsInf(rounded, 0) {
		return nil, raise("OverflowError", "rounded value too large to represent")
	}
	return math.Copysign(rounded, f), nil
}

func inBase(base int, prefix string) func(m *machine, a []Value) (Value, error) {
	return func(m *machine, a []Value) (Value, error) {
		n, ok := pysem.Big(a[0])
		if !ok {
			return nil, typeError("'%s' object cannot be interpreted as an integer", typeName(a[0]))
		}
		if err := m.make(n.BitLen()); err != nil {
			return nil, err
		}
		return pick(n.Sign() < 0, "-", "") + prefix + strings.TrimPrefix(n.Text(base), "-"), nil
	}
}

func chr(m *machine, a []Value) (Value, error) {
	n, err := wantIndex(a[0])
	if pysem.TypeOf(err) == "OverflowError" || err == nil && n != int(int32(n)) {
		return nil, raise("OverflowError", "Python int too large to convert to C int")
	}
	if err != nil {
		return nil, err
	}
	if n < 0 || n > 0x10ffff {
		return nil, raise("ValueError", "chr() arg not in range(0x110000)")
	}
	return textOf([]rune{rune(n)}), nil
}

func ord(m *machine, a []Value) (Value, error) {
	switch v := a[0].(type) {
	case string:
		runes := pysem.Runes(v)
		if len(runes) == 1 {
			return int(runes[0]), nil
		}
		return nil, typeError("ord() expected a character, but string of length %d found", len(runes))
	case []byte:
		if len(v) == 1 {
			return int(v[0]), nil
		}
		return nil, typeError("ord() expected a character, but string of length %d found", len(v))
	}
	return nil, typeError("ord() expected string of length 1, but %s found", typeName(a[0]))
}
