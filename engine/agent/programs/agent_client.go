package programs

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/resources"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyre"
	"github.com/monosim/monosim/engine/quirks"
)

// agentQuestion is a running command of agent_client, such as hb or load.
type agentQuestion struct {
	*process
	conf   *agentconfig.AgentConfig
	target string
	// model is the configuration's base_name. The flag --model_name is used only if that is not set
	// (Q63).
	model      pysem.OptString
	serverType agentservice.ServerType
}

// agentClient is agent_client.py: it asks the agent of this host where models are served, shows
// znodes, and requests models.
//
// Cost: a command grows with the znodes below its path: addr and get read these znodes one after
// another, and clean deletes each of them. A command makes one connection.
func (p *process) agentClient() error {
	conf, err := p.conf()
	if err != nil {
		return err
	}
	port := conf.AgentPort.String()
	if given, _ := p.flags.Value("port"); given != 0 {
		port = pysem.Str(given)
	}
	host, err := clients.OwnAddress(p.Env, p.options.Quirks)
	if err != nil {
		return err
	}
	q := &agentQuestion{process: p, conf: conf, target: host + ":" + port, model: conf.BaseName, serverType: agentservice.ServerType_ENTRY}
	if q.model.V == "" {
		q.model = p.flags.Text("model_name")
	}
	switch p.flags.Text("server_type").V {
	case "ps":
		q.serverType = agentservice.ServerType_PS
	case "dense":
		q.serverType = agentservice.ServerType_DENSE
	}
	return q.answer()
}

// answer runs the command. Three of the words that --cmd_type accepts do nothing (Q64).
func (q *agentQuestion) answer() error {
	command, args := q.flags.Text("cmd_type").V, q.flags.Text("args").V
	switch {
	case command == "hb":
		return q.heartBeat()
	case command == "gr":
		return q.replicas()
	case command == "addr", command == "get" && args == "addr":
		return q.addresses()
	case command == "get" && args == "info":
		return q.info()
	case command == "get":
		return q.znodes(args)
	case command == "load":
		return q.load()
	case command == "unload":
		return q.unload()
	case command == "clean":
		return q.clean(args)
	}
	return nil
}

func (q *agentQuestion) call(method string, request, response proto.Message) error {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return err
	}
	q.trying("the agent at "+q.target, "is one running there? --port, and MY_HOST_IP in the environment, say where it is")
	channel := q.Network.Dial(q.target)
	defer channel.Close()
	if data, err = channel.Call(method, data, 0); err != nil {
		return err
	}
	return proto.Unmarshal(data, response)
}

// heartBeat prints the addresses of all tasks of a server type, sorted by name. The length of an
// empty list is printed as 1 (Q62).
func (q *agentQuestion) heartBeat() error {
	response := &agentservice.HeartBeatResponse{}
	if err := q.call(service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: q.serverType}, response); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(response.GetAddresses())) {
		text, err := textpb.Marshal(response.GetAddresses()[name])
		if err != nil {
			return err
		}
		lines := strings.Split(pysem.Strip(text), "\n")
		q.print(name + "  -> (" + pysem.Str(len(lines)) + ") \n\t" + strings.Join(lines, "\n\t"))
	}
	q.result = addressesByName(response)
	return nil
}

// replicas prints the addresses of one task.
func (q *agentQuestion) replicas() error {
	if !q.model.Set {
		return q.assertion("--model_name, or a base_name in the conf")
	}
	task, err := q.task()
	if err != nil {
		return err
	}
	request := &agentservice.GetReplicasRequest{ServerType: q.serverType, Task: task, ModelName: q.model.V}
	response := &agentservice.GetReplicasResponse{}
	if err := q.call(service.MethodGetReplicas, request, response); err != nil {
		return err
	}
	addresses := addressList(response.GetAddressList().GetAddress())
	q.print(q.serverType.String(), int(task), " => ", addresses)
	q.result = addresses
	return nil
}

// path returns a path below the configuration's bzid.
func (q *agentQuestion) path(parts ...string) string {
	return "/" + pysem.Str(q.conf.Bzid.Any()) + "/" + strings.Join(parts, "/")
}

func (q *agentQuestion) connect() (env.ZooKeeper, error) {
	return q.process.connect(q.conf.ZKServers.V)
}

// taskName matches the name of a task's znode. A cluster with a name of this form, such as lf:1, is
// mistaken for a task (Q66).
const taskName = `^(\w+):(\d+)$`

// addresses prints the replicas of a model, sorted.
func (q *agentQuestion) addresses() error {
	if !q.model.Set {
		return q.assertion("--model_name, or a base_name in the conf")
	}
	zk, err := q.connect()
	if err != nil {
		return err
	}
	root := q.path("service", q.model.V)
	servers, err := tasksOf(zk, root)
	if errors.Is(err, zkerrors.ErrNoNode) {
		q.print(q.model.V + " has not load !")
		q.result = []any{}
		zk.Stop()
		return nil
	}
	if err != nil {
		return err
	}
	lines, found := []string{}, map[string]any{}
	for _, server := range servers {
		replicas, err := zk.Children(root + "/" + server)
		if err != nil {
			return err
		}
		for _, replica := range replicas {
			line, value, err := q.replica(zk, root+"/"+server+"/"+replica)
			if err != nil {
				return err
			}
			lines = append(lines, line)
			found[line] = value
		}
	}
	slices.Sort(lines)
	q.print(strings.Join(lines, "\n"))
	list := lists.Map(lines, func(line string) any { return found[line] })
	q.result = list
	zk.Stop()
	return nil
}

