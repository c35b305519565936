"""Records protoc.jsonl: what the C++ TextFormat parser makes of the texts of Python's record.

    apt-get install protobuf-compiler      (3.21.12; --protoc PATH for another)
    python sim/tfserving/textformat/testdata/record.py engine/pysem/textformat/testdata/python.jsonl \\
        > sim/tfserving/textformat/testdata/protoc.jsonl

`protoc --encode` is google::protobuf::TextFormat::Parser over the message's descriptors. Each line
has the name of the message, the text, and the bytes, or what protoc says, without the file's name.
"""
import argparse
import json
import subprocess
import sys
import tempfile


def encode(protoc, descriptors, line):
    run = subprocess.run([protoc, f"--descriptor_set_in={descriptors}", f"--encode={line['message']}"],
                         input=line["text"].encode("utf-8", "surrogatepass"), capture_output=True, check=False)
    said = [s.removeprefix("input:") for s in run.stderr.decode("latin-1").split("\n")
            if s and "contains invalid UTF-8" not in s and s != "Failed to parse input." and not s.startswith("warning:")]
    answer = {"message": line["message"], "text": line["text"]}
    if run.returncode == 0:
        return {**answer, "hex": run.stdout.hex()}
    return {**answer, "errors": said}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--protoc", default="protoc")
    parser.add_argument("python_record")
    args = parser.parse_args()
    version = subprocess.run([args.protoc, "--version"], capture_output=True, check=True).stdout.decode().strip()
    with open(args.python_record, encoding="utf-8") as f, tempfile.NamedTemporaryFile() as descriptors:
        head = json.loads(next(f))
        descriptors.write(bytes.fromhex(head["descriptors"]))
        descriptors.flush()
        print(json.dumps({"recorded_with": version, "descriptors": head["descriptors"]}))
        seen = set()
        for line in map(json.loads, f):
            if (line["message"], line["text"]) not in seen:
                seen.add((line["message"], line["text"]))
                print(json.dumps(encode(args.protoc, descriptors.name, line)))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
