package clients

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// countedServers is a fake of both model servers and network, which counts the opened and closed
// connections.
type countedServers struct {
	answer         proto.Message
	dialed, closed int
}

type countedNetwork struct {
	env.Network
	*countedServers
}

type countedModels struct{ *countedServers }

type countedServer struct {
	env.ModelServer
	*countedServers
}

func (s *countedServers) Close() { s.closed++ }

func (n countedNetwork) Dial(string) env.Channel {
	n.dialed++
	return n
}

func (n countedNetwork) Call(string, []byte, time.Duration) ([]byte, error) {
	return proto.Marshal(n.answer)
}

// Close counts a closed connection.
func (n countedNetwork) Close() { n.countedServers.Close() }

func (m countedModels) Dial(string) env.ModelServer {
	m.dialed++
	return countedServer{countedServers: m.countedServers}
}

func (s countedServer) Close() { s.countedServers.Close() }

func (s countedServer) Status(env.ModelSpec, time.Duration) ([]env.ModelVersionStatus, error) {
	return nil, nil
}
func (s countedServer) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

// Goal: each command closes the connections that it opened, and returns the server's answer.
func TestCommandsEndTheirConnections(t *testing.T) {
	for _, test := range []struct {
		cmd  string
		want int
	}{{"status", 1}, {"meta", 1}, {"load", 1}, {"get", 1}, {"profile", 2}} {
		t.Run(test.cmd, func(t *testing.T) {
			servers := &countedServers{answer: &apis.GetModelMetadataResponse{ModelSpec: &apis.ModelSpec{Name: "m"}}}
			if test.cmd == "get" {
				servers.answer = &apis.PredictResponse{}
			}
			e := envtest.New(map[string]string{
				"a.conf": "bzid b\nbase_name n\nbase_path /m\ndeploy_type mixed\n",
				"models": "", "data/eb": "\x02\x00\x00\x00\x00\x00\x00\x00\x18\x01", "eb.txt": "batch_size: 1",
			}, map[string]string{"MY_HOST_IP": "10.1.2.3"})
			e.Network, e.Models, e.Log, e.Clock = countedNetwork{countedServers: servers}, countedModels{servers}, envtest.Quiet{}, envtest.Clock{}
			o := DefaultTFSClientOptions()
			o.Conf, o.Cmd, o.Target, o.ModelName = "a.conf", test.cmd, "a:1,b:2", pysem.Some("m")
			o.InputFile, o.DataDir, o.FileType = pysem.Some("models"), pysem.Some("data"), "pbtxt"
			if test.cmd == "get" {
				o.InputFile = pysem.Some("eb.txt")
			}
			o.Quirks = quirks.Set{}.Repair(quirks.Q135, quirks.Q136)
			o.Threads = 0 // with range(0) (tfs_client.py:446), the servers are not asked
			a, err := RunTFSClient(e, o)
			if err != nil {
				t.Fatal(err)
			}
			if servers.dialed != test.want || servers.closed != test.want {
				t.Errorf("got %d connections made and %d ended, want %d", servers.dialed, servers.closed, test.want)
			}
			if test.cmd == "meta" && a.Metadata.GetModelSpec().GetName() != "m" {
				t.Errorf("got %v, want what the server answered", a.Metadata)
			}
			if test.cmd == "profile" && (a.Profile == nil || *a.Profile != Profile{}) {
				t.Errorf("got %v, want a profile of no calls", a.Profile)
			}
		})
	}
}

// Goal: a client of the agent connects again at the first call after Close.
func TestSvrClientClosesAndConnectsAgain(t *testing.T) {
	e := envtest.New(nil, map[string]string{"MY_HOST_IP": "10.1.2.3"})
	servers := &countedServers{answer: &agentservice.HeartBeatResponse{}}
	e.Network = countedNetwork{countedServers: servers}
	c := NewSvrClient(e, &agentconfig.AgentConfig{AgentPort: pysem.Some(1002)})
	for n := 1; n <= 2; n++ {
		if _, err := c.HeartBeat(agentservice.ServerType_PS); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if servers.dialed != n || servers.closed != n {
			t.Errorf("round %d: got %d connections made and %d ended", n, servers.dialed, servers.closed)
		}
	}
}

