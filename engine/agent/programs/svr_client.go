package programs

import (
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/pysem"
)

// svrClient asks the agent on this host, as the class SvrClient does, and prints what that class
// prints.
func (p *process) svrClient() error {
	conf, err := p.conf()
	if err != nil {
		return err
	}
	serverType, err := clients.ServerTypeOf(p.flags.Text("server_type").V, p.options.Quirks)
	if err != nil {
		return err
	}
	client := clients.NewSvrClient(p.Env, conf)
	client.Quirks = p.options.Quirks
	p.trying("the agent of this host at port "+conf.AgentPort.String(), "is one running there? agent_port of the conf, and MY_HOST_IP in the environment, say where it is")
	defer client.Close()
	if p.flags.Text("cmd_type").V == "gr" {
		task, err := p.task()
		if err != nil {
			return err
		}
		response, err := client.GetReplicas(serverType, task)
		if err != nil {
			return err
		}
		p.print(clients.PrintedReplicas(response))
		p.result = addressList(response.GetAddressList().GetAddress())
		return nil
	}
	response, err := client.HeartBeat(serverType)
	if err != nil {
		return err
	}
	p.print(clients.PrintedAddresses(response))
	p.result = addressesByName(response)
	return nil
}

// task returns --task as an int32, the type of the message's field.
func (p *process) task() (int32, error) {
	value, _ := p.flags.Value("task")
	task := p.flags.Int("task")
	if int(int32(task)) != task {
		return 0, pysem.Raise("ValueError", "Value out of range: %s", pysem.Str(value))
	}
	return int32(task), nil
}
