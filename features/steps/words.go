package steps

import "github.com/monosim/monosim/features/steps/drawn"

// The parts of words.
const (
	podName      = `[\w-]*shard\d+-replica\d+`
	podList      = podName + `(?:(?:, | and )` + podName + `)*`
	idcName      = `[\w-]+`
	placeName    = `(?:` + podName + `|ZooKeeper|idc ` + idcName + `|ps\d+)`
	serverOfPod  = `the (?:model|ps|entry|dense) server of ` + podName
	durationText = `(?:\d+(?:\.\d+)?(?:ms|h|m|s))+`
	plainName    = `[\w.-]+`
	absent       = `(?:` + notExported + `)?`
)

// word describes one kind of placeholder in sentences.
type word struct {
	// pattern is a regular expression with one group. The text of the group becomes the argument of
	// the sentence's function.
	pattern string
	// accepts describes, for people, which texts the placeholder accepts.
	accepts string
	// examples lists texts that the placeholder accepts. A sentence with the placeholder twice uses
	// the first two.
	examples []string
	// drawn draws random texts for stories, and lists plainer ones to shrink to.
	drawn drawn.Word
}

var words = map[string]word{
	"n":        {`(\d+)`, "a whole number", []string{"2", "1"}, drawn.Number},
	"status":   {`([2-5]\d\d)`, "a status of HTTP, from 200 to 599", []string{"500"}, drawn.Status},
	"code":     {`(-?\d+)`, "an exit code, negative for a signal", []string{"-9"}, drawn.None},
	"duration": {`(` + durationText + `)`, "a time in ms, s, m and h without blanks, as 250ms, 90s, 1h30m", []string{"90s", "10m"}, drawn.Duration},
	"text":     {`"([^"]*)"`, "any text in double quotes", []string{`"a text"`}, drawn.None},
	"path":     {`(/\S*)`, "a path that begins with /", []string{"/gip/binding/ctr"}, drawn.Path},
	"name":     {`(` + plainName + `)`, "a name of letters, digits, _, . and -", []string{"ctr"}, drawn.None},
	"layout":   {`([\w./-]+)(?:` + notWatched + `)?`, "the name of a layout, or its path; then \"that no agent watches\" for one that nobody looks at", []string{"main"}, drawn.Layout},
	"names":    {`(` + plainName + `(?:(?:, | and )` + plainName + `)*)`, "names, joined by commas or and", []string{"entry, ps_0"}, drawn.None},
	"servable": {`([\w.:-]+)` + absent, "a model of a model server, as ctr:entry; then \"that nobody has exported\" where it or the version does not exist", []string{"ctr:entry"}, drawn.None},
	"model":    {`([\w.-]+:[\w.-]+)` + absent, "a sub-graph of a model, as ctr:entry; then \"that nobody has exported\" where it or the version does not exist", []string{"ctr:entry"}, drawn.Model},
	"models":   {`([\w.-]+:[\w.-]+` + absent + `(?:(?:, | and )[\w.-]+:[\w.-]+` + absent + `)*)`, "sub-graphs of models, joined by commas or and; then \"that nobody has exported\" where they do not exist", []string{"ctr:entry"}, drawn.Models},
	"size":     {`(\d+ (?:bytes|kB|MB|GB|KiB|MiB|GiB))`, "a whole number, a blank, and bytes, kB, MB or GB, or KiB, MiB or GiB", []string{"30 MB", "1 GB"}, drawn.Size},
	"pod":      {`(` + podName + `)`, "a pod, as shard0-replica1", []string{"shard0-replica0"}, drawn.Pod},
	"pods":     {`(every pod|no pod|` + podList + `)`, "every pod, no pod, or pods joined by commas or and", []string{"every pod"}, drawn.None},
	"agents":   {`(every agent|the agents? of ` + podList + `)`, "every agent, or the agent of shard0-replica0", []string{"every agent"}, drawn.None},
	"server":   {`(` + serverOfPod + `|` + bareServerName + `)`, "the model, ps, entry or dense server of a pod, or the model server", []string{"the ps server of shard0-replica0"}, drawn.Server},
	"servers": {`(every model server|` + serverOfPod + `|` + bareServerName + `)`,
		"every model server, the model, ps, entry or dense server of a pod, or the model server", []string{"the ps server of shard0-replica0"}, drawn.None},
	"call": {`(the (?:(?:first|second|third|fourth|fifth) )?(?:` + reloadCall + `|` + predictCall + `|` + statusCall + `))`,
		"the reload, the Predict or the status request; of several the second one, as the second Predict", []string{"the reload"}, drawn.None},
	"version": {`(-?\d+)`, "the number of a version", []string{"1"}, drawn.None},
	"task":    {`(\d+)` + absent, "the number of a PS, entry or dense server; then \"that nobody has exported\" for one that does not exist", []string{"0"}, drawn.None},
	"kind":    {`(ps|entry|dense)`, "ps, entry or dense", []string{"ps"}, drawn.None},
	"places":  {`(` + placeName + `(?:(?:, | and )` + placeName + `)*)`, "pods, ZooKeeper, idc NAME and, cut off from pods, PS of a training job as ps0, joined by commas or and", []string{"shard0-replica0", "ZooKeeper"}, drawn.Places},
	"state":   {`(START|LOADING|AVAILABLE|UNLOADING|END|UNKNOWN)`, "START, LOADING, AVAILABLE, UNLOADING, END or UNKNOWN", []string{"AVAILABLE"}, drawn.None},
	"error":   {`([A-Z_]+)`, "a gRPC status, as NOT_FOUND", []string{"NOT_FOUND"}, drawn.None},
	"trainer": {`(` + trainerName + `)`, "a process of the training job: chief, worker1 or ps0 and so on, or evaluator", []string{"worker1"}, drawn.Trainer},
	"method":  {`(StopTraining|ResumeTraining|GetBlockStatus|SaveCheckpoint|GetTrainingStatus)`, "a method of the training job's controller, as SaveCheckpoint", []string{"SaveCheckpoint"}, drawn.Method},
	"quirks":  {`(Q\d+(?:(?:, | and )Q\d+)*)`, "ids of quirks, joined by commas or and; see monosim quirks", []string{"Q153"}, drawn.None},
	"case":    {`([\w.]+/[\w-]+)`, "the id of a recorded case; see monosim vectors list", []string{"utils.isabs/hdfs"}, drawn.None},
	"json":    {`(null|true|false|-?\d+|".*"|\[.*\]|\{.*\})`, "a JSON value", []string{`"a text"`}, drawn.None},
	"site":    {`([\w.-]+/[^"#]+#\d+)`, "a choice of a run: the node, a slash, the site, # and how many choices were made there before", []string{"shard0-replica0/pace.server#1"}, drawn.None},
	"raised":  {`([A-Z]\w+)`, "a Python exception", []string{"KeyError"}, drawn.None},
}

