package steps

// The words of which sentences are made. A word has one group, whose text is the
// argument of the sentence's function.
const (
	podName      = `shard\d+-replica\d+`
	podList      = podName + `(?:(?:, | and )` + podName + `)*`
	placeName    = `(?:` + podName + `|ZooKeeper|idc [\w-]+)`
	serverOfPod  = `the (?:model|ps|entry|dense) server of ` + podName
	durationText = `(?:\d+(?:\.\d+)?(?:ms|h|m|s))+`
	plainName    = `[\w.-]+`
)

var words = map[string]string{
	"n":        `(\d+)`,
	"code":     `(-?\d+)`,
	"duration": `(` + durationText + `)`,
	"text":     `"([^"]*)"`,
	"path":     `(/\S*)`,
	"name":     `(` + plainName + `)`,
	"layout":   `([\w./-]+)`,
	"names":    `(` + plainName + `(?:(?:, | and )` + plainName + `)*)`,
	"servable": `([\w.:-]+)`,
	"model":    `([\w.-]+:[\w.-]+)`,
	"models":   `([\w.-]+:[\w.-]+(?:(?:, | and )[\w.-]+:[\w.-]+)*)`,
	"size":     `(\d+ (?:bytes|kB|MB|GB))`,
	"pod":      `(` + podName + `)`,
	"pods":     `(every pod|no pod|` + podList + `)`,
	"agents":   `(every agent|the agents? of ` + podList + `)`,
	"server":   `(` + serverOfPod + `|` + bareServerName + `)`,
	"servers":  `(every model server|` + serverOfPod + `|` + bareServerName + `)`,
	"call":     `(the (?:(?:first|second|third|fourth|fifth) )?(?:` + reloadCall + `|` + predictCall + `|` + statusCall + `))`,
	"version":  `(-?\d+)`,
	"kind":     `(ps|entry|dense)`,
	"places":   `(` + placeName + `(?:(?:, | and )` + placeName + `)*)`,
	"state":    `(START|LOADING|AVAILABLE|UNLOADING|END|UNKNOWN)`,
	"error":    `([A-Z_]+)`,
	"quirks":   `(Q\d+(?:(?:, | and )Q\d+)*)`,
	"case":     `([\w.]+/[\w-]+)`,
	"json":     `(null|true|false|-?\d+|".*"|\[.*\]|\{.*\})`,
	"raised":   `([A-Z]\w+)`,
}

