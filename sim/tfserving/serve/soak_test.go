package serve

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: clients that connect, disconnect and send incomplete data, while versions and configs
// change, leave no goroutine and no file descriptor behind. The server still works afterward.
// Method: 50 clients at once, each with its own seed, for a fixed number of rounds. MONOSIM_SOAK
// sets a duration instead, such as 3m, and memory is then printed for a person to check.

const (
	soakClients = 50
	soakRounds  = 20
)

func TestSoak(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	s := &soak{lab: newLab(t)}
	for _, model := range soakModels {
		s.version(model, 1)
	}
	s.serve(tfserving.ProfileHead, func(o *Options) {
		withREST(o)
		o.Speed, o.Log = 50, io.Discard
	})
	s.must(s.reloadError(s.reloadAll(&versionPolicy{})))
	idle := runtime.NumGoroutine()
	files := openFiles(t)
	s.run()
	s.dial().Close()
	wantNoMoreGoroutines(t, idle)
	s.conn = nil
	if now := openFiles(t); now > files {
		t.Errorf("%d open files, %d before", now, files)
	}
	s.stillWorks()
	s.dial().Close()
	s.s.Close()
	wantNoMoreGoroutines(t, goroutines)
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(names)
}

var soakModels = []string{"a", "b", "c"}

type soak struct{ *lab }

// run runs the clients, and meanwhile changes the models on disk.
func (s *soak) run() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var clients, churn sync.WaitGroup
	churn.Go(func() { s.churn(ctx) })
	more := soakLimit(s.TB)
	for n := range soakClients {
		clients.Go(func() {
			c := soakClient{s, rand.New(rand.NewPCG(uint64(n), 1))}
			for round := 0; more(round); round++ {
				c.act()
			}
		})
	}
	clients.Wait()
	stop()
	churn.Wait()
}

// soakLimit returns a function that reports whether another round follows.
func soakLimit(t testing.TB) func(round int) bool {
	text := os.Getenv("MONOSIM_SOAK")
	if text == "" {
		return func(round int) bool { return round < soakRounds }
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	end, begin := time.Now().Add(d), memory()
	t.Cleanup(func() { t.Logf("live heap: %d KiB, then %d KiB", begin>>10, memory()>>10) })
	return func(int) bool { return time.Now().Before(end) }
}

func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// churn adds new versions and removes the previous ones, as fast as the disk allows.
func (s *soak) churn(ctx context.Context) {
	for version := 2; ctx.Err() == nil; version++ {
		model := soakModels[version%len(soakModels)]
		made := filepath.Join(s.dir, "made")
		for _, err := range []error{
			os.Mkdir(made, 0o755),
			os.WriteFile(filepath.Join(made, "saved_model.pb"), []byte("{}"), 0o644),
			os.Rename(made, filepath.Join(s.dir, model, strconv.Itoa(version))),
			os.RemoveAll(filepath.Join(s.dir, model, strconv.Itoa(version-6))),
		} {
			if err != nil {
				s.Error(err)
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond):
		}
	}
}

// stillWorks checks that the server loads and serves a new version.
func (s *soak) stillWorks() {
	s.Helper()
	s.must(s.reloadError(s.reloadAll(&versionPolicy{})))
	const version = 1 << 40
	for _, model := range soakModels {
		s.version(model, version)
	}
	for _, model := range soakModels {
		s.await(fmt.Sprintf("%s:%d AVAILABLE", model, version))
		_, err := s.predictions().Predict(s.context(), &apis.PredictRequest{ModelSpec: versionSpec(model, version)})
		s.must(err)
	}
}

// reloadAll returns a reload request that keeps all models. Removing a model and adding it again
// could hang the server, as it can hang upstream's (TFS-8.8).
func (s *soak) reloadAll(policy *versionPolicy) *apis.ReloadConfigRequest {
	var models []*config.ModelConfig
	for _, name := range soakModels {
		model := s.modelConfig(name, "")
		model.ModelVersionPolicy = policy
		models = append(models, model)
	}
	return reloadOf(models...)
}

// soakClient sends random requests. Their errors are ignored, because it asks for versions that
// were just removed, and disconnects at random.
type soakClient struct {
	*soak
	*rand.Rand
}

func (c soakClient) act() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.IntN(20))*time.Millisecond)
	defer cancel()
	model := soakModels[c.IntN(len(soakModels))]
	const garbage = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00\xff\xff\xff"
	switch c.IntN(9) {
	case 0:
		c.predictions().Predict(ctx, &apis.PredictRequest{ModelSpec: specOf(model)})
	case 1:
		c.models().GetModelStatus(ctx, &apis.GetModelStatusRequest{ModelSpec: specOf(model)})
	case 2:
		c.models().HandleReloadConfigRequest(ctx, c.reloadAll(c.policy()))
	case 3:
		c.comeAndGo(ctx, model)
	case 4:
		c.get("/v1/models/" + model)
	case 5:
		c.send(c.restAddr(), "POST /v1/models/"+model+":predict HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"inst")
	case 6:
		c.send(c.restAddr(), "POST /v1/models/"+model+":predict HTTP/1.1\r\nContent-Length: 15\r\n\r\n{\"instances\":1}")
	case 7:
		c.send(c.grpcAddr(), garbage[:c.IntN(len(garbage))])
	case 8:
		c.predictions().GetModelMetadata(ctx, &apis.GetModelMetadataRequest{ModelSpec: specOf(model), MetadataField: []string{"signature_def"}})
	}
}

func (c soakClient) policy() *versionPolicy {
	if c.IntN(2) == 0 {
		all := &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All{}
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{All: all}}
	}
	latest := &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest{NumVersions: c.Uint32N(4)}
	return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_{Latest: latest}}
}

// comeAndGo closes its connection while calls are in progress.
func (c soakClient) comeAndGo(ctx context.Context, model string) {
	conn, err := grpc.NewClient(c.grpcAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		c.Error(err)
		return
	}
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			apis.NewPredictionServiceClient(conn).Predict(ctx, &apis.PredictRequest{ModelSpec: specOf(model)})
		})
	}
	conn.Close()
	calls.Wait()
}

func (c soakClient) get(path string) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + c.restAddr() + path)
	if err != nil {
		c.Error(err)
		return
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
}

// send sends a text on a new connection and disconnects without waiting for the answer.
func (c soakClient) send(addr, text string) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		c.Error(err)
		return
	}
	io.WriteString(conn, text)
	conn.Close()
}
