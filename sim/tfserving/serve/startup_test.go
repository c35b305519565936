package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: the port opens only when the models are loaded (TFS-9.1).
func TestPortsOpenLast(t *testing.T) {
	l := newLab(t)
	l.must(os.MkdirAll(l.path("m"), 0o755))
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	l.must(err)
	port := portOf(reserved)
	reserved.Close()
	l.start(tfserving.Profile24, func(o *Options) {
		o.AnyPort, o.Machine.Port = false, port
		o.Machine.InitialConfig, o.Machine.ModelName, o.Machine.ModelBasePath = nil, "m", l.path("m")
	})
	if conn, err := net.Dial("tcp", reserved.Addr().String()); err == nil {
		conn.Close()
		t.Error("the port is open before the model has a version")
	}
	l.version("m", 1)
	l.waitServing()
	if l.s.Ports().GRPC != port {
		t.Errorf("got port %d, want %d", l.s.Ports().GRPC, port)
	}
	l.wantLog("Running gRPC ModelServer at " + reserved.Addr().String() + " ...")
}

// Goal: of a port number outside 0 to 65535, gRPC and libevent use the last 16 bits, and the log
// shows the whole number.
func TestPortsBeyondTheHighest(t *testing.T) {
	l := newLab(t)
	port := func() int {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		l.must(err)
		defer free.Close()
		return portOf(free)
	}
	grpcPort, restPort := port(), port()
	l.serve(tfserving.Profile24, func(o *Options) {
		o.AnyPort, o.Machine.Port, o.Machine.RESTAPIPort = false, grpcPort+1<<16, restPort-1<<16
	})
	if got, want := l.s.Ports(), (Ports{GRPC: grpcPort, REST: restPort}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	l.wantLog("Running gRPC ModelServer at 127.0.0.1:" + strconv.Itoa(grpcPort+1<<16) + " ...")
	l.wantLog("Exporting HTTP/REST API at:localhost:" + strconv.Itoa(restPort-1<<16) + " ...")
}

// Goal: a wrong flag is reported before the server looks for models.
func TestNoModelIsBuiltWithoutAPort(t *testing.T) {
	l := newLab(t)
	l.start(tfserving.Profile24, func(o *Options) {
		o.Machine.InitialConfig, o.Machine.ModelBasePath, o.Machine.Port = nil, l.path("m"), 0
	})
	l.waitDone()
	if got := l.logged(); got != "" {
		t.Errorf("got %s, want no line", got)
	}
}

func (l *lab) wantLog(text string) {
	l.Helper()
	if !strings.Contains(l.logged(), text) {
		l.Errorf("no %q in the log:\n%s", text, l.logged())
	}
}

// Goal: a start that fails gives upstream's output and exit code (TFS-9.2).
func TestStartsThatFail(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	withConfig := func(text string) func(l *lab, o *Options) {
		return func(l *lab, o *Options) {
			o.Machine.InitialConfig, o.Machine.ModelConfigFile = nil, l.path("config")
			l.must(os.WriteFile(l.path("config"), []byte(text), 0o644))
		}
	}
	onTakenPort := func(_ *lab, o *Options) { o.AnyPort, o.Machine.Port = false, portOf(taken) }
	tests := []struct {
		name    string
		profile tfserving.Profile
		change  func(l *lab, o *Options)
		code    int
		stdout  string // wanted output, in which DIR stands for the lab's directory
	}{
		{"port in use (server.cc:367)", tfserving.Profile24, onTakenPort, 255,
			"Failed to start server. Error: Invalid argument: Failed to BuildAndStart gRPC server\n"},
		{"port in use, tfs-head", tfserving.ProfileHead, onTakenPort, 255,
			"Failed to start server. Error: INVALID_ARGUMENT: Failed to BuildAndStart gRPC server\n"},
		{"no port", tfserving.Profile24, func(_ *lab, o *Options) { o.Machine.Port = 0 }, 255,
			"Failed to start server. Error: Invalid argument: server_options.grpc_port is not set.\n"},
		{"not a text proto", tfserving.Profile24, withConfig("\x00\x01 not a text proto {"), 255,
			"Failed to start server. Error: Invalid argument: Invalid protobuf file: 'DIR/config'\n"},
		{"an unknown field", tfserving.Profile24, withConfig("model_config_list { no_such_field: 1 }"), 255,
			"Failed to start server. Error: Invalid argument: Invalid protobuf file: 'DIR/config'\n"},
		{"no config file", tfserving.Profile24,
			func(l *lab, o *Options) { o.Machine.InitialConfig, o.Machine.ModelConfigFile = nil, l.path("none") }, 255,
			"Failed to start server. Error: Not found: DIR/none; No such file or directory\n"},
		{"a config file that is a directory", tfserving.Profile24,
			func(l *lab, o *Options) { o.Machine.InitialConfig, o.Machine.ModelConfigFile = nil, l.dir }, 255,
			"Failed to start server. Error: Not found: DIR; No such device\n"},
		{"a config file that is a device", tfserving.Profile24,
			func(_ *lab, o *Options) { o.Machine.InitialConfig, o.Machine.ModelConfigFile = nil, "/dev/zero" }, 255,
			"Failed to start server. Error: Invalid argument: /dev/zero; Invalid argument\n"},
		{"no model path", tfserving.Profile24, func(_ *lab, o *Options) { o.Machine.InitialConfig = nil }, 255,
			"Failed to start server. Error: Invalid argument: Both server_options.model_base_path and server_options.model_config_file are empty!\n"},
		{"an empty version directory", tfserving.Profile24, func(l *lab, o *Options) {
			l.must(os.MkdirAll(l.path("m", "1"), 0o755))
			o.Machine.InitialConfig, o.Machine.ModelBasePath = nil, l.path("m")
		}, 255, "Failed to start server. Error: Unknown: 1 servable(s) did not become available: {{{name: default version: 1} due to error: " +
			"Not found: Could not find SavedModel .pb or .pbtxt at supplied export directory path: DIR/m/1}, }\n"},
		{"a monitoring file that is none", tfserving.Profile24, func(l *lab, o *Options) {
			l.must(os.WriteFile(l.path("monitoring"), []byte("x: 1"), 0o644))
			o.Machine.RESTAPIPort, o.Machine.MonitoringConfigFile = 8501, l.path("monitoring")
		}, 255, "Failed to start server. Error: Invalid argument: Invalid protobuf file: 'DIR/monitoring'\n"},
		{"a TLS file that is none: CHECK", tfserving.Profile24, func(l *lab, o *Options) {
			l.must(os.WriteFile(l.path("ssl"), []byte("x: 1"), 0o644))
			o.Machine.SSLConfigFile = l.path("ssl")
		}, -6, ""},
		{"a certificate that is none", tfserving.Profile24, func(l *lab, o *Options) {
			l.must(os.WriteFile(l.path("ssl"), []byte(`server_cert: "x"`), 0o644))
			o.Machine.SSLConfigFile = l.path("ssl")
		}, 255, "Failed to start server. Error: Invalid argument: Failed to BuildAndStart gRPC server\n"},
		{"more memory than the container has (TFS-5.8)", tfserving.Profile24, func(l *lab, o *Options) {
			l.version("m", 1)
			o.Machine.InitialConfig, o.Machine.ModelBasePath, o.Machine.MemoryLimitBytes = nil, l.path("m"), 1
		}, -9, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t)
			l.start(test.profile, func(o *Options) { test.change(l, o) })
			code, stdout := l.waitDone()
			if want := strings.ReplaceAll(test.stdout, "DIR", l.dir); code != test.code || stdout != want {
				t.Errorf("got %d %q\nwant %d %q", code, stdout, test.code, want)
			}
		})
	}
}

