package serve

import (
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// channelArguments holds the arguments of --grpc_channel_arguments that grpc-go supports. Upstream
// passes all of them to gRPC's core, which ignores unknown ones.
type channelArguments struct {
	numbers   map[string]int
	reusePort bool
}

func parseChannelArguments(text string) channelArguments {
	a := channelArguments{numbers: map[string]int{}}
	for argument := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(argument, "=")
		if n, err := strconv.ParseInt(value, 10, 32); err == nil {
			a.numbers[key] = int(n)
		}
	}
	reuse, given := a.numbers["grpc.so_reuseport"]
	a.reusePort = !given || reuse != 0
	return a
}

func (a channelArguments) options() []grpc.ServerOption {
	options := []grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle:     a.duration("grpc.max_connection_idle_ms"),
			MaxConnectionAge:      a.duration("grpc.max_connection_age_ms"),
			MaxConnectionAgeGrace: a.duration("grpc.max_connection_age_grace_ms"),
			Time:                  a.duration("grpc.keepalive_time_ms"),
			Timeout:               a.duration("grpc.keepalive_timeout_ms"),
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime:             a.duration("grpc.http2.min_ping_interval_without_data_ms"),
			PermitWithoutStream: a.numbers["grpc.keepalive_permit_without_calls"] != 0,
		}),
	}
	if n, ok := a.numbers["grpc.max_concurrent_streams"]; ok && n >= 0 {
		options = append(options, grpc.MaxConcurrentStreams(uint32(n)))
	}
	return options
}

// duration returns an argument given in milliseconds. It returns 0, which selects gRPC's default,
// if the argument is missing or infinite.
func (a channelArguments) duration(key string) time.Duration {
	n := a.numbers[key]
	if n == math.MaxInt32 {
		return 0
	}
	return time.Duration(max(n, 0)) * time.Millisecond
}

// length returns the largest length of messages that an argument gives; nil where it gives none. A
// negative one means no limit.
func (a channelArguments) length(key string) *int {
	n, given := a.numbers[key]
	switch {
	case !given:
		return nil
	case n < 0:
		n = math.MaxInt32
	}
	return &n
}
