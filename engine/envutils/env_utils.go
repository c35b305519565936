// Package envutils is native_training/env_utils.py: what the variables of a container
// say to both sides of the reference, its agents and its training jobs, which therefore
// both import it.
//
// Use [ZKAuthData] for a client of ZooKeeper; [GeneratePSMFromUUID] names a job's service.
//
// Unstable: any commit may change it.
package envutils

import "github.com/monosim/monosim/engine/env"

// ZKAuthData returns the credentials for ZooKeeper that the variable ZK_AUTH holds, as pairs
// of scheme and credential: one of the scheme "digest", none when the variable is unset
// or empty (env_utils.py:27).
func ZKAuthData(host env.Host) [][2]string {
	v, _ := host.LookupEnv("ZK_AUTH")
	if v == "" {
		return nil
	}
	return [][2]string{{"digest", v}}
}

// ZKAuthOutput returns what the reference prints when it reads the credentials: they
// themselves, in a line of their own (env_utils.py:30). It is empty where there are none.
func ZKAuthOutput(host env.Host) string {
	auth := ZKAuthData(host)
	if auth == nil {
		return ""
	}
	return "ZK_AUTH " + auth[0][1] + "\n"
}

// SetupHDFSEnv does nothing, as in what was published of the reference, whatever the container's
// variables say of HDFS (env_utils.py:22).
func SetupHDFSEnv() {}

// GeneratePSMFromUUID returns the service name of a job: its id as it is (Q199;
// env_utils.py:25).
func GeneratePSMFromUUID(uuid string) string { return uuid }