// Goal: if the REST port is taken, or equal to the gRPC port, that is logged and gRPC is still
// served (server.cc:376-399).
func TestRESTPortsThatDoNotOpen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	l := newLab(t)
	l.serve(tfserving.Profile24, func(o *Options) {
		o.AnyPort, o.Machine.Port = false, 0
		o.Machine.GRPCSocketPath, o.Machine.Profile = l.path("s"), tfserving.ProfileHead
		o.Machine.RESTAPIPort = portOf(taken)
	})
	for _, want := range []string{
		"[evhttp_server.cc : 236] NET_LOG: Couldn't bind to port " + port,
		"[evhttp_server.cc : 66] NET_LOG: Server has not been terminated. Force termination now.",
		"[evhttp_server.cc : 279] NET_LOG: Server is not running ...",
		"E tensorflow_serving/model_servers/server.cc:453] Failed to start HTTP Server at localhost:" + port,
	} {
		l.wantLog(want)
	}
	same := newLab(t)
	same.serve(tfserving.Profile24, func(o *Options) { o.Machine.RESTAPIPort = o.Machine.Port })
	same.wantLog("server_options.http_port cannot be same as grpc_port. Please use a different port for HTTP/REST API. " +
		"Skipped exporting HTTP/REST API.")
	if same.s.Ports().REST != 0 {
		t.Error("REST is open on gRPC's port")
	}
}

