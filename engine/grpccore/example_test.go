package grpccore_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/monosim/monosim/engine/grpccore"
)

// This example makes a compressed call, which is answered, and a call of a missing method, which
// gets C-core's answer: an error without a text.
func Example() {
	server := grpccore.New(grpccore.Options{})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go server.Serve(l)
	defer server.Stop()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}, grpc.UseCompressor("gzip"))
	fmt.Println(answer.GetStatus(), err)
	fmt.Println(conn.Invoke(context.Background(), "/peers.Probe/Nope", &grpc_health_v1.HealthCheckRequest{}, &grpc_health_v1.HealthCheckResponse{}))
	// Output:
	// SERVING <nil>
	// rpc error: code = Unimplemented desc =
}
