package serve

import (
	"context"
	"net"
	"os"
	"strconv"

	"google.golang.org/grpc"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// open is the machine's OnServing, with mu held.
func (s *Server) open() {
	files := &portFiles{}
	(*host)(s).Look(func(disk tfserving.Storage) { files.read(disk, &s.opt.Machine) }, func() { s.listen(files) })
}

// listen opens the ports, with mu held, as the end of BuildAndStart does
// (model_servers/server.cc:340-401).
func (s *Server) listen(files *portFiles) {
	arguments := parseChannelArguments(s.opt.Machine.GRPCChannelArguments)
	secure, ok := s.credentials(files)
	if !ok {
		return
	}
	s.grpc = s.newGRPC(append(arguments.options(), secure...)...)
	listeners, err := s.listenGRPC(arguments.reusePort)
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

// serveGRPC ends when the server is stopped.
func (s *Server) serveGRPC(ln net.Listener) {
	if err := s.grpc.Serve(ln); err != nil && err != grpc.ErrServerStopped {
		s.log.logf(env.Error, "gRPC: %v", err)
	}
}

// listenGRPC opens what --port and --grpc_socket_path name.
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

// tellGRPC says where, once all of it is open.
func (s *Server) tellGRPC() {
	if s.ports.GRPC != 0 {
		s.log.logf(env.Info, "Running gRPC ModelServer at %s ...", s.addressToTell(s.opt.Host, s.opt.Machine.Port, s.ports.GRPC))
	}
	if path := s.opt.Machine.GRPCSocketPath; path != "" {
		s.log.logf(env.Info, "Running gRPC ModelServer at UNIX socket %s ...", path)
	}
}

// addressToTell has the port as it was asked for, unless any port was to do.
func (s *Server) addressToTell(host string, asked, open int) string {
	if !s.opt.AnyPort {
		open = asked
	}
	return net.JoinHostPort(host, strconv.Itoa(open))
}

// listenTCP opens a port, of whose number both gRPC and libevent take the last 16
// bits. gRPC's C++ core shares ports between servers
// (SO_REUSEPORT) unless a channel argument says otherwise; libevent does not.
func (s *Server) listenTCP(port int, reusePort bool) (net.Listener, error) {
	if s.opt.AnyPort {
		port = 0
	}
	host := s.opt.Host
	if host == "0.0.0.0" {
		host = "" // gRPC and libevent listen on both families then
	}
	config := net.ListenConfig{}
	if reusePort {
		config.Control = sharePort
	}
	return config.Listen(context.Background(), "tcp", net.JoinHostPort(host, strconv.Itoa(int(uint16(port)))))
}

func portOf(ln net.Listener) int { return ln.Addr().(*net.TCPAddr).Port }

// removeStaleSocket makes room for a socket, as gRPC does before it binds; any
// other file stays.
func removeStaleSocket(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		os.Remove(path)
	}
}
