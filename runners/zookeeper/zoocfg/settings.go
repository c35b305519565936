package zoocfg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/java"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// ownKeys are the keys of a zoo.cfg that the server reads itself, and looks for nowhere else
// (QuorumPeerConfig.java parseProperties). All others become Java properties.
var ownKeys = strings.Fields(`
	tickTime dataDir dataLogDir clientPort clientPortAddress secureClientPort secureClientPortAddress maxClientCnxns
	minSessionTimeout maxSessionTimeout initLimit syncLimit electionAlg peerType reconfigEnabled standaloneEnabled
	dynamicConfigFile localSessionsEnabled localSessionsUpgradingEnabled syncEnabled connectToLearnerMasterLimit
	quorumListenOnAllIPs clientPortListenBacklog observerMasterPort autopurge.snapRetainCount autopurge.purgeInterval
	sslQuorum portUnification sslQuorumReloadCertFiles quorum.auth.enableSasl quorum.auth.serverRequireSasl
	quorum.auth.learnerRequireSasl quorum.auth.learner.saslLoginContext quorum.auth.server.saslLoginContext
	quorum.auth.kerberos.servicePrincipal quorum.cnxn.threads.size jvm.pause.info-threshold.ms jvm.pause.warn-threshold.ms
	jvm.pause.sleep.time.ms jvm.pause.monitor multiAddress.enabled multiAddress.reachabilityCheckTimeoutMs
	multiAddress.reachabilityCheckEnabled oraclePath`)

// ownPrefixes begin more such keys.
var ownPrefixes = []string{"server.", "group", "weight", "metricsProvider."}

// own reports whether the server reads a key of a zoo.cfg itself.
func own(key string) bool {
	return slices.Contains(ownKeys, key) || slices.ContainsFunc(ownPrefixes, func(p string) bool { return strings.HasPrefix(key, p) })
}

// converter converts the value of a setting to that of its flag.
type converter func(value string) (string, error)

// known maps each supported setting to its flag, and to a function that converts the value.
var known = map[string]struct {
	flag    string
	convert converter
}{
	"tickTime":                             {"tick", cfgMs},
	"dataDir":                              {"data-dir", same},
	"maxClientCnxns":                       {"max-client-cnxns", limit},
	"minSessionTimeout":                    {"min-session-timeout", least},
	"maxSessionTimeout":                    {"max-session-timeout", longest},
	"reconfigEnabled":                      {"reconfig-enabled", boolean},
	"zookeeper.extendedTypesEnabled":       {"extended-types", boolean},
	"zookeeper.enforceQuota":               {"enforce-quota", boolean},
	"zookeeper.skipACL":                    {"skip-acl", yes},
	"zookeeper.4lw.commands.whitelist":     {"4lw", words},
	"zookeeper.nio.sessionlessCnxnTimeout": {"sessionless-timeout", ms},
	"zookeeper.DigestAuthenticationProvider.superDigest": {"super-digest", same},
	"zookeeper.DigestAuthenticationProvider.digestAlg":   {"digest-alg", same},
	"zookeeper.DigestAuthenticationProvider.enabled":     {"no-digest", isNot("true")},
	"znode.container.checkIntervalMs":                    {"container-check-interval", ms},
	"znode.container.maxPerMinute":                       {"container-max-per-minute", number},
	"znode.container.maxNeverUsedIntervalMs":             {"container-max-never-used", ms},
	"jute.maxbuffer":                                     {"jute-maxbuffer", number},
	"java.security.auth.login.config":                    {"jaas", same},
	"zookeeper.superUser":                                {"super-user", same},
	"zookeeper.letAnySaslUserDoX":                        {"sasl-any-user", same},
	"zookeeper.ssl.keyStore.location":                    {"tls-key-store", same},
	"zookeeper.ssl.trustStore.location":                  {"tls-trust-store", same},
	"zookeeper.ssl.clientAuth":                           {"tls-client-auth", lower},
}

// refusal says why settings whose names have a prefix are refused.
type refusal struct{ prefix, harmless, why string }

