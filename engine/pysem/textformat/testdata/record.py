"""Records python.jsonl: what Python's text_format makes of texts, or the error that it raises.

    pip install protobuf==3.20.3
    python engine/pysem/textformat/testdata/record.py > engine/pysem/textformat/testdata/python.jsonl

With a number behind it so many texts are drawn, to be looked at by
`go test ./engine/pysem/textformat -args -vectors FILE`. The first line has the version and the
descriptors of the messages, each other line a text, the name of its message, and the bytes or the
error. sim/tfserving/textformat/testdata/record.py asks C++ about the same texts.
"""
import json
import random
import sys

import google.protobuf
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, symbol_database, text_format
from google.protobuf.internal import api_implementation

NUMBERS = ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64")
SCALARS = NUMBERS + ("float", "double", "bool", "string", "bytes")
FIELD = descriptor_pb2.FieldDescriptorProto


def kinds(syntax):
    """A file with a message that has a field of every kind."""
    file = descriptor_pb2.FileDescriptorProto(name=f"kinds_{syntax}.proto", package=f"kinds.{syntax}", syntax=syntax,
                                              dependency=["google/protobuf/any.proto"])
    enum = file.enum_type.add(name="Colour")
    for name, number in (("RED", 0), ("GREEN", 1), ("BLUE", -3), ("inf", 7)):
        enum.value.add(name=name, number=number)
    m = file.message_type.add(name="Kinds")
    m.reserved_name.append("gone")

    def add(name, kind, repeated=False, to=m, **more):
        f = to.field.add(name=name, number=len(to.field) + 1, type=getattr(FIELD, "TYPE_" + kind.upper()),
                         label=FIELD.LABEL_REPEATED if repeated else FIELD.LABEL_OPTIONAL, **more)
        return f

    for kind in SCALARS:
        add("a_" + kind, kind)
        add("many_" + kind, kind, True)
    colour, own = f".{file.package}.Colour", f".{file.package}.Kinds"
    add("colour", "enum", type_name=colour)
    add("colours", "enum", True, type_name=colour)
    add("inside", "message", type_name=own)
    add("insides", "message", True, type_name=own)
    add("any", "message", type_name=".google.protobuf.Any")
    m.oneof_decl.add(name="either")
    for kind in ("int32", "string"):
        add("one_" + kind, kind, oneof_index=0)
    add("one_inside", "message", type_name=own, oneof_index=0)
    if syntax == "proto2":
        group = m.nested_type.add(name="MyGroup")
        add("x", "int32", to=group)
        add("mygroup", "group", type_name=own + ".MyGroup")
        m.extension_range.add(start=1000, end=2000)
    for name, key, value, more in (("to_int", "string", "int32", {}), ("to_text", "int64", "string", {}),
                                   ("to_inside", "bool", "message", {"type_name": own})):
        entry = m.nested_type.add(name="".join(w.title() for w in name.split("_")) + "Entry")
        entry.options.map_entry = True
        add("key", key, to=entry)
        add("value", value, to=entry, **more)
        add(name, "message", True, type_name=f"{own}.{entry.name}")
    return file


