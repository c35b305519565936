package agent

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/pysem"
)

// toolOps are the operations of the model manager, the control command, the
// clients and the resource probes.
var toolOps = map[string]func(*caseRunner) (any, error){
	"utils.gen_status_proto":                    (*caseRunner).statusProto,
	"utils.gen_model_version_status":            (*caseRunner).versionStatus,
	"utils.make_tensor_proto":                   (*caseRunner).tensor,
	"utils.InstanceFormater.from_json":          func(r *caseRunner) (any, error) { return r.instance(InstanceFromJSON, false) },
	"utils.InstanceFormater.from_pb_text":       func(r *caseRunner) (any, error) { return r.instance(InstanceFromText, true) },
	"utils.InstanceFormater.from_dump":          func(r *caseRunner) (any, error) { return r.instance(InstanceFromDump, false) },
	"utils.InstanceFormater.to_pb":              (*caseRunner).toPB,
	"utils.InstanceFormater.to_json":            (*caseRunner).toJSON,
	"utils.InstanceFormater.to_pb_text":         (*caseRunner).toText,
	"model_manager.ModelManager.sequence":       (*caseRunner).modelManager,
	"agent_controller.find_model_name":          (*caseRunner).findModelName,
	"agent_controller.declare_saved_model":      (*caseRunner).declareSavedModel,
	"agent_controller.map_model_to_layout":      (*caseRunner).mapModelToLayout,
	"tfs_client.read_header":                    (*caseRunner).readHeader,
	"tfs_client.read_data":                      (*caseRunner).readData,
	"tfs_client.get_example_batch_to_instance":  (*caseRunner).batchToInstance,
	"tfs_client.get_example_batch_proto":        (*caseRunner).batchProto,
	"tfs_client.get_instance_proto":             (*caseRunner).instanceProto,
	"tfs_client.generate_random_instance.shape": (*caseRunner).randomInstance,
	"resource_utils.cal_model_info_v2":          (*caseRunner).modelInfo,
	"resource_utils.memory":                     (*caseRunner).memory,
	"resource_utils.exists":                     func(r *caseRunner) (any, error) { return FileExists(r.env, r.str("dirname")), nil },
}

func (r *caseRunner) number(name string, fallback int) int {
	if n, ok := r.value(name).(int); ok {
		return n
	}
	return fallback
}

func (r *caseRunner) list(name string) []any {
	list, _ := r.value(name).([]any)
	return list
}

func (r *caseRunner) statusProto() (any, error) {
	return r.encode(GenStatusProto(env.Code(r.number("error_code", 0)), r.optString("error_message"))), nil
}

func (r *caseRunner) versionStatus() (any, error) {
	return r.encode(GenModelVersionStatus(int64(r.number("version", 0)), env.ModelState(r.number("state", 0)),
		env.Code(r.number("error_code", 0)), r.optString("error_message"))), nil
}

func (r *caseRunner) tensor() (any, error) {
	instances, ok := typedList[[]byte](r.value("instances"))
	if !ok {
		return nil, pysem.Raise("TypeError", "an instance is not bytes")
	}
	return r.encode(MakeTensorProto(instances)), nil
}

func (r *caseRunner) instance(read func(*env.Env, string) (*InstanceFormater, error), text bool) (any, error) {
	f, err := read(r.env, r.str("fname"))
	if err != nil {
		return nil, err
	}
	out := object("instance", r.encode(f.Instance), "tensor", r.encode(f.TensorProto(r.number("batch_size", 0))))
	if text {
		out.Set("str", f.String())
	}
	return out, nil
}

func (r *caseRunner) formater() *InstanceFormater {
	data, err := hex.DecodeString(item(r.value("instance").(*pysem.Dict), "hex").(string))
	if err != nil {
		r.t.Fatal(err)
	}
	f := &InstanceFormater{Instance: &matrix.Instance{}}
	if err := proto.Unmarshal(data, f.Instance); err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (r *caseRunner) written(path string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return object("path", r.encode(path), "content", r.encode(r.files.content[r.files.abs(path)])), nil
}

func (r *caseRunner) toPB() (any, error) {
	return r.written(r.formater().ToPB(r.env, r.optString("fname")))
}

func (r *caseRunner) toJSON() (any, error) {
	return r.written(r.formater().ToJSON(r.env, r.optString("fname"), Python))
}

func (r *caseRunner) toText() (any, error) {
	return r.written(r.formater().ToText(r.env, r.optString("fname"), Python))
}

func (r *caseRunner) modelManager() (any, error) {
	tasks := r.surround()
	m := NewModelManager(r.env, ModelManagerOptions{
		ModelName: r.optString("model_name"), SourcePath: r.optString("source_path"), ReceivePath: r.optString("receive_path"),
	})
	steps := []any{}
	for _, step := range r.list("steps") {
		steps = append(steps, r.managerStep(m, tasks, step))
	}
	return object("steps", steps), nil
}

func (r *caseRunner) managerStep(m *ModelManager, tasks *caseTasks, step any) any {
	tasks.slept, tasks.onSleep = nil, nil
	out := r.untilEndless(func() any { return r.managerCall(m, tasks, step) })
	if item(out, "endless") != nil {
		tasks.slept = tasks.slept[:3]
	}
	if len(tasks.slept) > 0 {
		out.Set("slept", tasks.slept)
	}
	models, latest := []any{}, []any{}
	for _, v := range m.Models() {
		versions := []any{}
		for _, c := range v.Versions {
			versions = append(versions, []any{c.Version, anyList(c.Paths)})
		}
		models = append(models, []any{v.Model, versions})
		l, _ := m.Latest(v.Model)
		latest = append(latest, []any{v.Model, []any{l.Version, int(l.TimeUnixS)}})
	}
	out.Set("models", r.encode(models))
	out.Set("latest", r.encode(latest))
	out.Set("lock_files", r.encode(m.LockFiles()))
	out.Set("thread", nil)
	if m.Thread() != nil {
		out.Set("thread", m.Thread().Name())
	}
	out.Set("tree", r.tree())
	return out
}

// untilEndless is an attempt that ends when the call sleeps for ever.
func (r *caseRunner) untilEndless(call func() any) (out *pysem.Dict) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, errEndless) {
				panic(p)
			}
			out = object("r", nil, "endless", true)
		}
	}()
	return call().(*pysem.Dict)
}

