// Package envutils is native_training/env_utils.py, which both the agents and the training jobs of
// the reference import. It reads settings from a container's environment variables.
//
// Use [ZooKeeperOptions] for a client of ZooKeeper; [GeneratePSMFromUUID] names a job's service.
//
// Cost: a call does not grow with the environment: it reads one variable.
//
// Unstable: any commit may change it.
package envutils

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// longestPause limits kazoo's pause between two attempts to connect, with Q322 repaired.
const longestPause = 10 * time.Second

// ZooKeeperOptions returns the options of the ZooKeeper clients of agents and training jobs. They
// hold the container's credentials, and the longest pause between two attempts to connect. doubles
// says that Q322 is kept: during an outage kazoo doubles the pause after each attempt, up to an
// hour.
func ZooKeeperOptions(host env.Host, doubles bool) env.ZooKeeperOptions {
	o := env.ZooKeeperOptions{Auth: ZKAuthData(host)}
	if !doubles {
		o.MaxPause = longestPause
	}
	return o
}

// ZKAuthData returns the ZooKeeper credentials in the variable ZK_AUTH, as a pair of the scheme
// "digest" and the credential. It returns nil if the variable is unset or empty (env_utils.py:27).
func ZKAuthData(host env.Host) [][2]string {
	v, _ := host.LookupEnv("ZK_AUTH")
	if v == "" {
		return nil
	}
	return [][2]string{{"digest", v}}
}

// ZKAuthOutput returns the line that the reference prints when it reads the credentials, which
// contains them (env_utils.py:30). It returns "" if there are none.
func ZKAuthOutput(host env.Host) string {
	auth := ZKAuthData(host)
	if auth == nil {
		return ""
	}
	return "ZK_AUTH " + auth[0][1] + "\n"
}

// SetupHDFSEnv does nothing, as in the published code of the reference. Environment variables about
// HDFS have no effect (env_utils.py:22).
func SetupHDFSEnv() {}

// GeneratePSMFromUUID returns a job's service name, which is the unchanged id (Q199;
// env_utils.py:25).
func GeneratePSMFromUUID(uuid string) string { return uuid }