# What is there by hand: each kind of token, and what other readers are known to read otherwise.
INTEGERS = """0 1 -1 +1 -+1 1_0 1__0 _1 1_ 0x1F 0X1f 0x_1f -0x10 0x 017 -017 +017 08 09 0_8 00 0_0 0o17 0O17 0b11 0b12 1e3 1.0 1f 3F
2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296 9223372036854775807 9223372036854775808
-9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 true t - + ١ ² ٣4 1٣ "1" 1x 0x1G""".split()
FLOATS = """1.5 -1.5 +1.5 .5 -.5 5. 1e5 1E-5 1e+5 1e 1.e3 .e3 1.5f 1.5F 1.5ff 3F 3f 08 09 00.5 010 -010 0x10 1_0.5 1_.5 inf -inf +inf inff -inff
+inff infinity -Infinity INF infinityf infinityff infff nan -nan +nan nanf NaN NANF -nanf +nanf 1.2.3 1e5.5 1e400 -1e400 1e-400
3.4028234663852886e38 3.4028235677973366e38 3.4028235677973367e38 3.5e38 -3.4028236e38 1e-46 -0.0 -0 18446744073709551616 0.1 16777217
123456789012345678901234567890 f 1d ١.5 .١""".split()
BOOLS = "true false t f True False TRUE 1 0 01 00 0x1 0x0 +1 -1 -0 2 yes".split()
ENUMS = """RED GREEN BLUE inf red 0 1 -3 7 2 -1 01 +1 0x1 1_0 08 -BLUE 2147483647 2147483648 -2147483648 -2147483649 99999999999999999999
1.0 GREEN.x ١ "RED" """.split()
STRINGS = [
    r'"a"', r"'a'", r'""', r'"a" "b"', r'"a"' + "\n" + r"'b'", r'"a', r'"a\"', r'"a\\"', r'"\\\"', r'"', r'"\q"', r'"\e"', r'"\X41"', r'"\x41"', r'"\x4"',
    r'"\x4g"', r'"\x"', r'"\xg"', r'"\xff"', r'"\x411"', r'"\\x4"', r'"\\\x4"', r'"\?"', r'"\a\b\f\n\r\t\v\\\'' + "\\\"" + '"', r'"\400"', r'"\777"', r'"\377"',
    r'"\1"', r'"\18"', r'"\0"', r'"\008"', r'"\u00e9"', r'"\u4e00"', r'"\u12"', r'"\u"', r'"\ug000"', r'"\ud83d\ude00"', r'"\uD800"', r'"\udc00"',
    r'"\uD83D\uDE00"', r'"\ud800\u0041"', r'"\ud800\ud800\udc00"', r'"\U0001F600"', r'"\U0010FFFF"', r'"\U00110000"', r'"\U0001F60"', r'"\U1"', r'"\N"',
    r'"\N{}"', r'"\N{DIGIT ONE"', r'"é"', r'"\xc3\xa9"', r'"\xc3"', r'"\é"', r'"模型"', '"a\tb"', '"a\vb"', '"a\x00b"', '"\x00', '"a\x7fb"', r'"a#b"', r'"a" # "b"', r'"a" 1',
    'x', "1", "'\\''", "'\"'", '"\'"', r'"\U0001f600\xff"', r'"a\u0041\U00000041"', r'"\ud83d" "\ude00"', '"\\\n"', '"a\nb"', "\"\\\t\"", '"\ufeff"',
]
WHOLE = """
a_int32: 1|a_int32:1|a_int32 1|a_int32 : 1|a_int32: 1;|a_int32: 1,|a_int32: 1;;|a_int32: 1,;|; a_int32: 1|a_int32: 1 a_int32: 2|a_int32: 0 a_int32: 1
a_int32: 1 a_int32: 0|many_int32: 1 many_int32: 2|many_int32: [1, 2]|many_int32: []|many_int32: [1 2]|many_int32: [1,]|many_int32: [,]|many_int32: [1; 2]
many_int32: [1, 2], many_int32: 3|many_int32: [[1]]|a_int32: [1]|a_int32: []|inside { }|inside: { }|inside < >|inside { >|inside < }|inside {|inside {}|inside {} inside {}
inside { inside { a_int32: 1 } }|insides [{ }, { a_int32: 1 }]|insides: [{ }, < >]|insides: []|insides [ ]|insides { } insides { }|inside [{ }]|inside 1|inside: 1
inside { a_int32: 1 } }|}|{|>|a_string: "x" 'y'|a_string: "x", 'y'|nope: 1|nope { }|1: 1|10: 1|a_int32|a_int32:|: 1|a-b: 1|a+b: 1|a_int32: 1a_int64: 2|a_int32: 1 a_int64: 2
one_int32: 1 one_string: "x"|one_int32: 0 one_string: ""|one_int32: 1 one_int32: 2|one_int32: 0 one_int32: 0|one_inside {} one_int32: 1|one_inside {} one_inside {}
to_int { key: "a" value: 1 }|to_int { key: "a" }|to_int { value: 1 }|to_int { }|to_int: [{ key: "a" value: 1 }, { key: "a" value: 2 }]|to_int { key: "a" value: 1 } to_int { key: "a" value: 2 }
to_int { key: "a" key: "b" }|to_int { key: "" key: "b" }|to_int { key: "a" value: 0 value: 1 }|to_int { key: 1 }|to_inside { key: true value { a_int32: 1 } }|to_inside { key: 1 }
to_inside { key: true value { a_int32: 1 } } to_inside { key: true value { a_int64: 1 } }|to_text { key: -1 value: "x" }|to_text { nope: 1 }|MyGroup { x: 1 }|mygroup { x: 1 }|MYGROUP { x: 1 }|MyGroup: { x: 1 }
MyGroup < x: 1 > MyGroup { }|gone: 1|gone { a: 1 }|gone: "x" 'y'|gone: [1, 2]|gone: -inf|gone: -x|gone: { }|gone < a { b: 1 } c: 2; >|gone|gone:|gone: -|gone { [a.b]: 1 }|gone [1]
[a.b]: 1|[a]: 1|[a.]: 1|[a b]: 1|[]: 1|[1]: 1|[a.b|any { [type.googleapis.com/kinds.proto3.Kinds] { a_int32: 1 } }|any { [a.b.c/kinds.proto3.Kinds]: { } }|any { [a.b.c/kinds.proto3.Kinds] < > }
any { [a.b/kinds.proto3.Kinds] { } }|any { [a/kinds.proto3.Kinds] { } }|any { [a.b.c.d/kinds.proto3.Kinds] { } }|any { [a.b.c/d/kinds.proto3.Kinds] { } }|any { [kinds.proto3.Kinds] { } }|any { [a.b.c/no.Such] { } }
any { [a.b.c/kinds.proto3.Kinds] { nope: 1 } }|any { [a.b.c/kinds.proto3.Kinds] { }, }|any { [a.b.c/kinds.proto3.Kinds] { }; type_url: "x" }|any { type_url: "x" value: "y" }|any { type_url: "x" [a.b.c/kinds.proto3.Kinds] { } }
any { [a.b.c/kinds.proto3.Kinds] { } [a.b.c/kinds.proto3.Kinds] { a_int32: 1 } }|any { [ a . b . c / kinds . proto3 . Kinds ] { } }|any { [a.b.c/kinds.proto3.Kinds { } }|any: { }|any { [a-b.c.d/kinds.proto3.Kinds] { } }
# only a comment|a_int32: 1 # a remark|a_int32: # a remark|a_int32 /* x */ : 1|// x|é: 1|é|a_int32é: 1|١: 1|²|a_int32: - 1|a_int32: -1 - 1|a_float: - 1.5|a_float: - inf|a_float: 1 .5|a_float:.5|a_string:"x"a_int32:1|a_int32:1#x
a_int32: 1.|a_int32: 0x|a_int32: 1e|a_float: 1.5.5|a_int32.5: 1|a_int32: 1 .a: 2|a.b: 1|a_int32: $|@|a_int32: "1"|many_float: [1, inf, nan, -inf]|many_string: ["a" 'b', "c"]|colours: [RED, 1]|a_bool: tru|many_bool: [true, f]|\ufeffa_int32: 1
colour: 4294967296|colour: -0x8000000000000000|colours: [GREEN, 4294967297]
""".replace("\n", "|").strip("|").split("|") + [
    "", " ", "\n", "\n\n", "a_int32: 1\n", "a_int32:\n1", "a_int32: 1\r\na_int64: 2\r\n", "a_int32: 1\n\n}", "nope\n\n", "inside {\n", "inside {\n\n\n", "inside {\n a_int32: 1\n  # x\n",
    "a_int32:\xa01", "a_int32:\u20031", "a_int32:\x1c1", "a_int32:\x0b1", "a_int32:\x0c1", "a_int32:\x851", "a_int32:\u20281", "a_int32:\x001", "\x00", "a_int32:\x011", "a_int32: 1 # é\xff\x00", "a_int32: 1 #x\ra_int64: 2",
    "a_int32:\t\tx", "\ta_int32:\tx", "é" * 3 + ": 1", "a_string: 'é' x", "a_bytes: '\\xff' a_string: '\\xff'", "a_uint32: 0x" + "f" * 4000, "a_uint32: " + "9" * 4301, "colour: 0x" + "f" * 4000,
]