// refused lists settings that this server does not support although they change what clients see.
// Ignoring them would be wrong, so they are errors, but for a value, if there is one, that changes
// nothing.
var refused = []refusal{
	{"dynamicConfigFile", "", "is of an ensemble: want --ensemble N, which serves all servers of one"},
	{"standaloneEnabled", "true", "is for an ensemble: want --ensemble N, which serves all servers of one"},
	{"group", "", "is of an ensemble: want --ensemble N, whose servers have a vote each"},
	{"weight", "", "is of an ensemble: want --ensemble N, whose servers have a vote each"},
	{"electionAlg", "3", "has the one value 3"},
	{"sslQuorum", "false", "is for TLS between servers, which is not served"},
	{"portUnification", "false", "is for TLS between servers, which is not served"},
	{"zookeeper.ssl.quorum.", "", "is for TLS between servers, which is not served"},
	{"zookeeper.client.portUnification", "false", "is not served: a port has TLS or has not"},
	{"zookeeper.ssl.authProvider", "", "is not served: a certificate makes no identity"},
	{"zookeeper.X509AuthenticationProvider.superUser", "", "is not served: a certificate makes no identity"},
	{"zookeeper.ssl.crl", "false", "is not served: a certificate that was revoked would be taken"},
	{"zookeeper.ssl.ocsp", "false", "is not served: a certificate that was revoked would be taken"},
	{"zookeeper.ssl.clientHostnameVerification", "false", "is not served: the host of a client's certificate is not looked at"},
	{"zookeeper.allowSaslFailedClients", "false", "is not served: who fails to authenticate is cut off"},
	{"zookeeper.SASLAuthenticationProvider.superPassword", "", "is not read: want user_super in the JAAS file"},
	{"zookeeper.sasl.serverconfig", "", "is not read: want an entry Server in the JAAS file"},
	{"zookeeper.maxCnxns", "0", "is not served: want maxClientCnxns, a limit for each address"},
	{"zookeeper.watchManagerName", "org.apache.zookeeper.server.watch.WatchManager", "is not served: the optimized manager has no persistent watches"},
	{"zookeeper.admin.commandURL", "/commands", "is not served: the commands are below /commands"},
	{"zookeeper.admin.forceHttps", "false", "is not served: the AdminServer has no TLS"},
	{"zookeeper.admin.portUnification", "false", "is not served: the AdminServer has no TLS"},
	{"zookeeper.admin.needClientAuth", "false", "is not served: the AdminServer has no TLS"},
}

// idle maps settings without effect here to what a real server wants of their values, or it does not
// start.
var idle = map[string]converter{
	"initLimit": cfgNumber, "syncLimit": cfgNumber, "connectToLearnerMasterLimit": cfgNumber, "observerMasterPort": cfgNumber,
	"clientPortListenBacklog": cfgNumber, "autopurge.snapRetainCount": cfgNumber, "autopurge.purgeInterval": cfgNumber,
	"quorum.cnxn.threads.size": cfgNumber, "jvm.pause.info-threshold.ms": cfgNumber, "jvm.pause.warn-threshold.ms": cfgNumber,
	"jvm.pause.sleep.time.ms": cfgNumber, "multiAddress.reachabilityCheckTimeoutMs": cfgNumber,
	"localSessionsEnabled": boolean, "localSessionsUpgradingEnabled": boolean, "quorumListenOnAllIPs": boolean, "syncEnabled": boolean,
	"sslQuorumReloadCertFiles": boolean, "jvm.pause.monitor": boolean, "multiAddress.enabled": boolean, "multiAddress.reachabilityCheckEnabled": boolean,
	"quorum.auth.enableSasl": boolean, "quorum.auth.serverRequireSasl": boolean, "quorum.auth.learnerRequireSasl": boolean,
	"peerType": peerType,
}

// official are the other properties of the administrator's guides of 3.8.0 to 3.9.5 that have no effect
// here. They say how a server stores, how fast it is, how its servers find each other, or what a client
// of Java does.
var official = strings.Fields(`
	admin.idleTimeout admin.rateLimiterIntervalInMS admin.restore.enabled admin.snapshot.enabled
	advancedFlowControlEnabled audit.enable audit.impl.class bitHashCacheSize client.certReload clientCnxnSocket
	clientTcpKeepAlive cnxTimeout commitLogCount commitProcessor.maxCommitBatchSize commitProcessor.maxReadBatchSize
	commitProcessor.numWorkerThreads connection_throttle_decrease_ratio connection_throttle_drop_decrease
	connection_throttle_drop_increase connection_throttle_fill_count connection_throttle_fill_time
	connection_throttle_freeze_time connection_throttle_global_session_weight connection_throttle_local_session_weight
	connection_throttle_renew_session_weight connection_throttle_tokens connection_throttle_weight_enabled
	connectionDecreaseRatio connectionDropDecrease connectionDropIncrease connectionFreezeTime connectionMaxTokens
	connectionTokenFillCount connectionTokenFillTime datadir.autocreate db.autocreate digest.enabled electionPortBindRetry emulate353TTLNodes
	enableEagerACLCheck ensembleAuthName fastleader.maxNotificationInterval fastleader.minNotificationInterval fips-mode
	flushDelay follower.skipLearnerRequestToNextProcessor forceSync forward_learner_requests_to_commit_processor_disabled
	fsync.warningthresholdms globalOutstandingLimit IPAuthenticationProvider.usexforwardedfor jute.maxbuffer.extrasize
	kerberos.canonicalizeHostNames kerberos.removeHostFromPrincipal kerberos.removeRealmFromPrincipal largeRequestMaxBytes
	largeRequestThreshold leader.closeSocketAsync leader.maxConcurrentDiffSyncs leader.maxConcurrentSnapSyncs
	leader.maxTimeToWaitForEpoch leaderServes learner.asyncSending learner.closeSocketAsync maxBatchSize
	maxConcurrentDiffSyncs maxConcurrentSnapSyncs maxGetChildrenResponseCacheSize maxInProcessingDeadWatchers
	maxResponseCacheSize maxTimeToWaitForEpoch maxWriteQueuePollTime messageTracker.BufferSize messageTracker.Enabled
	netty.advancedFlowControl.enabled netty.server.earlyDropSecureConnectionHandshakes
	netty.server.outstandingHandshake.limit nio.numSelectorThreads nio.numWorkerThreads observer.election.DelayMs
	observer.reconnectDelayMs observer.syncEnabled outstandingHandshake.limit preAllocSize quorumCnxnTimeoutMs
	readonlymode.enabled request_stale_connection_check request_stale_latency_check request_throttle_drop_stale
	request_throttle_max_requests request_throttle_stall_time request_throttler.shutdownTimeout
	requestStaleConnectionCheck requestStaleLatencyCheck requestThrottleDropStale requestThrottleLimit
	requestThrottleStallTime serializeLastProcessedZxid.enabled serverCnxnFactory snapCount snapshot.compression.method
	snapshot.trust.empty snapSizeLimitInKb ssl.allowReverseDnsLookup ssl.ciphersuites ssl.context.supplier.class ssl.enabledProtocols
	ssl.handshakeDetectionTimeoutMillis ssl.hostnameVerification ssl.keyStore.password ssl.keyStore.passwordPath ssl.keyStore.type ssl.protocol
	ssl.sslProvider ssl.trustStore.password ssl.trustStore.passwordPath ssl.trustStore.type tcpKeepAlive
	throttled_op_wait_time throttledOpWaitTime txnLogSizeLimitInKb watcherCleanIntervalInSeconds watcherCleanThreadsNum
	watcherCleanThreshold`)

