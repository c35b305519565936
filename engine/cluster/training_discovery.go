package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What TrainingSpec.Discovery is beside "zookeeper": a Consul agent that all processes reach, and
// two by which each knows from its environment where all are, whether they run or not: the
// TF_CONFIG of Primus, and the variables of MLP.
const (
	DiscoveryConsul = "consul"
	DiscoveryPrimus = "primus"
	DiscoveryMLP    = "mlp"
)

// TrainerPort is where a process listens whose environment says where all are.
const TrainerPort = 2222

// discoveries are all of them.
var discoveries = []string{"zookeeper", DiscoveryConsul, DiscoveryPrimus, DiscoveryMLP}

func (s *TrainingSpec) checkDiscovery() error {
	if s.Discovery != "" && !slices.Contains(discoveries, s.Discovery) {
		return &SpecError{Where: "discovery", Found: s.Discovery, Want: "one of " + strings.Join(discoveries, ", ")}
	}
	return nil
}

// IsPlaced reports whether the environment of the processes says where each of them is.
func (s *TrainingSpec) IsPlaced() bool {
	return s.Discovery == DiscoveryPrimus || s.Discovery == DiscoveryMLP
}

// Variables are the environment of a process by which it finds the others, whose addresses ip
// has: TF_CONFIG, or the variables of MLP; none for the evaluator, nor where processes register.
func (s *TrainingSpec) Variables(name string, ip func(name string) string) ([]string, error) {
	if !s.IsPlaced() || name == EvaluatorRole {
		return nil, nil
	}
	if s.Discovery == DiscoveryMLP {
		return s.variablesOfMLP(name, ip), nil
	}
	addrs := map[string][]string{}
	for _, other := range s.TrainerNames() {
		if other != EvaluatorRole {
			typ, _ := taskOf(other)
			addrs[typ] = append(addrs[typ], fmt.Sprintf("%s:%d", ip(other), TrainerPort))
		}
	}
	typ, index := taskOf(name)
	config, err := json.Marshal(map[string]any{"cluster": addrs, "task": map[string]any{"type": typ, "index": index}})
	return []string{"TF_CONFIG=" + string(config)}, err
}

// taskOf is the place of a process in TF_CONFIG, where the chief is no worker.
func taskOf(name string) (typ string, index int) {
	typ, index = TrainerRole(name)
	switch {
	case name == "chief":
		return name, 0
	case typ == "worker":
		return typ, index - 1
	}
	return typ, index
}

func (s *TrainingSpec) variablesOfMLP(name string, ip func(name string) string) []string {
	role, index := TrainerRole(name)
	list := []string{
		"CLOUDNATIVE_INET_ADDR=" + ip(name), "MLP_ROLE=" + role, "MLP_ROLE_INDEX=" + strconv.Itoa(index), "MLP_PORT=" + strconv.Itoa(TrainerPort),
		fmt.Sprintf("MLP_WORKER_NUM=%d", s.Workers+1), fmt.Sprintf("MLP_PS_NUM=%d", s.PS+s.RedundantPS),
	}
	for _, other := range s.TrainerNames() {
		if other != EvaluatorRole {
			role, index := TrainerRole(other)
			place := fmt.Sprintf("MLP_%s_%d_", strings.ToUpper(role), index)
			list = append(list, place+"PRIMARY_HOST="+ip(other), place+"HOST="+ip(other), fmt.Sprintf("%sPORT=%d", place, TrainerPort))
		}
	}
	return list
}
