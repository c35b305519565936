package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// These are the values of TrainingSpec.Discovery besides "zookeeper". Consul is an agent that all
// processes reach. With Primus and MLP each process knows all addresses from its environment,
// whether the others run or not: from TF_CONFIG of Primus, or from the variables of MLP.
const (
	DiscoveryConsul = "consul"
	DiscoveryPrimus = "primus"
	DiscoveryMLP    = "mlp"
)

// TrainerPort is the port of a process if the environment lists the addresses of all processes.
const TrainerPort = 2222

// discoveries lists the possible values of TrainingSpec.Discovery.
var discoveries = []string{"zookeeper", DiscoveryConsul, DiscoveryPrimus, DiscoveryMLP}

func (s *TrainingSpec) checkDiscovery() *SpecError {
	if s.Discovery != "" && !slices.Contains(discoveries, s.Discovery) {
		return &SpecError{Where: "discovery", Found: s.Discovery, Want: "one of " + strings.Join(discoveries, ", ")}
	}
	return nil
}

// IsPlaced reports whether the processes learn the addresses of all others from their environment.
func (s *TrainingSpec) IsPlaced() bool {
	return s.Discovery == DiscoveryPrimus || s.Discovery == DiscoveryMLP
}

// Placement holds the addresses of a job's processes, as their environment lists them.
type Placement struct {
	spec *TrainingSpec
	ip   func(name string) string
	// cluster caches the cluster in TF_CONFIG, which is the same for all processes.
	cluster string
}

// Place returns the placement of a job. The function ip returns the address of a process by its
// name. It must always return the same address for a name.
func (s *TrainingSpec) Place(ip func(name string) string) *Placement {
	return &Placement{spec: s, ip: ip}
}

// Variables returns the environment variables by which a process finds the others: TF_CONFIG, or
// the variables of MLP. There are none for the evaluator, and none if processes register with
// ZooKeeper or Consul.
func (p *Placement) Variables(name string) ([]string, error) {
	if !p.spec.IsPlaced() || name == EvaluatorRole {
		return nil, nil
	}
	if p.spec.Discovery == DiscoveryMLP {
		return p.spec.variablesOfMLP(name, p.ip), nil
	}
	if p.cluster == "" {
		config, err := json.Marshal(p.addrs())
		if err != nil {
			return nil, err
		}
		p.cluster = string(config)
	}
	typ, index := taskOf(name)
	return []string{`TF_CONFIG={"cluster":` + p.cluster + `,"task":{"index":` + strconv.Itoa(index) + `,"type":"` + typ + `"}}`}, nil
}

// addrs returns the addresses of each type of task.
func (p *Placement) addrs() map[string][]string {
	addrs := map[string][]string{}
	for _, name := range p.spec.TrainerNames() {
		if name != EvaluatorRole {
			typ, _ := taskOf(name)
			addrs[typ] = append(addrs[typ], p.ip(name)+":"+strconv.Itoa(TrainerPort))
		}
	}
	return addrs
}

// taskOf returns the type and index of a process in TF_CONFIG. There the chief is not a worker.
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