def by_hand():
    yield from WHOLE
    for f, values in ((NUMBERS, INTEGERS), (("float", "double"), FLOATS), (("bool",), BOOLS), (("string", "bytes"), STRINGS)):
        for kind in f:
            for v in values:
                yield f"a_{kind}: {v}"
    for v in ENUMS:
        yield f"colour: {v}"


class Draws:
    """Draws texts that are mostly well-formed."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def space(self):
        return self.r.choice([" "] * 12 + ["", "", "\n", "\t", "  ", " # x\n", "\r\n", "\x0b", "\xa0", "\x1f", "\x85"])

    def number(self):
        r = self.r
        digits = "".join(r.choice("0123456789" + r.choice(["", "", "", "_", ".", "e", "f", "x", "8", "-", "+", "٣"])) for _ in range(r.choice([1, 1, 2, 3, 5, 10, 20])))
        return r.choice(["", "", "", "-", "+", "0", "0x", "0o", "0b", "."]) + digits + r.choice([""] * 8 + ["f", "F", "e3", "E-2", ".5", "ff"])

    def string(self):
        r = self.r
        quote = r.choice("\"'")
        inside = "".join(r.choice([r.choice("abc é模😀#0 "), "\\" + r.choice("abfnrtv\\?'\"xXuUN017q8é"), "\\x" + r.choice("0f4g") + r.choice("0f4g "),
                                   f"\\{r.randrange(512):03o}", f"\\u{r.randrange(65536):04x}", f"\\ud83d\\ude{r.randrange(256):02x}",
                                   f"\\U{r.randrange(0x120000):08x}", r.choice("\"'")]) for _ in range(r.choice([0, 1, 1, 2, 3, 6])))
        if "\\N{" in inside:
            inside = ""
        return quote + inside + r.choice([quote] * 15 + ["", "\\" + quote])

    def value(self, kind):
        r = self.r
        if r.random() < 0.05:
            kind = r.choice(["int32", "float", "bool", "string", "enum"])
        if kind in NUMBERS:
            return r.choice([r.choice(INTEGERS), self.number(), str(r.getrandbits(r.choice([3, 31, 33, 64, 65])))])
        if kind in ("float", "double"):
            return r.choice([r.choice(FLOATS), self.number(), repr(r.uniform(-1, 1) * 10**r.randrange(-50, 50))])
        if kind == "bool":
            return r.choice(BOOLS)
        if kind == "enum":
            return r.choice([r.choice(ENUMS), self.number()])
        return self.space().join(r.choice([r.choice(STRINGS), self.string(), self.string()]) for _ in range(r.choice([1, 1, 1, 2])))

    def message(self, depth):
        begin, end = self.r.choice(["{}", "{}", "{}", "<>"])
        if self.r.random() < 0.01:
            end = self.r.choice(["", "}", ">"])
        return begin + self.space() + self.fields(depth - 1) + self.space() + end

    def field(self, depth):
        r, colon = self.r, self.space() + ":" + self.space()
        which = r.random()
        if which < 0.5 or depth <= 0:
            name = r.choice(SCALARS)
            many = r.random() < 0.4
            if many and r.random() < 0.5:
                values = (self.space() + "," + self.space()).join(self.value(name) for _ in range(r.randrange(4)))
                return f"many_{name}{colon}[{values}]"
            return ("many_" if many else "a_") + name + colon + self.value(name)
        if which < 0.6:
            return r.choice(["colour", "colours"]) + colon + self.value("enum")
        if which < 0.65:
            return r.choice(["one_int32" + colon + self.value("int32"), "one_string" + colon + self.value("string"), "one_inside " + self.message(depth)])
        if which < 0.75:
            name, key, value = r.choice([("to_int", "string", "int32"), ("to_text", "int64", "string"), ("to_inside", "bool", "message")])
            value = self.message(depth) if value == "message" else self.value(value)
            return f"{name} {{ key{colon}{self.value(key)}{self.space()}{r.choice(['', ' value' + colon + value])} }}"
        if which < 0.8:
            return f"any {{ [{r.choice(['type.googleapis.com', 'a.b.c', 'a.b', 'a'])}/{r.choice(['kinds.proto3.Kinds', 'kinds.proto2.Kinds', 'no.Such'])}]{r.choice(['', ':'])} {self.message(depth)} }}"
        if which < 0.83:
            return r.choice(["MyGroup", "mygroup", "MYGROUP"]) + " { x: 1 }"
        if which < 0.86:
            return r.choice(["gone", "nope", "[a.b]", "é", "a-b", "1"]) + r.choice([colon + self.value("int32"), self.message(depth), colon + "[1, 'a']"])
        if which < 0.9:
            return "insides" + r.choice(["", ":"]) + "[" + ", ".join(self.message(depth) for _ in range(r.randrange(3))) + "]"
        return r.choice(["inside", "insides"]) + r.choice(["", ":"]) + self.space() + self.message(depth)

    def fields(self, depth):
        return self.r.choice([" ", " ", "\n", ", ", "; ", ""]).join(self.field(depth) for _ in range(self.r.choice([0, 1, 1, 2, 3])))

    def text(self):
        r, text = self.r, self.fields(3)
        if text and r.random() < 0.15:
            at = r.randrange(len(text))
            text = text[:at] + r.choice(["", r.choice("{}<>[]:;,#\"'\\-+.0xeé\x00\n _f")]) + text[at + r.randrange(2):]
        return text


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 700
    sys.set_int_max_str_digits(4300)
    files = [kinds("proto2"), kinds("proto3")]
    any_pb2.Any()
    for file in files:
        descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
    database = symbol_database.Default()
    types = {f.package: database.GetPrototype(descriptor_pool.Default().FindMessageTypeByName(f.package + ".Kinds")) for f in files}
    every = descriptor_pb2.FileDescriptorSet(file=files)
    any_pb2.DESCRIPTOR.CopyToProto(every.file.add())
    print(json.dumps({"recorded_with": f"protobuf {google.protobuf.__version__} {api_implementation.Type()}", "descriptors": every.SerializeToString().hex()}))

    def record(package, text, merge):
        message, line = types[package](), {"message": package + ".Kinds", "text": text}
        if merge:
            line["merge"] = True
        try:
            (text_format.Merge if merge else text_format.Parse)(text, message)
            line["hex"] = message.SerializePartialToString(deterministic=True).hex()
        except (ValueError, text_format.ParseError) as e:
            line["error"] = f"{type(e).__name__}: {e}"
        print(json.dumps(line))

    import warnings  # pylint: disable=import-outside-toplevel
    warnings.simplefilter("ignore")
    for text in by_hand():
        for package in types:
            record(package, text, False)
        if "a_int32: 1 a_int32" in text or "one_" in text or "{} inside" in text:
            record("kinds.proto2", text, True)
            record("kinds.proto3", text, True)
    draws = Draws(20)
    for _ in range(count):
        record(draws.r.choice(list(types)), draws.text(), draws.r.random() < 0.1)


if __name__ == "__main__":
    main()
