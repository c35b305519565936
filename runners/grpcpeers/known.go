package grpcpeers

import "strings"

// Known returns the reason why our servers may answer a probe differently from C-core, or "" if
// they must not.
func (p Probe) Known() string {
	switch p.Name {
	case "flag 2", "flag 255":
		return "C-core answers one way or another, by chance"
	case "control characters in a value", `hears "x-a" of 3 bytes: "\x7f" of 1`, `hears "x-a" of 3 bytes: "a\r\nb" of 4`, `hears "x-a" of 3 bytes: "a\x00b" of 3`:
		return "no client library sends them; grpc-go cannot read them, C-core passes them"
	}
	if p.Name == "grpc.default_compression_algorithm=2,grpc.max_send_message_length=100: metadata" {
		return "grpc-go sends the trailing metadata that a handler has set before its answer is too large; C-core drops it"
	}
	if p.Name == "timeout before the message is whole" {
		return "grpc-go, which waits for the rest of the message, may say first that a context has a deadline"
	}
	if _, name, ok := strings.Cut(p.Name, ": "); ok && violations[name] {
		return "no client library breaks HTTP/2 so; C-core ignores or takes what grpc-go closes the connection for, or the other way round"
	}
	return ""
}

// violations names the conversations that break HTTP/2's rules, or that no client library would
// have.
var violations = map[string]bool{
	"no preface": true, "no settings": true, "data of stream 0": true, "headers of stream 0": true, "settings acknowledged twice": true,
	"settings of a wrong value": true, "ping of a stream": true, "header block that is none": true, "index of no table": true,
	"empty header block": true, "frame too large": true, "padded": true, "padded, with a priority": true,
	"table of 4097 bytes": true, "table of three sizes": true, "table size after a field": true, "index 0": true, "index too large by one": true,
	"index beyond 32 bits": true, "length beyond the block": true, "Huffman's end of string": true, "Huffman's padding of noughts": true,
	"Huffman's padding too long": true, "block cut": true, "trailers that are too large": true, "trailers that do not end the call": true,
	"data after the end of a call": true,
}