// sentences is the vocabulary without the sentences about faults, which depend on the runner.
// {word} is a placeholder of the table above, and (text) is optional. faults(topic) marks where the
// sentences about a topic belong.
var sentences = []*Sentence{
	// Shapes describe the cluster before it is built.
	shape("a v{n} cluster of {n} shard(s) with {n} replica(s)( each)", (*World).clusterOf),
	shape("replicas in {text}", (*World).replicasIn),
	shape("the agent setting {text} is {text}", (*World).setSetting),
	shape("the agent setting {text} is also {text}", (*World).addSetting),
	shape("the agents have no setting {text}", (*World).removeSetting),
	shape("the environment variable {text} is {text}", (*World).setVariable),
	shape("the agents keep the quirks {text}", (*World).keepQuirks),
	shape("the agents keep all quirks but {quirks}", (*World).repairQuirks),
	shape("the ZooKeeper profile is {text}", (*World).zooKeeperProfile),
	shape("the model server profile is {text}", (*World).modelServerProfile),
	shape("the agents run on Python {text}", (*World).pythonVersion),
	shape("what agents have started outlives them", (*World).outlive),
	shape("nothing is left to chance", (*World).leaveNothingToChance),
	shape("the choice {site} is {n}", (*World).choose),
	shape("pods that end start again after {duration}", (*World).restartAfter),
	shape("a model server", (*World).bareServer),
	shape("a model server with the flags {text}", (*World).bareServerWith),
	shape("model servers may use {size} of memory", (*World).serverMemory),
	shape("model servers keep {n}% of the memory of unloaded models", (*World).retainedMemory),
	shape("a Predict takes {duration}", (*World).predictTime),
	shape("the model default is not exported", (*World).noDefaultModel),
	shape("the fake model server keeps its faults", (*World).fakeFaults),
	shape("the thread of the fake model server runs within calls", (*World).fakeSwitches),
	declares(shape("model {name} with sub-graphs {names} of {size} in version {n}", (*World).exportedModel)),

	// A training job runs next to the agents, or alone.
	shape("a training job with {n} worker(s) and {n} PS", (*World).trainingJob),
	shape("the job setting {name} is {text}", (*World).jobSetting),

	// The cluster and its time.
	ofAgents(Action("the cluster starts", (*World).start)),
	takesTime("as long as it says", Action("{duration} pass(es)", (*World).pass)),

	// Models: what is exported, declared and published.
	exports(Action("version {n} of {model} is exported", (*World).export)),
	declares(exports(Action("version {n} of {model} is exported with {size}", (*World).exportSized))),
	Action("version {n} of {model} is deleted", (*World).deleteVersion),
	exports(Action("version {n} of {model} is received", (*World).receive)),
	exports(Action("version {n} of {model} is received in part", (*World).receiveInPart)),
	Action("the base path of {model} is deleted", (*World).deleteBasePath),
	faults("version"),
	Action("{models} is/are declared", (*World).declare),
	declared(Action("{models} is/are declared with policy {text}", (*World).declareWith)),
	Action("{models} is/are published to layout {layout}", (*World).publish),
	Action("{models} is/are unpublished from layout {layout}", (*World).unpublish),
	Action("model {name} is declared and published to layout {layout}", (*World).rollOut),

	// The store of models: outages, and versions that are still being copied.
	faults("store"),

	// Pods.
	faults("agent"),
	Action("{pod} is started again", (*World).startPod),
	faults("modelserver"),
	Assertion("{pods} run(s)", (*World).podsRun),
	Assertion("{pods} has/have ended", (*World).podsEnded),
	Assertion("{pod} has ended with exit code {code}", (*World).podEndedWith),
	Assertion("{pod} was started {n} time(s)", (*World).podStarted),
	Assertion("{pod} runs {n} model server(s)", (*World).runsModelServers),

	// ZooKeeper, sessions and znodes.
	faults("zookeeper"),
	Action("znode {path} is written with {text}", (*World).writeZnode),
	Action("znode {path} is deleted", (*World).deleteZnode),
	Assertion("znode {path} exists", (*World).znodeExists),
	Assertion("znode {path} does not exist", (*World).znodeMissing),
	Assertion("znode {path} is ephemeral", (*World).znodeEphemeral),
	Assertion("znode {path} holds {text}", (*World).znodeHolds),
	Assertion("znode {path} has {n} child(ren)", (*World).znodeChildren),
	Assertion("{model} is bound to {pods}", (*World).boundTo),
	Assertion("the binding of {model} to {pod} is older than that of {model}", (*World).boundEarlier),
	Assertion("{pods} has/have service info", (*World).haveServiceInfo),
	Assertion("{pods} has/have no service info", (*World).haveNoServiceInfo),
	Assertion("{pod} is registered for {model} as {state}", (*World).registeredAs),
	Assertion("{pod} is not registered for {model}", (*World).notRegistered),
	Assertion("the registration of {pod} for {model} was written {n} time(s) or more", (*World).writtenAtLeast),
	Assertion("the registration of {pod} for {model} was written {n} time(s) or less", (*World).writtenAtMost),

	// Invariants say what must hold at any time, and what must hold once nothing disturbs the
	// cluster.
	watched(Assertion("no registration outlives its server", (*World).noGhost)),
	watched(Assertion("every registration is of its own pod", (*World).ownRegistrations)),
	watched(Assertion("every entry has started after its PS", (*World).entriesLast)),
	watched(Assertion("no agent locks what it cannot copy", (*World).noLock)),
	watched(Assertion("every registration has an address", (*World).addresses)),
	watched(Assertion("every agent has followed what is registered", (*World).noneLate)),
	watched(Assertion("every registration was of what is served", (*World).noneEarly)),
	watched(Assertion("every server has served while it loaded", (*World).noGap)),
	watched(Assertion("ZooKeeper has kept its promises", (*World).historyKept)),
	watched(Assertion("the cluster is whole", (*World).isWhole)),
	watched(lasts(Assertion("the cluster is quiet", (*World).isQuiet))),
	watched(Assertion("the invariant {name} is broken", (*World).isBroken)),

	// Network.
	faults("network"),

	// Model servers.
	Assertion("{servers} has version {version} of {servable} {state}", (*World).hasVersion),
	Assertion("{servers} has {n} version(s) of {servable}", (*World).hasVersions),
	Assertion("{servers} has no version of {servable}", (*World).hasNoVersion),
	Assertion("{servers} reports {error} {text} for version {version} of {servable}", (*World).reportsError),
	Assertion("the model config of {pod} lists {models}", (*World).configLists),
	Assertion("the model config of {pod} is empty", (*World).configEmpty),

	// A model server without an agent, and its model config file.
	ofBareServer(Action("the model server starts", (*World).startBareServer)),
	ofBareServer(Action("the model config file {path} lists {models}", (*World).configFileLists)),
	ofBareServer(Action("the model config file {path} lists no model", (*World).configFileListsNothing)),
	ofBareServer(Action("the model config file {path} is empty", (*World).configFileEmpty)),
	ofBareServer(Assertion("the model server has ended with exit code {code}", (*World).bareServerEndedWith)),
	ofBareServer(Assertion("the model server printed {text}", (*World).bareServerPrinted)),
	ofBareServer(Assertion("the model server did not print {text}", (*World).bareServerDidNotPrint)),

	// These set the entries of models in later model configs.
	declares(Action("the config of {model} has the base path {path}", (*World).configBasePath)),
	Action("the config of {model} has the platform {text}", (*World).configPlatform),
	entry(Action("the config of {model} has the policy {text}", (*World).configPolicy)),
	Action("the config of {model} gives version {n} the label {text}", (*World).configLabel),
	Action("the config of {model} gives version {n} the label {text} before it is exported", (*World).configLabel),

	// Calls to model servers go on while time passes.
	Action("{server} is asked to reload to {models}", (*World).reload),
	Action("{server} is asked to reload to {models} with a deadline of {duration}", (*World).reloadBefore),
	Action("{server} is asked to reload to no model", (*World).reloadToNothing),
	Action("a Predict of {model} is sent to {server}", (*World).predict),
	Action("a Predict of {model} is sent to {server} with a deadline of {duration}", (*World).predictBefore),
	Action("the TFSMonitor of {server} is asked to reload to {models}", (*World).monitorReload),
	Action("the TFSMonitor of {server} is asked for the state of {model}", (*World).monitorStatus),
	Assertion("{call} is not answered", (*World).callUnanswered),
	Assertion("{call} is answered with OK", (*World).callOK),
	Assertion("{call} is answered by version {n}", (*World).callVersion),
	Assertion("{call} is answered with version {n} {state}", (*World).callState),
	Assertion("{call} fails with {error} {text}", (*World).callFails),

	// These check what clients of a model server get.
	Assertion("{server} serves", (*World).serves),
	Assertion("{server} refuses connections", (*World).refusesConnections),
	predictWaits("a Predict of {model} to {server} is answered by version {n}", (*World).predictVersion),
	predictWaits("a Predict of {model} to {server} fails with {error} {text}", (*World).predictFails),
	predictWaits("a Predict of {model} with label {text} to {server} is answered by version {n}", (*World).predictLabelVersion),
	predictWaits("a Predict of {model} with label {text} to {server} fails with {error} {text}", (*World).predictLabelFails),
	predictWaits("a Predict of {model} to {server} takes {duration} or more", (*World).predictAtLeast),
	predictWaits("a Predict of {model} to {server} takes {duration} or less", (*World).predictAtMost),
	Assertion("the memory of {server} is between {size} and {size}", (*World).memoryBetween),

	// The training job: its processes, and what operators do to it.
	ofTrainingJob(Action("the training starts", (*World).startTraining)),
	Action("{trainer} is started again", (*World).startTrainer),
	faults("trainer"),
	faults("consul"),
	Assertion("{trainer} is at work", (*World).trainerRuns),
	Assertion("{trainer} has ended with exit code {code}", (*World).trainerEnded),
	Assertion("{trainer} was started {n} time(s)", (*World).trainerStarted),
	Assertion("{trainer} has tried again {n} time(s)", (*World).retried),
	Assertion("discovery has {trainer} at its address", (*World).discoveryHas),
	Assertion("discovery has {trainer} at another address", (*World).discoveryHasOther),
	Assertion("discovery has an address of {trainer}", (*World).discoveryKnows),
	Assertion("discovery does not have {trainer}", (*World).discoveryLacks),
	ofTrainingJob(takesTime("until it is answered", Action("the operator calls {method}", (*World).operate))),
	ofTrainingJob(Action("the operator begins to call {method}", (*World).beginOperate)),
	ofTrainingJob(Action("the operator requests the action {text}", (*World).requestAction)),
	ofTrainingJob(Assertion("the operator's call is answered with {text}", (*World).operatedWith)),
	ofTrainingJob(Assertion("the operator's call is not answered", (*World).notOperated)),
	ofTrainingJob(Assertion("the operator's call fails with {error} {text}", (*World).operateFails)),
	ofTrainingJob(Assertion("the operator's call raises {raised}", (*World).operateRaises)),

	// These check the training job's steps, barriers, checkpoints and exports.
	ofTrainingJob(Assertion("the global step is {n} or more", (*World).stepAtLeast)),
	ofTrainingJob(Assertion("the global step is {n} or less", (*World).stepAtMost)),
	ofTrainingJob(Assertion("the barrier is placed", (*World).barrierPlaced)),
	ofTrainingJob(Assertion("no barrier is placed", (*World).noBarrier)),
	ofTrainingJob(Assertion("the workers at the barrier are {text}", (*World).workersBlocked)),
	Assertion("{trainer} has come to the barrier {text} {n} time(s)", (*World).cameToBarrier),
	Assertion("{trainer} was reported as not healthy {n} time(s)", (*World).reported),
	ofTrainingJob(Assertion("{n} checkpoint(s) was/were saved", (*World).savedTimes)),
	ofTrainingJob(Assertion("a checkpoint was restored {n} time(s)", (*World).restoredTimes)),
	ofTrainingJob(Assertion("the application was reported as {text} {n} time(s)", (*World).reportedAs)),
	ofTrainingJob(Assertion("the heartbeat of the training began to say {text} {n} time(s)", (*World).heartbeats)),
	ofTrainingJob(Assertion("checkpoint {n} was evaluated {n} time(s)", (*World).evaluatedTimes)),
	ofTrainingJob(Assertion("{n} evaluation(s) was/were made", (*World).evaluatedInAll)),
	ofTrainingJob(Assertion("{n} checkpoint(s) was/were gone before an evaluation", (*World).passedOver)),
	ofTrainingJob(Assertion("{n} checkpoint(s) is/are listed", (*World).checkpointsListed)),
	ofTrainingJob(Assertion("checkpoint {n} is listed", (*World).checkpointListed)),
	ofTrainingJob(Assertion("checkpoint {n} is not listed", (*World).checkpointNotListed)),
	ofTrainingJob(Assertion("checkpoint {n} is stored", (*World).checkpointStored)),
	ofTrainingJob(Assertion("checkpoint {n} is not stored", (*World).checkpointNotStored)),
	ofTrainingJob(Assertion("every checkpoint that is listed is stored", (*World).listedAreStored)),
	ofTrainingJob(Action("the stored file {path} is written with {text}", (*World).storeFile)),
	ofTrainingJob(Assertion("the stored file {path} has {text}", (*World).storedHolds)),
	ofTrainingJob(Assertion("the stored file {path} exists", (*World).isStored)),
	ofTrainingJob(Assertion("the stored file {path} does not exist", (*World).notStored)),
	ofTrainingJob(Assertion("{n} export(s) of {model} is/are stored", (*World).exportsStored)),
	ofTrainingJob(Assertion("{servers} serve(s) the newest export of {model}", (*World).servesNewest)),
	ofTrainingJob(Assertion("{servers} serve(s) an export of {model} before the newest", (*World).servesOlder)),

	// These check the parameter sync: what each PS of the job pushes to the PS that serve.
	ofTrainingJob(Assertion("{servers} has/have parameters of {servable} that are {duration} old or less", (*World).parametersAtMost)),
	ofTrainingJob(Assertion("{servers} has/have parameters of {servable} that are {duration} old or more", (*World).parametersAtLeast)),
	ofTrainingJob(Assertion("{servers} lack(s) updates of {servable}", (*World).lacksUpdates)),
	ofTrainingJob(Assertion("{servers} lack(s) no updates of {servable}", (*World).lacksNoUpdates)),
	Assertion("{trainer} has pushed its parameters to {servers}", (*World).hasPushed),
	Assertion("the parameter sync of {trainer} goes on", (*World).syncGoesOn),

	// Every PS also offers a barrier service, next to its variables.
	ofTrainingJob(Action("worker {n} of {n} arrives at the PS barrier {name} for {duration}", (*World).arriveAtPS)),
	ofTrainingJob(Assertion("arrival {n} is answered with {text}", (*World).psAnswer)),

	// A local cluster has workers that are tasks of one process. It is separate from the training
	// job.
	ofTrainingJob(Action("a local cluster of {n} worker(s) starts", (*World).startLocal)),
	ofTrainingJob(Action("local worker {n} makes {n} step(s)", (*World).localSteps)),
	ofTrainingJob(Action("local worker {n} waits at its barrier for {duration}", (*World).localBarrier)),
	ofTrainingJob(Assertion("wait {n} is answered with {text}", (*World).localAnswer)),

	// Discovery.
	Assertion("{agents} list(s) {model} on {pods}", (*World).listsOn),
	Assertion("{agents} list(s) nothing", (*World).listsNothing),
	Assertion("{agents} do(es) not answer", (*World).doesNotAnswer),
	Assertion("{agents} answer(s) GetReplicas of {kind} {task} with {pods}", (*World).replicasAnswer),
	Assertion("{agents} refuse(s) GetReplicas with {error} {text}", (*World).refusesGetReplicas),
	Assertion("{agents} answer(s) GetResource with shard {n} and replica {n}", (*World).resourceAnswer),
	Assertion("{agents} refuse(s) GetResource with {error} {text}", (*World).refusesGetResource),

	// These run single operations of the agents' code, taken from the golden cases of vectors.
	given("the recorded case {case}", (*World).recordedCase),
	question("it is answered as the reference does", (*World).answeredAsRecorded),
	question("it is answered with {quirks} repaired", (*World).answeredRepaired),
	finding("the answer is {json}", (*World).answerIs),
	finding("the answer raises {raised}", (*World).answerRaises),
	finding("the answer at {text} is {json}", (*World).found),
	finding("the answer at {text} raises {raised}", (*World).raises),
	finding("the answer at {text} has {json} {n} time(s)", (*World).has),
	finding("the answer at {text} has no {json}", (*World).hasNo),
	finding("step {n} returns {json}", (*World).stepReturns),
	finding("step {n} raises {raised}", (*World).stepRaises),
}
