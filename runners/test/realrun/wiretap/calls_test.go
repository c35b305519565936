package wiretap_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/runners/test/realrun/wiretap"
)

// relay passes connections on to addr and lets read decode them.
func relay(t *testing.T, addr string, read func(func(wiretap.Call)) wiretap.Reading) (relayed string, calls func(n int) []wiretap.Call) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	told := make(chan wiretap.Call, 100)
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", addr)
			if err != nil {
				client.Close()
				continue
			}
			var both sync.WaitGroup
			reads := read(func(c wiretap.Call) { told <- c })
			both.Go(func() { wiretap.Copy(server, client, reads.FromClient); server.Close(); reads.FromClient.Close() })
			both.Go(func() { wiretap.Copy(client, server, reads.FromServer); client.Close(); reads.FromServer.Close() })
		}
	}()
	return ln.Addr().String(), func(n int) (list []wiretap.Call) {
		t.Helper()
		for range n {
			select {
			case c := <-told:
				if c.Ended.IsZero() {
					t.Error("a call without its time")
				}
				c.Ended = time.Time{}
				list = append(list, c)
			case <-time.After(time.Minute):
				t.Fatalf("found %d calls, want %d", len(list), n)
			}
		}
		return list
	}
}

type health struct {
	grpc_health_v1.UnimplementedHealthServer
}

func (health) Check(_ context.Context, req *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	if req.Service == "" {
		return nil, status.Error(codes.NotFound, "none")
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, nil
}

// Goal: gRPC calls are reported with method, request and status. This holds for many calls
// on one connection, whose headers are compressed with the help of earlier ones.
func TestCallsOfGRPC(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health{})
	go func() { _ = server.Serve(ln) }()
	defer server.Stop()
	addr, calls := relay(t, ln.Addr().String(), wiretap.GRPC)
	channel, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer channel.Close()
	client := grpc_health_v1.NewHealthClient(channel)
	var want []wiretap.Call
	for i := range 20 {
		req := &grpc_health_v1.HealthCheckRequest{Service: strings.Repeat("s", 3000*(i%3))}
		_, err := client.Check(t.Context(), req)
		data, marshal := proto.Marshal(req)
		if marshal != nil {
			t.Fatal(marshal)
		}
		want = append(want, wiretap.Call{Method: "/grpc.health.v1.Health/Check", Request: append([]byte{}, data...), Code: int(status.Code(err))})
	}
	got := calls(20)
	for i := range got {
		got[i].Request = append([]byte{}, got[i].Request...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestCallsOfREST(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models/none" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, strings.Repeat("x", 10_000))
	})}
	go func() { _ = server.Serve(ln) }()
	defer server.Close()
	addr, calls := relay(t, ln.Addr().String(), wiretap.REST)
	for _, path := range []string{"/v1/models/ctr", "/v1/models/none", "/v1/models/ctr"} {
		resp, err := http.Post("http://"+addr+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		// The body must be read, or else the client would use a new connection for the next call.
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	want := []wiretap.Call{{Method: "POST /v1/models/ctr", Code: 200}, {Method: "POST /v1/models/none", Code: 404}, {Method: "POST /v1/models/ctr", Code: 200}}
	if diff := cmp.Diff(want, calls(3)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// Goal: bytes that cannot be decoded are passed on unchanged.
func TestNonsenseIsPassedOn(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go wiretap.Copy(conn, conn, nowhere{})
		}
	}()
	for name, read := range map[string]func(func(wiretap.Call)) wiretap.Reading{"gRPC": wiretap.GRPC, "REST": wiretap.REST} {
		addr, _ := relay(t, ln.Addr().String(), read)
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("no protocol\x00", 20_000)
		go fmt.Fprint(conn, text)
		back := make([]byte, len(text))
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(back); {
			read, err := conn.Read(back[n:])
			if n += read; err != nil {
				t.Fatalf("%s: %d bytes came back, then %v", name, n, err)
			}
		}
		if string(back) != text {
			t.Errorf("%s: other bytes came back", name)
		}
		conn.Close()
	}
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