// sentences is the whole vocabulary. {word} stands for a word of the table above
// and (text) for text that may be left out.
var sentences = []*sentence{
	// Shapes: the cluster, before it is built.
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
	shape("pods that end start again after {duration}", (*World).restartAfter),
	shape("a model server", (*World).bareServer),
	shape("a model server with the flags {text}", (*World).bareServerWith),
	shape("model servers may use {size} of memory", (*World).serverMemory),
	shape("model servers keep {n}% of the memory of unloaded models", (*World).retainedMemory),
	shape("a Predict takes {duration}", (*World).predictTime),
	shape("the model default is not exported", (*World).noDefaultModel),
	shape("the fake model server keeps its faults", (*World).fakeFaults),
	shape("model {name} with sub-graphs {names} of {size} in version {n}", (*World).exportedModel),

	// The cluster and its time.
	action("the cluster starts", (*World).start),
	action("{duration} pass(es)", (*World).pass),

	// Models: what is exported, declared and published.
	action("version {n} of {model} is exported", (*World).export),
	action("version {n} of {model} is exported with {size}", (*World).exportSized),
	action("version {n} of {model} is deleted", (*World).deleteVersion),
	action("the base path of {model} is deleted", (*World).deleteBasePath),
	condition("version {n} of {model} is broken", (*World).broken),
	action("version {n} of {model} is repaired", (*World).repair),
	action("{models} is/are declared", (*World).declare),
	action("{models} is/are declared with policy {text}", (*World).declareWith),
	action("{models} is/are published to layout {layout}", (*World).publish),
	action("{models} is/are unpublished from layout {layout}", (*World).unpublish),
	action("model {name} is declared and published to layout {layout}", (*World).rollOut),

	// The store of models: outages, and versions that are still being copied.
	condition("the base path of {model} is missing", (*World).pathMissing),
	action("the base path of {model} is back", (*World).pathBack),
	condition("the base path of {model} lists nothing", (*World).pathEmpty),
	action("the base path of {model} lists its versions again", (*World).pathFilled),
	condition("the base path of {model} cannot be read", (*World).pathUnreadable),
	action("the base path of {model} can be read again", (*World).pathRead),
	condition("version {n} of {model} is exported without its graph, with variables of {size}", (*World).withoutGraph),
	action("the graph of version {n} of {model} arrives", (*World).graphArrives),
	condition("version {n} of {model} is exported without its variables of {size}", (*World).withoutVariables),
	action("the variables of version {n} of {model} arrive", (*World).variablesArrive),

	// Pods.
	action("the agent of {pod} is killed", (*World).killAgent),
	action("the agent of {pod} is asked to stop", (*World).stopAgent),
	action("{pod} is started again", (*World).startPod),
	action("{server} is killed", (*World).killModelServer),
	assertion("{pods} run(s)", (*World).podsRun),
	assertion("{pods} has/have ended", (*World).podsEnded),
	assertion("{pod} has ended with exit code {code}", (*World).podEndedWith),
	assertion("{pod} was started {n} time(s)", (*World).podStarted),
	assertion("{pod} runs {n} model server(s)", (*World).runsModelServers),

	// ZooKeeper, sessions and znodes.
	condition("ZooKeeper is down", (*World).zooKeeperDown),
	action("ZooKeeper is back", (*World).zooKeeperBack),
	action("the ZooKeeper session of {pod} expires", (*World).expireSession),
	condition("ZooKeeper has no leader", (*World).zooKeeperLeaderless),
	action("ZooKeeper elects a leader", (*World).zooKeeperElects),
	condition("ZooKeeper is read-only", (*World).zooKeeperReadOnly),
	condition("{pod} is served by a ZooKeeper follower that lags by {duration}", (*World).servedByFollower),
	action("{pod} moves to another ZooKeeper server", (*World).movesToFollower),
	action("{pod} moves back to the ZooKeeper leader", (*World).movesToLeader),
	action("ZooKeeper applies the next {n} request(s) of {pod} without answering", (*World).loseAnswers),
	action("znode {path} is written with {text}", (*World).writeZnode),
	action("znode {path} is deleted", (*World).deleteZnode),
	assertion("znode {path} exists", (*World).znodeExists),
	assertion("znode {path} does not exist", (*World).znodeMissing),
	assertion("znode {path} is ephemeral", (*World).znodeEphemeral),
	assertion("znode {path} holds {text}", (*World).znodeHolds),
	assertion("znode {path} has {n} child(ren)", (*World).znodeChildren),
	assertion("{model} is bound to {pods}", (*World).boundTo),
	assertion("{pods} has/have service info", (*World).haveServiceInfo),
	assertion("{pods} has/have no service info", (*World).haveNoServiceInfo),
	assertion("{pod} is registered for {model} as {state}", (*World).registeredAs),
	assertion("{pod} is not registered for {model}", (*World).notRegistered),
	assertion("the registration of {pod} for {model} was written {n} time(s) or more", (*World).writtenAtLeast),
	assertion("the registration of {pod} for {model} was written {n} time(s) or less", (*World).writtenAtMost),

	// Network.
	condition("{places} cannot reach {places}", (*World).cannotReach),
	condition("{places} is/are cut off from {places}", (*World).cutOff),
	action("{places} reach(es) {places} again", (*World).healed),
	condition("the network between {places} and {places} is slower by {duration}", (*World).slower),

	// Model servers.
	assertion("{servers} has version {version} of {servable} {state}", (*World).hasVersion),
	assertion("{servers} has {n} version(s) of {servable}", (*World).hasVersions),
	assertion("{servers} has no version of {servable}", (*World).hasNoVersion),
	assertion("{servers} reports {error} {text} for version {version} of {servable}", (*World).reportsError),
	assertion("the model config of {pod} lists {models}", (*World).configLists),
	assertion("the model config of {pod} is empty", (*World).configEmpty),

	// A model server without an agent, and its model config file.
	action("the model server starts", (*World).startBareServer),
	action("the model config file {path} lists {models}", (*World).configFileLists),
	action("the model config file {path} lists no model", (*World).configFileListsNothing),
	action("the model config file {path} is empty", (*World).configFileEmpty),
	assertion("the model server has ended with exit code {code}", (*World).bareServerEndedWith),
	assertion("the model server printed {text}", (*World).bareServerPrinted),
	assertion("the model server did not print {text}", (*World).bareServerDidNotPrint),

	// What entries of models say, in the configs that come after.
	action("the config of {model} has the base path {path}", (*World).configBasePath),
	action("the config of {model} has the platform {text}", (*World).configPlatform),
	action("the config of {model} has the policy {text}", (*World).configPolicy),
	action("the config of {model} gives version {n} the label {text}", (*World).configLabel),

	// Calls to model servers, which go on while time passes.
	action("{server} is asked to reload to {models}", (*World).reload),
	action("{server} is asked to reload to {models} with a deadline of {duration}", (*World).reloadBefore),
	action("{server} is asked to reload to no model", (*World).reloadToNothing),
	action("a Predict of {model} is sent to {server}", (*World).predict),
	action("a Predict of {model} is sent to {server} with a deadline of {duration}", (*World).predictBefore),
	action("the TFSMonitor of {server} is asked to reload to {models}", (*World).monitorReload),
	action("the TFSMonitor of {server} is asked for the state of {model}", (*World).monitorStatus),
	assertion("{call} is not answered", (*World).callUnanswered),
	assertion("{call} is answered with OK", (*World).callOK),
	assertion("{call} is answered by version {n}", (*World).callVersion),
	assertion("{call} is answered with version {n} {state}", (*World).callState),
	assertion("{call} fails with {error} {text}", (*World).callFails),

	// What clients of a model server see.
	assertion("{server} serves", (*World).serves),
	assertion("{server} refuses connections", (*World).refusesConnections),
	assertion("a Predict of {model} to {server} is answered by version {n}", (*World).predictVersion),
	assertion("a Predict of {model} to {server} fails with {error} {text}", (*World).predictFails),
	assertion("a Predict of {model} with label {text} to {server} is answered by version {n}", (*World).predictLabelVersion),
	assertion("a Predict of {model} with label {text} to {server} fails with {error} {text}", (*World).predictLabelFails),
	assertion("a Predict of {model} to {server} takes {duration} or more", (*World).predictAtLeast),
	assertion("a Predict of {model} to {server} takes {duration} or less", (*World).predictAtMost),
	assertion("the memory of {server} is between {size} and {size}", (*World).memoryBetween),

	// Discovery.
	assertion("{agents} list(s) {model} on {pods}", (*World).listsOn),
	assertion("{agents} list(s) nothing", (*World).listsNothing),
	assertion("{agents} do(es) not answer", (*World).doesNotAnswer),
	assertion("{agents} answer(s) GetReplicas of {kind} {n} with {pods}", (*World).replicasAnswer),
	assertion("{agents} refuse(s) GetReplicas with {error} {text}", (*World).refusesGetReplicas),
	assertion("{agents} answer(s) GetResource with shard {n} and replica {n}", (*World).resourceAnswer),
	assertion("{agents} refuse(s) GetResource with {error} {text}", (*World).refusesGetResource),

	// Single operations of the agents' code, by the golden cases of vectors.
	question("the recorded case {case}", (*World).recordedCase),
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