func (r *caseRunner) managerCall(m *ModelManager, tasks *caseTasks, step any) any {
	name, args := step, []any(nil)
	if list, ok := step.([]any); ok {
		name, args = list[0], list[1:]
	}
	switch name {
	case "loop":
		ok, err := m.LoopOnce()
		return r.attempt(ok, err)
	case "add":
		r.putFiles(args[0].(*pysem.Dict))
	case "timeout":
		m.SetWaitTimeout(args[0].(int))
	case "start":
		return r.attempt(m.Start(), nil)
	case "start-then":
		tasks.onSleep = func(n int) {
			if n == args[0].(int) {
				r.putFiles(args[1].(*pysem.Dict))
			}
		}
		return r.attempt(m.Start(), nil)
	case "run":
		tasks.onSleep = func(n int) {
			if n == args[0].(int) {
				m.End()
			}
		}
		return r.attempt(nil, m.Run())
	case "remove_read_lock":
		return r.attempt(nil, m.RemoveReadLock())
	case "remove_old_file":
		m.RemoveOldFile()
	case "wait_for_download":
		ok, err := m.WaitForDownload()
		return r.attempt(ok, err)
	case "delete":
		return r.attempt(m.Delete(pysem.Some(caseDir+"/"+args[0].(string))), nil)
	default:
		r.t.Fatalf("unknown step %v", name)
	}
	return r.attempt(nil, nil)
}

