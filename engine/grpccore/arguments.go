package grpccore

import (
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// Arguments holds the channel arguments of gRPC's C-core that have integer values. It has an effect
// for limits of messages and metadata, ages of connections, pings, streams and compression. Other
// arguments are ignored.
type Arguments map[string]int

// ParseArguments reads a text of the form key=value,key=value, such as the flag
// --grpc_channel_arguments of a model server. If a key occurs twice, the first value counts.
func ParseArguments(text string) Arguments {
	a := Arguments{}
	for argument := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(argument, "=")
		if _, twice := a[key]; twice {
			continue
		}
		if n, err := strconv.ParseInt(value, 10, 32); err == nil {
			a[key] = int(n)
		}
	}
	return a
}

// SharesPort reports whether other servers may listen on the same port.
func (a Arguments) SharesPort() bool {
	reuse, given := a["grpc.so_reuseport"]
	return !given || reuse != 0
}

func (a Arguments) options() []grpc.ServerOption {
	// Any number of pings may come for grpc-go, because the front counts them.
	pings := keepalive.EnforcementPolicy{MinTime: time.Nanosecond, PermitWithoutStream: true}
	options := []grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle:     a.duration("grpc.max_connection_idle_ms"),
			MaxConnectionAge:      a.duration("grpc.max_connection_age_ms"),
			MaxConnectionAgeGrace: a.duration("grpc.max_connection_age_grace_ms"),
			Time:                  a.duration("grpc.keepalive_time_ms"),
			Timeout:               a.duration("grpc.keepalive_timeout_ms"),
		}),
		grpc.KeepaliveEnforcementPolicy(pings),
	}
	if n, ok := a["grpc.max_concurrent_streams"]; ok && n >= 0 {
		options = append(options, grpc.MaxConcurrentStreams(uint32(max(n, 1)))) // not 0, which to grpc-go means no limit
	}
	return options
}

// noStreams reports whether every call is refused.
func (a Arguments) noStreams() bool {
	n, given := a["grpc.max_concurrent_streams"]
	return given && n == 0
}

func (a Arguments) strikes() strikes {
	s := strikes{most: usualStrikes, always: a["grpc.keepalive_permit_without_calls"] != 0, interval: usualInterval}
	if most, given := a["grpc.http2.max_ping_strikes"]; given {
		s.most = max(most, 0)
	}
	if _, given := a["grpc.http2.min_ping_interval_without_data_ms"]; given {
		s.interval = a.duration("grpc.http2.min_ping_interval_without_data_ms")
	}
	return s
}

// duration returns an argument given in milliseconds. It returns 0, which selects gRPC's default,
// if the argument is missing or infinite.
func (a Arguments) duration(key string) time.Duration {
	n := a[key]
	if n == math.MaxInt32 {
		return 0
	}
	return time.Duration(max(n, 0)) * time.Millisecond
}

// length returns the largest length of messages that an argument gives. If the argument is missing,
// it returns the value of the parameter otherwise. A negative argument means no limit.
func (a Arguments) length(key string, otherwise int) int {
	n, given := a[key]
	switch {
	case !given:
		return otherwise
	case n < 0:
		return math.MaxInt32
	}
	return n
}

// metadata returns the limits of a request's metadata in bytes. If only one of them is given, the
// other is derived from it (chttp2_transport.cc), but is not below its default.
func (a Arguments) metadata() (soft, hard int) {
	const softDefault, hardDefault, percent = 8 << 10, 16 << 10, 100
	given := func(key string) (int, bool) {
		n, ok := a[key]
		return n, ok && n >= 0
	}
	soft, isSoft := given("grpc.max_metadata_size")
	hard, isHard := given("grpc.absolute_max_metadata_size")
	if !isSoft {
		soft = max(softDefault, hard*80/percent)
	}
	if !isHard {
		hard = hardDefault
		if isSoft {
			hard = max(hard, soft*125/percent)
		}
	}
	return soft, hard
}
