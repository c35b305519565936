package serve

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// logger writes lines as TensorFlow's default log does:
//
//	2026-11-21 18:00:00.123456: I tensorflow_serving/model_servers/server.cc:371] Running gRPC ModelServer at ...
type logger struct {
	head bool
	now  func() time.Time

	mu  sync.Mutex
	out io.Writer
}

func newLogger(opt Options) *logger {
	l := &logger{head: opt.Machine.Profile == tfserving.ProfileHead, now: opt.now, out: opt.Log}
	if l.now == nil {
		l.now = time.Now
	}
	l.out = cmp.Or(l.out, io.Discard)
	return l
}

// logf writes one line. The beginning of the text selects the source file and line that the log
// shows.
func (l *logger) logf(level env.Level, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.line("%s: %s %s] %s\n", l.now().Format("2006-01-02 15:04:05.000000"), severity(level), l.place(text), text)
}

// netf writes one line of upstream's HTTP server, which has its own log format
// (util/net_http/internal/net_logging.cc).
func (l *logger) netf(line24, lineHead int, format string, args ...any) {
	line := line24
	if l.head {
		line = lineHead
	}
	l.line("[evhttp_server.cc : %d] NET_LOG: %s\n", line, fmt.Sprintf(format, args...))
}

func (l *logger) line(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, format, args...)
}

func severity(level env.Level) string {
	switch level {
	case env.Warning:
		return "W"
	case env.Error:
		return "E"
	}
	return "I"
}

// place returns upstream's source file and line for a message. They are shown because people search
// logs for them.
func (l *logger) place(text string) string {
	for _, p := range places {
		if strings.HasPrefix(text, p.begin) {
			line := p.line24
			if l.head {
				line = p.lineHead
			}
			return fmt.Sprintf("tensorflow_serving/%s:%d", p.file, line)
		}
	}
	return "monosim"
}

const (
	serverFile  = "model_servers/server.cc"
	coreFile    = "model_servers/server_core.cc"
	sourceFile  = "sources/storage_path/file_system_storage_path_source.cc"
	harnessFile = "core/loader_harness.cc"
	managerFile = "core/basic_manager.cc"
	aspiredFile = "core/aspired_versions_manager.cc"
	retrierFile = "util/retrier.cc"
)

// places maps the beginning of a message to its source lines at 2.4.0 and at HEAD.
var places = []struct {
	begin            string
	file             string
	line24, lineHead int
}{
	{"Building single TensorFlow model file config", serverFile, 88, 80},
	{"Using InsecureServerCredentials", serverFile, 124, 124},
	{"Using SSL credentials", serverFile, 130, 130},
	{"Failed to read ModelServerConfig file", serverFile, 171, 170},
	{"PollFilesystemAndReloadConfig failed", serverFile, 178, 177},
	{"Running gRPC ModelServer at UNIX socket", serverFile, 373, 433},
	{"Running gRPC ModelServer at", serverFile, 371, 430},
	{"Exporting HTTP/REST API at", serverFile, 391, 451},
	{"Failed to start HTTP Server at", serverFile, 393, 453},
	{"server_options.http_port cannot be same as grpc_port", serverFile, 396, 456},
	{"Non-OK-status: ParseProtoTextFile<SSLConfig>", serverFile, 131, 129},
	{"ModelServer does not yet support custom model config", serverFile, 81, 72},
	{"Taking no action for empty config", coreFile, 448, 500},
	{"Adding/updating models", coreFile, 464, 516},
	{" (Re-)adding model", coreFile, 587, 645},
	{"Duplicate version directories", sourceFile, 135, 129},
	{"No specific versions requested", sourceFile, 0, 181},
	{"Version ", sourceFile, 201, 238},
	{"No versions of servable", sourceFile, 267, 314},
	{"FileSystemStoragePathSource encountered", sourceFile, 364, 416},
	{"Refusing to unload all versions", sourceFile, 399, 451},
	{"Successfully reserved resources", managerFile, 740, 786},
	{"Approving load for servable", harnessFile, 66, 70},
	{"Loading servable version", harnessFile, 74, 78},
	{"Successfully loaded servable", harnessFile, 87, 108},
	{"Quiescing servable version", harnessFile, 138, 168},
	{"Done quiescing servable version", harnessFile, 145, 175},
	{"Unloading servable version", harnessFile, 120, 132},
	{"Done unloading servable version", harnessFile, 128, 140},
	{"Encountered an error for servable", harnessFile, 155, 185},
	{"Servable {", aspiredFile, 360, 420},
	{"Loading servable: ", retrierFile, 37, 40},
	{"Request doesn't match any declared signature", "batching/batching_session.cc", 387, 387}, // only tfs-2.4 logs this
}

// eventLines holds the lines that upstream's manager and harness log when a state changes. They are
// logged here too, because people search logs for them. Package tfserving itself logs only errors.
var eventLines = map[env.ModelState][]string{
	env.StateLoading: {
		"Successfully reserved resources to load servable",
		"Approving load for servable version",
		"Loading servable version",
	},
	env.StateAvailable: {"Successfully loaded servable version"},
	env.StateUnloading: {
		"Quiescing servable version",
		"Done quiescing servable version",
		"Unloading servable version",
	},
	env.StateEnd: {"Done unloading servable version"},
}

func (s *Server) logEvent(e tfserving.Event) {
	if e.Err != nil {
		return
	}
	for _, line := range eventLines[e.State] {
		s.log.logf(env.Info, "%s {name: %s version: %d}", line, e.Model, e.Version)
	}
}
