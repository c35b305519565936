package jsonmodel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/grpccore"
	pb "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	rpc "github.com/monosim/monosim/engine/proto/monolith/parameter_sync_rpc"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/training/rustport/parametersync"
)

// These flag names appear in error messages about addresses.
const (
	parameterSyncFlag = "--parameter-sync-bind-addr"
	tfservingFlag     = "--tfserving-bind-addr"
)

// listener is an additional gRPC server with an address of its own. The primary server is separate.
type listener struct {
	flag, name string
	addr       string
	socket     net.Listener
	server     *grpccore.Server
}

// listeners opens the additional gRPC servers of the options. It parses all addresses first. If a
// server cannot be opened, it logs this and leaves the server out, as the Rust port does.
func (o *ServeOptions) listeners(log func(string)) (list []*listener, err error) {
	for _, l := range []*listener{
		{flag: parameterSyncFlag, name: "ParameterSync gRPC server", addr: o.ParameterSyncBindAddr},
		{flag: tfservingFlag, name: "TF Serving PredictionService", addr: o.TFServingBindAddr},
	} {
		if l.addr == "" {
			continue
		}
		if _, err := netip.ParseAddrPort(l.addr); err != nil {
			return nil, fmt.Errorf("Invalid %s (expected host:port): found %q, want an IP address with a port, as 127.0.0.1:8510", l.flag, l.addr)
		}
		list = append(list, l)
	}
	opened := list[:0]
	for _, l := range list {
		if l.socket, err = net.Listen("tcp", l.addr); err != nil {
			log(fmt.Sprintf("%s failed: %v", l.name, err))
			continue
		}
		log(fmt.Sprintf("Starting %s on %s", l.name, l.socket.Addr()))
		l.server = grpccore.New(grpccore.Options{})
		opened = append(opened, l)
	}
	return opened, nil
}

// closeAll closes the sockets of listeners that have not begun to serve.
func closeAll(list []*listener) {
	for _, l := range list {
		l.socket.Close()
	}
}

// begin serves calls on a goroutine of its own until end is called.
func (l *listener) begin(log func(string)) {
	go func() {
		if err := l.server.Serve(l.socket); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			log(fmt.Sprintf("%s failed: %v", l.name, err))
		}
	}()
}

// end refuses new calls. It reports whether all running calls were answered within limit.
func (l *listener) end(limit time.Duration) bool {
	return l.server.Shutdown(limit)
}

// parameterSync serves ParameterSyncRpc, by which training pushes embeddings. Calls run one at a
// time.
type parameterSync struct {
	rpc.UnimplementedParameterSyncRpcServer
	mu    sync.Mutex
	store *parametersync.Store
}

func (p *parameterSync) Push(_ context.Context, r *pb.PushRequest) (*pb.PushResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	response, err := p.store.Push(r)
	if failed, ok := errors.AsType[*env.RPCError](err); ok {
		return nil, status.Error(codes.Code(failed.Code), failed.Message)
	}
	return response, err
}

// told returns a log line with the number of embeddings and tables in the store.
func (p *parameterSync) told() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	tables, embeddings := p.store.Size()
	return fmt.Sprintf("ParameterSync: %d embeddings in %d tables were pushed", embeddings, tables)
}

// besides holds the additional listeners of a running server.
type besides struct {
	list   []*listener
	pushed *parameterSync
	log    func(string)
	close  func() error
}

// beside starts the additional listeners. Pushed embeddings go to a separate store, and predictions
// are passed on to the primary server.
func beside(list []*listener, primary *grpc.ClientConn, m *served, log func(string)) *besides {
	b := &besides{list: list, log: log, close: primary.Close}
	for _, l := range list {
		if l.flag == parameterSyncFlag {
			b.pushed = &parameterSync{store: parametersync.NewStore()}
			rpc.RegisterParameterSyncRpcServer(l.server, b.pushed)
		} else {
			apis.RegisterPredictionServiceServer(l.server, &predictions{
				primary: apis.NewPredictionServiceClient(primary), model: m.name, signature: m.signature,
			})
		}
		l.begin(log)
	}
	return b
}

// end ends the listeners one after another, and logs how many embeddings were pushed.
func (b *besides) end(limit time.Duration) error {
	for _, l := range b.list {
		if !l.end(limit) {
			b.log("Connection drain timeout, forcing shutdown")
		}
	}
	if b.pushed != nil {
		b.log(b.pushed.told())
	}
	return b.close()
}
