package grpccore

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // imported for its effect: it registers the codec of protobuf
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// Options holds the settings of a server that are not options of grpc-go.
type Options struct {
	// Credentials are the TLS credentials; nil means no TLS.
	Credentials credentials.TransportCredentials
	// Unknown handles methods that are not registered; nil means UNIMPLEMENTED without a text,
	// which is how servers in C++ answer.
	Unknown grpc.StreamHandler
	// Codec encodes and decodes all messages; nil means protobuf's codec.
	Codec encoding.CodecV2
	// MaxReceive is the largest size of a request in bytes where no argument says it; nil means
	// C-core's default, 4 MiB.
	MaxReceive *int
	// Arguments are channel arguments of C-core.
	Arguments Arguments
}

// Server is a gRPC server that answers as a server on the C core does.
type Server struct {
	*grpc.Server
	sent sending
}

// New returns a server. The options of grpc-go must not set anything that Options sets.
func New(o Options, options ...grpc.ServerOption) *Server {
	if o.Unknown == nil {
		o.Unknown = func(any, grpc.ServerStream) error { return status.Error(codes.Unimplemented, "") }
	}
	if o.Codec == nil {
		o.Codec = encoding.GetCodecV2("proto")
	}
	received := 4 << 20
	sent := sending{o.Codec, o.Arguments.length("grpc.max_send_message_length", math.MaxInt), o.Arguments.compression()}
	if o.MaxReceive != nil {
		received = *o.MaxReceive
	}
	received = o.Arguments.length("grpc.max_receive_message_length", received)
	soft, hard := o.Arguments.metadata()
	return &Server{grpc.NewServer(append(append(o.Arguments.options(), options...),
		grpc.Creds(newFronted(o.Credentials, limits{
			message: received, soft: soft, hard: hard, noStreams: o.Arguments.noStreams(), strikes: o.Arguments.strikes(), compression: sent.compression,
		})),
		grpc.MaxRecvMsgSize(received+markBytes), grpc.MaxSendMsgSize(math.MaxInt),
		grpc.MaxHeaderListSize(largestBlock), // the front enforces the real limit, and sends it to clients
		grpc.ForceServerCodecV2(codec{o.Codec, received}),
		grpc.UnknownServiceHandler(sent.answering(o.Unknown)),
		grpc.InTapHandle(tapped),
	)...), sent}
}

// Shutdown ends the server as grpc-python's stop(grace) does. The server takes no new calls.
// Running calls have the time grace to be answered, and those that are left after it are told that
// they were cancelled. It reports whether all calls were answered.
func (s *Server) Shutdown(grace time.Duration) bool {
	answered := make(chan struct{})
	go func() {
		s.GracefulStop()
		close(answered)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-answered:
		return true
	case <-timer.C:
		s.Stop()
		return false
	}
}

// RegisterService registers a service. Its calls begin and fail as those of a server on the C core.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, service any) {
	own := *desc
	own.Methods, own.Streams = nil, slices.Clone(desc.Streams)
	for i, m := range own.Streams {
		own.Streams[i].Handler = s.sent.answering(m.Handler)
	}
	for _, m := range desc.Methods {
		// C-core reads a single message and ignores further ones. grpc-go does so only for a
		// stream.
		own.Streams = append(own.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: s.sent.once(m.Handler), ClientStreams: true})
	}
	s.Server.RegisterService(&own, service)
}

// once returns a stream handler for a method with one request and one response.
func (o sending) once(handle grpc.MethodHandler) grpc.StreamHandler {
	return func(service any, stream grpc.ServerStream) error {
		response, err := handle(service, stream.Context(), func(request any) error {
			err := receive(stream, request)
			if err == io.EOF {
				return status.Error(codes.Internal, "No payload") // GenericDeserialize in proto_utils.h
			}
			return err
		}, nil)
		if err == nil {
			err = answer{stream, o}.SendMsg(response)
		}
		return inTime(stream.Context(), err)
	}
}

func (o sending) answering(handle grpc.StreamHandler) grpc.StreamHandler {
	return func(service any, stream grpc.ServerStream) error {
		return inTime(stream.Context(), handle(service, answer{stream, o}))
	}
}

// inTime returns the error of a call whose handler has returned err. C-core answers a call whose
// deadline has passed by itself, whatever its handler returns, and with its own text. Reading a
// request that is late fails with grpc-go's text, for one.
func inTime(ctx context.Context, err error) error {
	if err != nil {
		return cmp.Or(tooLate(ctx), err)
	}
	return nil
}

// tooLate returns the answer to a call whose deadline has passed, and nil for other calls.
func tooLate(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return status.Error(codes.DeadlineExceeded, deadlineExceeded)
	}
	return nil
}

// tapped refuses a call whose deadline has passed before it began, as happens to a deadline of a
// millisecond on a busy machine. grpc-go would refuse it right after, with its own text.
func tapped(ctx context.Context, _ *tap.Info) (context.Context, error) { return ctx, tooLate(ctx) }

// sending holds the codec for answers, the largest size of an answer in bytes, and how answers are
// compressed.
type sending struct {
	codec       encoding.CodecV2
	limit       int
	compression compression
}

// encoded is an answer that is already encoded, which the codec sends unchanged.
type encoded mem.BufferSlice

// answer is a server stream that receives and answers as C-core does.
type answer struct {
	grpc.ServerStream
	sending
}

func (a answer) RecvMsg(request any) error { return receive(a.ServerStream, request) }

func (a answer) SendMsg(response any) error {
	if err := plain(a.Context()); err != nil {
		return err
	}
	if a.limit == math.MaxInt && !a.compression.answers() {
		return a.ServerStream.SendMsg(response)
	}
	// The answer is encoded here to check its size, because grpc-go would refuse a large one with
	// its own text.
	data, err := a.codec.Marshal(response)
	if err != nil {
		return err
	}
	if n := data.Len(); n > a.limit {
		return status.Errorf(codes.ResourceExhausted, "SERVER: Sent message larger than max (%d vs. %d)", n, a.limit)
	}
	if a.compression.answers() {
		if data, err = a.compression.compressed(a.Context(), data); err != nil {
			return err
		}
	}
	return a.ServerStream.SendMsg(encoded(data))
}

// receive receives a message. grpc-go would answer an error of decoding, and a call whose deadline has
// passed, at once with its own text. So the codec keeps the error, and receive returns it; and a late
// message is not read.
func receive(stream grpc.ServerStream, message any) error {
	if err := tooLate(stream.Context()); err != nil {
		return err
	}
	in := incoming{message: message}
	if err := stream.RecvMsg(&in); err != nil {
		return err
	}
	return in.err
}

// plain turns off compression of the answer to a compressed request. It returns an error if the
// call's deadline has passed, because there is no answer then.
func plain(ctx context.Context) error {
	if err := tooLate(ctx); err != nil {
		return err
	}
	s, ok := grpc.ServerTransportStreamFromContext(ctx).(interface {
		RecvCompress() string
		SetSendCompress(name string) error
	})
	if ok && s.RecvCompress() != "" {
		_ = s.SetSendCompress("") // the error is not looked at: it says that the header was sent, without compression
	}
	return nil
}

// Take receives the single request of a call, and fails as grpc-python does if there is none.
func Take(stream grpc.ServerStream) (request []byte, err error) {
	if err = stream.RecvMsg(&request); err == io.EOF {
		method, _ := grpc.MethodFromServerStream(stream)
		return nil, status.Errorf(codes.Unimplemented, `"b'%s'" requires exactly one request message.`, method)
	}
	return request, err
}