// same returns the value as it is.
func same(value string) (string, error) { return value, nil }

func lower(value string) (string, error) { return strings.ToLower(value), nil }

// words parses a whitelist of four-letter words. It ignores unknown words, as a real server does.
// The list always contains srvr.
func words(value string) (string, error) {
	list := []string{"srvr"}
	for word := range strings.SplitSeq(value, ",") {
		if word = strings.TrimSpace(word); word == "*" {
			return word, nil
		}
		if wire.CheckWords([]string{word}) == nil {
			list = append(list, word)
		}
	}
	return strings.Join(list, ","), nil
}

// cfgNumber parses a number of a zoo.cfg, which is a decimal one (Integer.parseInt).
func cfgNumber(value string) (string, error) {
	n, err := java.ParseInt(value, 32)
	if err != nil {
		return "", fmt.Errorf("a decimal number")
	}
	return strconv.FormatInt(n, 10), nil
}

func cfgMs(value string) (string, error) {
	n, err := cfgNumber(value)
	if err != nil {
		return "", fmt.Errorf("a decimal number of milliseconds")
	}
	return n + "ms", nil
}

// limit parses a number of connections. 0 and less are no limit.
func limit(value string) (string, error) {
	n, err := cfgNumber(value)
	if strings.HasPrefix(n, "-") {
		n = "0"
	}
	return n, err
}

// least parses the least session timeout. -1 means the default. Other numbers that are not positive
// mean none, which is the shortest one here.
func least(value string) (string, error) {
	n, err := cfgMs(value)
	switch {
	case n == "-1ms":
		return "0ms", err
	case n == "0ms", strings.HasPrefix(n, "-"):
		return "1ms", err
	}
	return n, err
}

// longest parses the longest session timeout; -1 means the default.
func longest(value string) (string, error) {
	n, err := cfgMs(value)
	switch {
	case n == "-1ms":
		return "0ms", err
	case n == "0ms", strings.HasPrefix(n, "-"):
		return "", fmt.Errorf("no less than minSessionTimeout")
	}
	return n, err
}

// number parses a number of a Java property, which may also be hexadecimal or octal
// (Integer.decode).
func number(value string) (string, error) {
	n, err := strconv.ParseInt(value, 0, 32)
	if err != nil {
		return "", fmt.Errorf("a number")
	}
	return strconv.FormatInt(n, 10), nil
}

// ms parses a number of milliseconds of a Java property; -1 means the server's default.
func ms(value string) (string, error) {
	n, err := number(value)
	if err != nil {
		return "", fmt.Errorf("a number of milliseconds")
	}
	if n == "-1" {
		n = "0"
	}
	return n + "ms", nil
}

func boolean(value string) (string, error) {
	switch strings.ToLower(value) {
	case "true", "false":
		return strings.ToLower(value), nil
	}
	return "", fmt.Errorf("true or false")
}

func peerType(value string) (string, error) {
	switch strings.ToLower(value) {
	case "participant", "observer":
		return "", nil
	}
	return "", fmt.Errorf("participant or observer")
}

// isNot converts a switch to whether it has another value than this.
func isNot(on string) converter {
	return func(value string) (string, error) { return strconv.FormatBool(!strings.EqualFold(value, on)), nil }
}

// yes converts a switch of a zoo.cfg to a bool. Only "yes" turns it on.
func yes(value string) (string, error) { return strconv.FormatBool(value == "yes"), nil }