// stoppedZooKeeper counts its stops.
type stoppedZooKeeper struct {
	env.ZooKeeper
	stops int
}

func (z *stoppedZooKeeper) Stop() {
	z.stops++
	z.ZooKeeper.Stop()
}

// Goal: the command stops its ZooKeeper client, whether it succeeds or fails
// (agent_controller.py:135).
func TestControlStopsItsClient(t *testing.T) {
	for _, cmd := range []string{"bzid_info", "decl"} {
		e := envtest.New(nil, nil)
		zk := &stoppedZooKeeper{ZooKeeper: envtest.NewZooKeeper()}
		e.Tasks, e.Log, e.ZooKeeper = &envtest.Tasks{}, envtest.Quiet{}, oneZooKeeper{zk}
		o := DefaultControlOptions()
		o.Cmd = cmd
		if _, err := Control(e, o); (err != nil) != (cmd == "decl") {
			t.Fatal(err)
		}
		if zk.stops != 1 {
			t.Errorf("%s: got %d stops, want 1", cmd, zk.stops)
		}
	}
}

// Goal: the flags have the reference's defaults (tfs_client.py:52-62; client.py has those of the
// command and the input).
func TestTheClientsDefaults(t *testing.T) {
	o := DefaultTFSClientOptions()
	got := fmt.Sprint(o.Signature, " ", o.FileType, " ", o.BatchSize, " ", o.Threads, " ", o.Duration.Seconds(), " ", o.DataDir.Set)
	if want := "serving_default pb 8 1 600 false"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Goal: versions are ordered by number. Names that are not decimal numbers come first, in
// alphabetical order.
func TestVersionsAreOrderedByNumber(t *testing.T) {
	want := []string{"1a", "aa", "b", "2", "9", "10"}
	for _, got := range [][]string{{"10", "9", "b", "2", "aa", "1a"}, {"b", "1a", "9", "10", "aa", "2"}} {
		slices.SortFunc(got, compareVersions)
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Goal: a pattern without a colon is an error, because it cannot be split (agent_controller.py:93).
func TestAPatternNeedsAColon(t *testing.T) {
	err := Controller{}.MapModelToLayout("m", "/l", "pub")
	if want := "ValueError: not enough values to unpack (expected 2, got 1)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Goal: the figures of a profile are computed as in tfs_client.py:457-463.
func TestAProfilesNumbers(t *testing.T) {
	got, err := summarize([]float64{9, 1, 2}, 1)
	want := Profile{Count: 3, AverageMs: 4, P99Ms: 9, CallsPerSecond: 3000}
	if got != want || err != nil {
		t.Errorf("got %s, error %v, want %s", got, err, want)
	}
}

// Goal: a profile without servers fails even if it has data, because random.randint(0, -1) has
// nothing to draw from (tfs_client.py:340).
func TestAProfileNeedsServers(t *testing.T) {
	e := envtest.New(nil, nil)
	e.Clock, e.Random = envtest.Clock{}, envtest.Random{}
	thread := TFSClient{Env: e}.NewProfileThread(0, PredictLoad{Data: []*framework.TensorProto{{}}})
	if err := thread.predict(); pysem.TypeOf(err) != "ValueError" {
		t.Errorf("got %v, want ValueError", err)
	}
}

// Goal: with fewer than 500 data files a profile tries to make one more (tfs_client.py:424-430).
// That fails at the first field that a LineId does not have.
func TestQ135_AProfileOf499FilesMakesOneMore(t *testing.T) {
	files := map[string]string{}
	for i := range 499 {
		files[fmt.Sprintf("data/%03d", i)] = ""
	}
	e := envtest.New(files, nil)
	e.Log = envtest.Quiet{}
	p := tfsProgram{TFSClient: TFSClient{Env: e, ValidSlots: []int{1}}, o: DefaultTFSClientOptions()}
	p.o.DataDir = pysem.Some("data")
	if _, err := p.profile(); pysem.TypeOf(err) != "AttributeError" {
		t.Errorf("got %v, want AttributeError", err)
	}
}

// Goal: a random file with one instance or more always fails. A random file with none fails only if
// its directory does not exist.
func TestQ135_RandomFilesFail(t *testing.T) {
	e := envtest.New(nil, nil)
	e.Log = envtest.Quiet{}
	c := TFSClient{Env: e, ValidSlots: []int{1}}
	for batchSize, want := range []string{"FileNotFoundError", "AttributeError"} {
		if err := c.RandomFile("missing/file", variantInstance, batchSize); pysem.TypeOf(err) != want {
			t.Errorf("batch of %d: got %v, want %s", batchSize, err, want)
		}
	}
}

// Goal: a header that is cut off is a struct.error, wherever it ends (tfs_client.py:77-85). A sort
// id whose size exceeds all memory is an error too (tfs_client.py:88).
func TestHeadersThatAreCutOff(t *testing.T) {
	zero := strings.Repeat("\x00", 8)
	for _, test := range []struct {
		name, data, want string
		framing          StreamFraming
	}{
		{"prefix", "\x01", "error", StreamFraming{KafkaDumpPrefix: true}},
		{"second prefix", zero, "error", StreamFraming{KafkaDumpPrefix: true}},
		{"size after both prefixes", zero + zero, "error", StreamFraming{KafkaDumpPrefix: true, HasSortID: true}},
		{"size of the sort id", "\x01", "error", StreamFraming{HasSortID: true}},
		{"sort id", strings.Repeat("\xff", 8), "OverflowError", StreamFraming{HasSortID: true}},
	} {
		if err := NewDataStream([]byte(test.data)).ReadHeader(test.framing); pysem.TypeOf(err) != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// Goal: a debugger's dump is parsed as in the reference. The expected values were recorded from
// InstanceFormater.from_dump (utils.py:1050-1127) before its call of ParseDict.
func TestDumpsAreReadAsTheReferenceDoes(t *testing.T) {
	for _, test := range []struct{ lines, want string }{
		{"\"x\":\n0:\n\"a\": \"b\"\n\"sub\":\n0: 1", "{'x': [{'a': 'b', 'sub': [1]}]}"},
		{"\"feature\":\n\"a\": 1\n\"b\":\n\"c\": 2", "{'feature': {'a': 1, 'b': {'c': 2}}}"},
		{"\"a\": 3", "{'a': 3}"},
		{"a:b:c", "ValueError: too many values to unpack (expected 2)"},
		{"abc", "ValueError: not enough values to unpack (expected 2, got 1)"},
		{"\"a\":\n\"b\": 1\n0: 2", "AttributeError: 'dict' object has no attribute 'append'"},
		{"\"a\":\n0:\n0: 5\n\"k\":", "AttributeError: 'list' object has no attribute 'update'"},
	} {
		d := dumpReader{root: &pysem.Dict{}}
		var err error
		for line := range strings.SplitSeq(test.lines, "\n") {
			if err = d.line(line); err != nil {
				break
			}
		}
		got := pysem.Repr(plainValue(d.root))
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %s, want %s", test.lines, got, test.want)
		}
	}
}

// Goal: lines of a text file are stripped of all Unicode white space, which a text proto may not
// contain (utils.py:1046).
func TestLinesOfATextAreStripped(t *testing.T) {
	f, err := InstanceFromText(envtest.New(map[string]string{"inst": "\u00a0fid: 1\u2003\n"}, nil), "inst")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Instance.GetFid(); !slices.Equal(got, []uint64{1}) {
		t.Errorf("got %v, want [1]", got)
	}
}
