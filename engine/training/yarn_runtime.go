package training

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// LocalHost is the address that other processes of the job reach this host by: the
// first one of CLOUDNATIVE_INET_ADDR, else YARN_INET_ADDR as it is, else that of
// the host's name (yarn_runtime.py:30). An empty one is an AssertionError.
func LocalHost(host env.Host) (string, error) {
	local, err := "", error(nil)
	if v, ok := host.LookupEnv("CLOUDNATIVE_INET_ADDR"); ok {
		local, _, _ = strings.Cut(v, ",")
	} else if v, ok := host.LookupEnv("YARN_INET_ADDR"); ok {
		local = v
	} else {
		local, err = LocalIP(host)
	}
	if err == nil && local == "" {
		err = assertion()
	}
	return local, err
}

// assertion is a failed assert without a text.
func assertion() error { return &pysem.Error{Type: "AssertionError"} }