// tree is everything below the case's directory.
func (r *caseRunner) tree() any {
	tree := &pysem.Dict{}
	names := []string{}
	for name := range r.files.content {
		if strings.HasPrefix(name, caseDir+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		data := r.files.content[name]
		name = strings.TrimPrefix(name, caseDir+"/")
		switch {
		case data == nil:
			tree.Set(name+"/", nil)
		case utf8.Valid(data):
			tree.Set(name, string(data))
		default:
			tree.Set(name, object("$hex", hex.EncodeToString(data)))
		}
	}
	return tree
}

// backend is a backend on a fake client, and the client.
func (r *caseRunner) backend() (*ZKBackend, *caseZooKeeper) {
	r.surround()
	zk := newCaseZooKeeper()
	return NewZKBackend(r.env, "gip", zk), zk
}

func (r *caseRunner) findModelName() (any, error) {
	name, err := Controller{Env: r.env}.FindModelName(r.str("exported_models_path"))
	return r.encode(name), err
}

func (r *caseRunner) declare(bd *ZKBackend, model any, base, policy string) {
	pair := model.([]any)
	deploy := SavedModelDeployConfig{ModelBasePath: pysem.Some(base), VersionPolicy: pysem.Some(policy)}
	if err := bd.DeclSavedModel(SavedModel{ModelName: pair[0].(string), SubGraph: pair[1].(string)}, &deploy); err != nil {
		r.t.Fatal(err)
	}
}

// writesOf is the log with paths of the case's directory replaced and
// consecutive deletes sorted by path.
func (r *caseRunner) writesOf(zk *caseZooKeeper) any {
	deleted := func(w any) string {
		path, _ := item(w.([]any)[1].(*pysem.Dict), "path").(string)
		return path
	}
	for i := 0; i < len(zk.writes); i++ {
		end := i
		for end < len(zk.writes) && zk.writes[end].([]any)[0] == "delete" {
			end++
		}
		slices.SortFunc(zk.writes[i:end], func(a, b any) int { return strings.Compare(deleted(a), deleted(b)) })
		i = max(i, end)
	}
	for _, w := range zk.writes {
		if data, ok := item(w.([]any)[1].(*pysem.Dict), "value").([]byte); ok {
			w.([]any)[1].(*pysem.Dict).Set("value", []byte(strings.ReplaceAll(string(data), caseDir, "<TMP>")))
		}
	}
	return r.encode(append([]any{}, zk.writes...))
}

func (r *caseRunner) declareSavedModel() (any, error) {
	bd, zk := r.backend()
	for _, model := range r.list("declared_before") {
		r.declare(bd, model, "/old", "all")
	}
	zk.writes = nil
	d := Declaration{ExportBase: r.str("export_base"), ModelName: r.str("model_name"), Arch: "entry_ps"}
	d.Overwrite = pysem.Truth(r.value("overwrite"))
	if arch, ok := r.value("arch").(string); ok {
		d.Arch = arch
	}
	name, err := Controller{Env: r.env, Backend: bd}.DeclareSavedModel(d)
	out := object("result", r.attempt(name, err), "writes", r.writesOf(zk))
	models, err := bd.ListSavedModels("ctr")
	texts := []any{}
	for _, m := range models {
		texts = append(texts, m.String())
	}
	out.Set("saved_models", r.attempt(texts, err))
	return out, nil
}

func (r *caseRunner) mapModelToLayout() (any, error) {
	bd, zk := r.backend()
	for _, model := range r.list("declared") {
		r.declare(bd, model, "/e/"+model.([]any)[1].(string), "latest")
	}
	for _, subGraph := range r.list("published") {
		if err := bd.AddToLayout(r.str("layout_path"), SavedModel{ModelName: "ctr", SubGraph: subGraph.(string)}); err != nil {
			r.t.Fatal(err)
		}
	}
	zk.writes = nil
	err := Controller{Env: r.env, Backend: bd}.MapModelToLayout(r.str("model_pattern"), r.str("layout_path"), r.str("action"))
	out := object("result", r.attempt(nil, err), "writes", r.writesOf(zk))
	text, err := bd.BzidInfoText()
	out.Set("bzid_info", r.encode(text+"\n"))
	return out, err
}

func (r *caseRunner) client() TFSClient {
	r.surround()
	flags := r.list("flags")
	has := func(name string) bool { return slices.Contains(flags, any(name)) }
	return TFSClient{Env: r.env, Framing: StreamFraming{
		LagrangexHeader: has("lagrangex_header"), HasSortID: has("has_sort_id"),
		KafkaDump: has("kafka_dump"), KafkaDumpPrefix: has("kafka_dump_prefix"),
	}}
}

func (r *caseRunner) readHeader() (any, error) {
	s := NewDataStream(r.value("stream").([]byte))
	err := s.ReadHeader(r.client().Framing)
	return object("result", r.attempt(nil, err), "consumed", s.Consumed()), nil
}

func (r *caseRunner) readData() (any, error) {
	s := NewDataStream(r.value("stream").([]byte))
	data, err := s.ReadData(r.client().Framing)
	return object("result", r.attempt(data, err), "consumed", s.Consumed()), nil
}

func (r *caseRunner) batchToInstance() (any, error) {
	m, err := r.client().ExampleBatchToInstance(r.str("input_file"), r.str("file_type"))
	return r.message(m, err)
}

func (r *caseRunner) batchProto() (any, error) {
	m, err := r.client().ExampleBatchProto(r.str("input_file"), r.str("file_type"))
	return r.message(m, err)
}

func (r *caseRunner) instanceProto() (any, error) {
	m, err := r.client().InstanceProto(r.optString("input_file"), r.number("batch_size", 0))
	return r.message(m, err)
}

func (r *caseRunner) randomInstance() (any, error) {
	slots, _ := typedList[int](r.value("slots"))
	sizes, _ := typedList[int](r.value("vocab_sizes"))
	data, err := r.client().RandomInstance(slots, sizes)
	if err != nil {
		return nil, err
	}
	instance := &matrix.Instance{}
	if err := proto.Unmarshal(data, instance); err != nil {
		return nil, err
	}
	list := []any{}
	for _, fid := range instance.GetFid() {
		list = append(list, int(fid>>slotShiftV1))
	}
	return object("slots_of_fids", list), nil
}

func (r *caseRunner) modelInfo() (any, error) {
	version := r.optString("version")
	if n, ok := r.value("version").(int); ok {
		version = pysem.Some(pysem.Str(n))
	}
	infos, err := CalModelInfo(r.env, r.str("exported_models_path"), r.optString("ckpt"), version)
	list := []any{}
	for _, m := range infos {
		list = append(list, []any{m.Name, int(m.SizeBytes), m.VersionPath})
	}
	return r.encode(list), err
}

func (r *caseRunner) memory() (any, error) {
	r.files.content["/proc/meminfo"] = meminfoFile(r.host.memAvailable)
	total, err := TotalMemory(r.env)
	if err != nil {
		return nil, err
	}
	available, err := AvailableMemory(r.env)
	return object("total", int(total), "available", int(available)), err
}