// Goal: the lines for which people search a log are written in TensorFlow's format.
func TestLogLines(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.Profile24, func(o *Options) {
		withREST(o)
		o.Machine.InitialConfig, o.Machine.ModelName, o.Machine.ModelBasePath = nil, "m", l.path("m")
	})
	const stamp = `(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: `
	for _, want := range []string{
		stamp + `I tensorflow_serving/model_servers/server\.cc:88\] Building single TensorFlow model file config:  model_name: m model_base_path: ` + regexp.QuoteMeta(l.path("m")) + `$`,
		stamp + `I tensorflow_serving/model_servers/server_core\.cc:587\]  \(Re-\)adding model: m$`,
		stamp + `I tensorflow_serving/core/loader_harness\.cc:87\] Successfully loaded servable version \{name: m version: 1\}$`,
		stamp + `I tensorflow_serving/model_servers/server\.cc:371\] Running gRPC ModelServer at 127\.0\.0\.1:\d+ \.\.\.$`,
		`(?m)^\[evhttp_server\.cc : 238\] NET_LOG: Entering the event loop \.\.\.$`,
		stamp + `I tensorflow_serving/model_servers/server\.cc:391\] Exporting HTTP/REST API at:localhost:\d+ \.\.\.$`,
	} {
		if !regexp.MustCompile(want).MatchString(l.logged()) {
			t.Errorf("no line %s in\n%s", want, l.logged())
		}
	}
}

// Goal: --ssl_config_file makes gRPC use TLS. Clients need a certificate only if the file requires
// it.
func TestTLS(t *testing.T) {
	cert, key := selfSigned(t)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	for name, verify := range map[string]bool{"any client": false, "clients with a certificate": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			ssl := &config.SSLConfig{ServerKey: string(key), ServerCert: string(cert), CustomCa: string(cert), ClientVerify: verify}
			text, err := textpb.Marshal(ssl)
			l.must(err)
			l.must(os.WriteFile(l.path("ssl"), []byte(text), 0o600))
			l.serve(tfserving.Profile24, func(o *Options) { o.Machine.SSLConfigFile = l.path("ssl") })
			bare := l.dialWith(l.grpcAddr(), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: roots})))
			_, err = apis.NewModelServiceClient(bare).GetModelStatus(l.context(), &apis.GetModelStatusRequest{})
			if verify {
				wantCode(t, err, codes.Unavailable)
			} else {
				wantStatus(t, err, codes.InvalidArgument, "Missing ModelSpec")
			}
			known := l.dialWith(l.grpcAddr(), grpc.WithTransportCredentials(credentials.NewTLS(
				&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}})))
			_, err = apis.NewModelServiceClient(known).GetModelStatus(l.context(), &apis.GetModelStatusRequest{})
			wantStatus(t, err, codes.InvalidArgument, "Missing ModelSpec")
		})
	}
}

func selfSigned(t *testing.T) (cert, key []byte) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

// Goal: two servers can share a gRPC port unless a channel argument forbids it, as with gRPC's
// core.
func TestServersShareAPort(t *testing.T) {
	first := newLab(t)
	first.serve(tfserving.Profile24, nil)
	onThatPort := func(o *Options) { o.AnyPort, o.Machine.Port = false, first.s.Ports().GRPC }
	newLab(t).serve(tfserving.Profile24, onThatPort)
	alone := newLab(t)
	alone.start(tfserving.Profile24, func(o *Options) {
		onThatPort(o)
		o.Machine.GRPCChannelArguments = "grpc.max_connection_age_ms=2000,grpc.so_reuseport=0,unknown=x"
	})
	if code, _ := alone.waitDone(); code != 255 {
		t.Errorf("grpc.so_reuseport=0: got exit %d, want 255", code)
	}
}

// Goal: too large messages get the same error texts as from a server of grpcio 1.85.1 with the same
// options.
func TestSizesOfMessagesAreLimited(t *testing.T) {
	for _, test := range []struct {
		arguments, message string
	}{
		{"grpc.max_receive_message_length=0", "SERVER: Received message larger than max (5 vs. 0)"},
		{"grpc.max_receive_message_length=3", "SERVER: Received message larger than max (5 vs. 3)"},
		{"grpc.max_receive_message_length=5,grpc.max_send_message_length=0", "SERVER: Sent message larger than max (8 vs. 0)"},
		{"grpc.max_send_message_length=7", "SERVER: Sent message larger than max (8 vs. 7)"},
		{"grpc.max_send_message_length=8", ""},
		{"grpc.max_receive_message_length=-1,grpc.max_send_message_length=-1", ""},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			l := newLab(t)
			l.version("m", 1)
			l.serve(tfserving.Profile24, func(o *Options) {
				o.Machine.GRPCChannelArguments = test.arguments
				o.Machine.InitialConfig, o.Machine.ModelName, o.Machine.ModelBasePath = nil, "m", l.path("m")
			})
			answer, err := l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: specOf("m")})
			if test.message != "" {
				wantStatus(t, err, codes.ResourceExhausted, test.message)
			} else if err != nil {
				t.Errorf("got %v, want %d bytes", err, proto.Size(answer))
			}
		})
	}
}
