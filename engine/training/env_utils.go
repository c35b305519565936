package training

import "github.com/monosim/monosim/engine/env"

// ZKAuthData are the credentials for ZooKeeper in the variable ZK_AUTH, none when
// it is unset or empty (env_utils.py:27). The reference prints them.
func ZKAuthData(host env.Host) (auth [][2]string, printed string) {
	v, _ := host.LookupEnv("ZK_AUTH")
	if v == "" {
		return nil, ""
	}
	return [][2]string{{"digest", v}}, "ZK_AUTH " + v + "\n"
}

// GeneratePSMFromUUID is the service name of a job: its id as it is (Q199).
func GeneratePSMFromUUID(uuid string) string { return uuid }
