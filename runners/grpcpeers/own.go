package grpcpeers

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/pysem"
)

// Version is the version of grpcio whose answers are recorded.
const Version = "1.85.1"

// Own returns a server of ours with these channel arguments. It has the methods of core.py, and its
// errors have grpc-python's words.
func Own(arguments string) (s *grpccore.Server) {
	s = grpccore.New(grpccore.Options{Codec: grpccore.Bytes{}, Arguments: grpccore.ParseArguments(arguments), Unknown: func(_ any, stream grpc.ServerStream) error {
		return take(s, stream)
	}})
	return s
}

func take(s *grpccore.Server, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	name, ok := strings.CutPrefix(method, "/peers.Probe/")
	if ok && name == "Chat" {
		return chat(stream)
	}
	answer := methods[name]
	switch name {
	case "Tell":
		answer = tell(stream)
	case "Drain":
		answer = drain(s)
	}
	if !ok || answer == nil {
		return status.Error(codes.Unimplemented, "Method not found!")
	}
	request, err := grpccore.Take(stream)
	if err != nil {
		return err
	}
	response, err := answer(stream.Context(), request)
	if err != nil {
		return err
	}
	return stream.SendMsg(&response)
}

// Serve starts the server on a free port of the loopback and returns its address.
func Serve(s *grpccore.Server) (addr string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = s.Serve(l) }() // the error is not looked at: it says that the server was stopped
	return l.Addr().String(), nil
}

var methods = map[string]func(context.Context, []byte) ([]byte, error){
	"Echo":  func(_ context.Context, request []byte) ([]byte, error) { return request, nil },
	"Empty": func(context.Context, []byte) ([]byte, error) { return nil, nil },
	"Slow": func(ctx context.Context, request []byte) ([]byte, error) {
		<-ctx.Done()
		return request, nil
	},
	"Refuse": func(context.Context, []byte) ([]byte, error) {
		return nil, status.Error(codes.FailedPrecondition, "no 100 % größe\n")
	},
	"RefuseEmpty": func(context.Context, []byte) ([]byte, error) { return nil, status.Error(codes.NotFound, "") },
	"Raise": func(context.Context, []byte) ([]byte, error) {
		return nil, status.Error(codes.Unknown, "Exception calling application: boom")
	},
	"Many": func(_ context.Context, request []byte) ([]byte, error) {
		n, err := strconv.Atoi(string(request))
		if err != nil {
			return nil, status.Errorf(codes.Unknown, "Exception calling application: invalid literal for int() with base 10: b'%s'", request)
		}
		return []byte(strings.Repeat("m", n)), nil
	},
	"Hear": hear,
}

// tell makes a method that echoes the request, with metadata before and after the answer.
func tell(stream grpc.ServerStream) func(context.Context, []byte) ([]byte, error) {
	return func(_ context.Context, request []byte) ([]byte, error) {
		stream.SetTrailer(metadata.Pairs("last", "b", "last-bin", "\x01"))
		return request, stream.SendHeader(metadata.Pairs("first", "a", "first-bin", "\x00\xff"))
	}
}

// drain ends the server, and gives running calls as many seconds as the request says.
func drain(s *grpccore.Server) func(context.Context, []byte) ([]byte, error) {
	return func(_ context.Context, request []byte) ([]byte, error) {
		seconds, err := strconv.ParseFloat(string(request), 64)
		go s.Shutdown(time.Duration(seconds * float64(time.Second)))
		return nil, err
	}
}

// hear returns the request's metadata whose names begin with x-, formatted as Python does.
func hear(ctx context.Context, _ []byte) ([]byte, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	var heard []string
	for name, values := range md {
		for _, v := range values {
			text := pysem.Repr(decoded(v))
			if strings.HasSuffix(name, "-bin") {
				text = "b" + strings.ReplaceAll(strconv.Quote(v), `"`, "'")
			}
			if strings.HasPrefix(name, "x-") {
				heard = append(heard, fmt.Sprintf("%s=%s", name, text))
			}
		}
	}
	slices.Sort(heard)
	return []byte(strings.Join(heard, ";")), nil
}

// decoded returns a value of metadata as grpc-python decodes it, which is as Latin-1 if it is no UTF-8.
func decoded(value string) string {
	if utf8.ValidString(value) {
		return value
	}
	runes := make([]rune, len(value))
	for i := range len(value) {
		runes[i] = rune(value[i])
	}
	return string(runes)
}

func chat(stream grpc.ServerStream) error {
	for {
		var m []byte
		if err := stream.RecvMsg(&m); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := stream.SendMsg(&m); err != nil {
			return err
		}
	}
}