// tasksOf returns the paths of all tasks below a model's znode. If tasks are grouped by cluster,
// the paths include the cluster.
func tasksOf(zk env.ZooKeeper, root string) ([]string, error) {
	names, err := zk.Children(root)
	if err != nil {
		return nil, err
	}
	var tasks []string
	for _, name := range names {
		m, err := pyre.MatchText(taskName, name)
		if err != nil {
			return nil, err
		}
		if m != nil {
			tasks = append(tasks, name)
			continue
		}
		below, err := zk.Children(root + "/" + name)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, lists.Map(below, func(task string) string { return name + "/" + task })...)
	}
	return tasks, nil
}

// load requests that a model be loaded, even if that is already requested.
func (q *agentQuestion) load() error {
	if !q.model.Set {
		return q.assertion("--model_name, or a base_name in the conf")
	}
	zk, err := q.connect()
	if err != nil {
		return err
	}
	meta, err := q.modelMeta(q.model)
	if err != nil {
		return err
	}
	path, value := q.path("portal", q.model.V), meta.Serialize()
	if _, err := zk.Create(path, value, env.CreateOptions{MakePath: true}); err != nil {
		q.Log.Logf(env.Info, "%s", pylog.Text(err))
		if err := zk.Set(path, value, -1); err != nil {
			return err
		}
	}
	q.result = pysem.DictOf("path", path)
	zk.Stop()
	return nil
}

// unload withdraws the request for a model. Without such a request it only logs that. If no model
// name is given, it withdraws the request for a model named None, unless Q318 is repaired.
func (q *agentQuestion) unload() error {
	if !q.model.Set && !q.keeps(quirks.Q318) {
		return q.assertion("--model_name, or a base_name in the conf")
	}
	zk, err := q.connect()
	if err != nil {
		return err
	}
	path := q.path("portal", pysem.Str(q.model.Any()))
	q.result = pysem.DictOf("path", path)
	if err := zk.Delete(path, env.AnyVersion); err != nil {
		q.Log.Logf(env.Info, "%s", pylog.Text(err))
		q.result = pysem.DictOf("path", nil)
	}
	zk.Stop()
	return nil
}

// clean deletes the children of the path that args selects: "portal", "pub", "addr" or "res". For
// the last two it also deletes everything below them. A missing path is a NoNodeError.
// The deletion also ends the watches of mirrors (Q65).
func (q *agentQuestion) clean(args string) error {
	zk, err := q.connect()
	if err != nil {
		return err
	}
	place, ok := map[string]string{"portal": "portal", "pub": "publish", "addr": "service", "res": "resource"}[args]
	if !ok {
		return pysem.Raise("RuntimeError", "%s is not support!", args)
	}
	names, err := zk.Children(q.path(place))
	if err != nil {
		return err
	}
	o := env.AnyVersion
	o.Recursive = args == "addr" || args == "res"
	deleted := []any{}
	for _, name := range names {
		path := q.path(place, name)
		if err := zk.Delete(path, o); err != nil {
			return err
		}
		deleted = append(deleted, path)
	}
	q.result = pysem.DictOf("deleted", deleted)
	zk.Stop()
	return nil
}

// info prints the sizes of the sub-models in an exported model.
func (q *agentQuestion) info() error {
	dir := q.flags.Text("model_dir")
	if !dir.Set {
		return pysem.AttributeError(nil, "startswith") // utils.py replaces os.path.isabs (Q170)
	}
	models, err := resources.CalModelInfo(q.Env, dir.V, q.flags.Text("ckpt"), pysem.OptString{})
	if err != nil {
		return err
	}
	printed, list := &pysem.Dict{}, []any{}
	for _, m := range models {
		printed.Set(m.Name, pysem.Tuple{int(m.SizeBytes), m.VersionPath})
		list = append(list, pysem.DictOf("name", m.Name, "size_bytes", int(m.SizeBytes), "path", m.VersionPath))
	}
	q.print(printed)
	q.result = list
	return nil
}

// znodes prints the znodes below the path that args selects, sorted by name. Its path for locks is
// not the one that a mirror uses for locks (Q61).
func (q *agentQuestion) znodes(args string) error {
	place := map[string]string{"res": "resource", "pub": "publish", "portal": "portal", "lock": "lock", "elect": "election"}[args]
	if place == "lock" && !q.keeps(quirks.Q61) {
		place = "locks"
	}
	zk, err := q.connect()
	if err != nil {
		return err
	}
	names, err := zk.Children(q.path(place))
	if errors.Is(err, zkerrors.ErrNoNode) {
		q.print("no " + args + " found !")
		q.result = &pysem.Dict{}
		zk.Stop()
		return nil
	}
	if err != nil {
		return err
	}
	found := &pysem.Dict{}
	for _, name := range names {
		data, _, err := zk.Get(q.path(place, name))
		if err != nil {
			return err
		}
		found.Set(name, orEmpty(data))
	}
	slices.SortFunc(found.Items, func(a, b pysem.Item) int { return strings.Compare(a.Key, b.Key) })
	for _, item := range found.Items {
		q.print(item.Key, item.Value)
	}
	if len(found.Items) == 0 {
		q.print(found)
	}
	q.result = readable(found)
	zk.Stop()
	return nil
}

func orEmpty(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
