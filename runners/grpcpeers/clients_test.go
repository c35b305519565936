package grpcpeers_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/grpccore"
)

var clients = flag.Bool("grpcpeers.clients", false, "have clients of other languages call, which registries bring")

// These are the versions of the clients that the test installs from package registries.
const (
	grpcJS  = "@grpc/grpc-js@1.14.7"
	grpcurl = "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3"
	ghz     = "github.com/bojand/ghz/cmd/ghz@v0.120.0"
)

// TestClients: Goal: clients of four languages and two tools get the same results from our server
// as from the bare server on C-core.
func TestClients(t *testing.T) {
	if !*clients {
		t.Skip("skipped: make check-grpc has clients of other languages, which takes minutes")
	}
	core, own := serveCore(t, ""), serveOwn(t, "")
	for _, c := range []struct {
		name string
		// prepare returns a function that makes the client's calls to addr and returns their
		// results as text.
		prepare func(t *testing.T) func(addr string) string
	}{
		{"grpc-go", func(t *testing.T) func(string) string { return callByGo(t) }},
		{"grpc-python", pythonClient},
		{"grpc-js", jsClient},
		{"grpc-java", javaClient},
		{"grpcurl", grpcurlClient},
		{"ghz", ghzClient},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := c.prepare(t)
			want, got := call(core), call(own)
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("a client of C-core's server (-) and of ours (+):\n%s", diff)
			}
			t.Logf("%d lines about the calls are equal", strings.Count(want, "\n"))
		})
	}
}

// needed skips the test if one of the programs is not installed.
func needed(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("skipped: %s is not installed", p)
		}
	}
}

// output runs a program in the folder dir and returns its stdout and stderr. It fails the test if
// the program fails.
func output(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func pythonClient(t *testing.T) func(string) string {
	return func(addr string) string {
		return output(t, "clients", nil, os.Getenv("PYTHON"), "-B", "client.py", addr)
	}
}

func jsClient(t *testing.T) func(string) string {
	needed(t, "node", "npm")
	dir := t.TempDir()
	output(t, dir, nil, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, grpcJS)
	return func(addr string) string {
		return output(t, "clients", []string{"NODE_PATH=" + filepath.Join(dir, "node_modules")}, "node", "client.js", addr)
	}
}

func javaClient(t *testing.T) func(string) string {
	needed(t, "java", "mvn")
	jars := t.TempDir()
	output(t, "clients", nil, "mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+jars)
	return func(addr string) string {
		return output(t, "clients", nil, "java", "-cp", filepath.Join(jars, "*"), "Client.java", addr)
	}
}

// install returns the path of a Go program: the installed one, or else one built in a temporary
// folder.
func install(t *testing.T, program string) string {
	t.Helper()
	name, _, _ := strings.Cut(filepath.Base(program), "@")
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	dir := t.TempDir()
	output(t, dir, []string{"GOBIN=" + dir}, "go", "install", program)
	return filepath.Join(dir, name)
}

func grpcurlClient(t *testing.T) func(string) string {
	program := install(t, grpcurl)
	return func(addr string) string {
		var all strings.Builder
		for _, method := range []string{"Echo", "Empty", "Refuse", "Raise", "Tell", "Nope"} {
			cmd := exec.Command(program, "-v", "-plaintext", "-proto", "probe.proto", "-H", "x-a: 1", "-d", `{"text": "hello"}`, addr, "peers.Probe/"+method)
			cmd.Dir = "clients"
			out, err := cmd.CombinedOutput() // the error is not looked at: the program's exit code is the code of the call
			fmt.Fprintf(&all, "%s: %v\n%s\n", method, err, out)
		}
		return all.String()
	}
}

// ghzClient makes 200 compressed and 200 plain calls with ghz, and returns the count of each status
// code.
func ghzClient(t *testing.T) func(string) string {
	program := install(t, ghz)
	return func(addr string) string {
		var all strings.Builder
		for _, more := range [][]string{nil, {"--enable-compression"}} {
			for _, method := range []string{"Echo", "Refuse", "Nope"} {
				args := append([]string{"--insecure", "--proto", "probe.proto", "--call", "peers.Probe." + method, "-d", `{"text": "hello"}`,
					"-n", "200", "-c", "10", "-O", "json"}, append(slices.Clone(more), addr)...)
				var report struct {
					Count                  int
					StatusCodeDistribution map[string]int
					ErrorDistribution      map[string]int
				}
				if err := json.Unmarshal([]byte(output(t, "clients", nil, program, args...)), &report); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&all, method, more, report)
			}
		}
		return all.String()
	}
}

// callByGo returns a function that makes the calls by grpc-go.
func callByGo(t *testing.T) func(string) string {
	return func(addr string) string {
		conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpccore.Bytes{})))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		var all strings.Builder
		call := func(name, method, body string, options ...grpc.CallOption) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if size, ok := strings.CutPrefix(name, "metadata of "); ok {
				var n int
				_, _ = fmt.Sscan(size, &n)
				ctx = metadata.AppendToOutgoingContext(ctx, "x-large", strings.Repeat("v", n))
			}
			var header, trailer metadata.MD
			request, response := []byte(body), []byte(nil)
			err := conn.Invoke(ctx, "/peers.Probe/"+method, &request, &response, append(options, grpc.Header(&header), grpc.Trailer(&trailer))...)
			fmt.Fprintf(&all, "%s: %v %q, %d bytes, %v, %v\n", name, status.Code(err), status.Convert(err).Message(), len(response), texts(header), texts(trailer))
		}
		gzip, deflate := grpc.UseCompressor("gzip"), grpc.UseCompressor("deflate")
		long := strings.Repeat("hello ", 1000)
		call("plain", "Echo", "hello")
		call("empty", "Empty", "hello")
		call("gzip", "Echo", long, gzip)
		call("deflate", "Echo", long, deflate)
		call("gzip, refused", "Refuse", long, gzip)
		call("gzip, unknown", "Nope", long, gzip)
		call("refused", "Refuse", "hello")
		call("raised", "Raise", "hello")
		call("unknown", "Nope", "hello")
		call("own metadata", "Tell", "hello")
		call("metadata of 4000 bytes", "Echo", "hello")
		call("metadata of 20000 bytes", "Echo", "hello")
		call("too large", "Echo", strings.Repeat("a", 4<<20+1))
		call("too large, compressed", "Echo", strings.Repeat("a", 4<<20+1), gzip)
		call("as large as may be", "Empty", strings.Repeat("a", 4<<20))
		call("after all", "Echo", "hello")
		return all.String()
	}
}

// texts formats metadata as texts, sorted by name.
func texts(md metadata.MD) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(md)) {
		list = append(list, fmt.Sprintf("%s=%q", name, md[name]))
	}
	return list
}
