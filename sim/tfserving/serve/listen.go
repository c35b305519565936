package serve

import (
	"context"
	"net"
	"os"
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/textformat"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// open reads the files that configure the ports, and then opens the ports. The server calls it once
// it is ready to serve. The caller holds mu.
func (s *Server) open() {
	files := &portFiles{}
	(*host)(s).Look(func(disk tfserving.Storage) { files.read(disk, &s.opt.Machine) }, func() { s.listen(files) })
}

// listen opens the ports, as the end of upstream's BuildAndStart does
// (model_servers/server.cc:340-401). The caller holds mu.
func (s *Server) listen(files *portFiles) {
	arguments := grpccore.ParseArguments(s.opt.Machine.GRPCChannelArguments)
	secure, ok := s.credentials(files)
	if !ok {
		return
	}
	s.grpc = s.newGRPC(arguments, secure)
	listeners, err := s.listenGRPC(arguments.SharesPort())
	if err != nil {
		for _, ln := range listeners {
			ln.Close()
		}
		s.log.logf(env.Error, "%v", err)
		s.machine.FailToListen()
		return
	}
	for _, ln := range listeners {
		s.tasks.Go(func() { s.serveGRPC(ln) })
	}
	s.tellGRPC()
	s.openREST(metricsPath(&files.monitoring))
	close(s.serving)
}

func (s *Server) serveGRPC(ln net.Listener) {
	if err := s.grpc.Serve(ln); err != nil && err != grpc.ErrServerStopped {
		s.log.logf(env.Error, "gRPC: %v", err)
	}
}

// listenGRPC opens the listeners of --port and --grpc_socket_path.
func (s *Server) listenGRPC(reusePort bool) (listeners []net.Listener, err error) {
	if port := s.opt.Machine.Port; port != 0 {
		ln, err := s.listenTCP(port, reusePort)
		if err != nil {
			return nil, err
		}
		s.ports.GRPC = portOf(ln)
		listeners = append(listeners, ln)
	}
	if path := s.opt.Machine.GRPCSocketPath; path != "" {
		removeStaleSocket(path)
		ln, err := net.Listen("unix", path)
		if err != nil {
			return listeners, err
		}
		listeners = append(listeners, ln)
	}
	return listeners, nil
}

// tellGRPC logs the gRPC addresses. It is called when all ports are open.
func (s *Server) tellGRPC() {
	if s.ports.GRPC != 0 {
		s.log.logf(env.Info, "Running gRPC ModelServer at %s ...", s.addressToTell(s.opt.Host, s.opt.Machine.Port, s.ports.GRPC))
	}
	if path := s.opt.Machine.GRPCSocketPath; path != "" {
		s.log.logf(env.Info, "Running gRPC ModelServer at UNIX socket %s ...", path)
	}
}

// addressToTell returns the address to log. Its port is the configured port, asked. With AnyPort it
// is the actual port, open.
func (s *Server) addressToTell(host string, asked, open int) string {
	if !s.opt.AnyPort {
		open = asked
	}
	return net.JoinHostPort(host, strconv.Itoa(open))
}

// listenTCP opens a port. gRPC and libevent both use only the last 16 bits of the port number.
// gRPC's C++ core shares ports between servers (SO_REUSEPORT) unless a channel argument forbids it.
// libevent does not share ports.
func (s *Server) listenTCP(port int, reusePort bool) (net.Listener, error) {
	if s.opt.AnyPort {
		port = 0
	}
	host := s.opt.Host
	if host == "0.0.0.0" {
		host = "" // an empty host listens on IPv4 and IPv6, as gRPC and libevent do
	}
	config := net.ListenConfig{}
	if reusePort {
		config.Control = sharePort
	}
	return config.Listen(context.Background(), "tcp", net.JoinHostPort(host, strconv.Itoa(int(uint16(port)))))
}

func portOf(ln net.Listener) int { return ln.Addr().(*net.TCPAddr).Port }

// removeStaleSocket deletes a socket file, as gRPC does before it binds. It never deletes a file of
// another kind.
func removeStaleSocket(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		os.Remove(path)
	}
}

// portFiles holds the content of the files that configure the ports. The server has checked the
// files at its start, but has not kept their content.
type portFiles struct {
	ssl        config.SSLConfig
	sslErr     *env.RPCError
	monitoring config.MonitoringConfig // monitoring is empty when there is no such file
}

func (f *portFiles) read(disk tfserving.Storage, o *tfserving.Options) {
	if file := o.SSLConfigFile; file != "" {
		f.sslErr = readText(disk, file, &f.ssl)
	}
	if file := o.MonitoringConfigFile; file != "" && readText(disk, file, &f.monitoring) != nil {
		f.monitoring.Reset()
	}
}

// readText reads a text proto file, as upstream's ParseProtoTextFile does.
func readText(disk tfserving.Storage, file string, message proto.Message) *env.RPCError {
	data, err := disk.ReadFile(file)
	if err != nil {
		return asStatus(err)
	}
	if textformat.Unmarshal(string(data), message) != nil {
		return &env.RPCError{Code: rpcerrors.InvalidArgument, Message: "Invalid protobuf file: '" + file + "'"}
	}
	return nil
}

func asStatus(err error) *env.RPCError {
	if e, ok := err.(*env.RPCError); ok {
		return e
	}
	return &env.RPCError{Code: rpcerrors.Unknown, Message: err.Error()}
}
