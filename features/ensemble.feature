Feature: An ensemble of ZooKeeper servers

  @v3 @ensemble
  Scenario: A short election costs v3 nothing
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When ZooKeeper has no leader for 3s
    Then for 60s ctr:entry is bound to every pod
    And every pod has service info
    And every agent lists ctr:entry on every pod

  @v1 @ensemble
  Scenario: A short election costs v1 nothing
    Given a v1 cluster of 1 shard with 2 replicas
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When ZooKeeper has no leader for 3s
    Then for 60s shard0-replica1 is registered for ps:0 as AVAILABLE
    And every agent lists ps:0 on every pod
    And the registration of shard0-replica1 for ps:0 was written 3 times or less

  @v3 @ensemble
  Scenario: No session of v3 expires in an election, and some do after it, as clients wait longer and longer
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When ZooKeeper has no leader
    Then for 5m every agent lists ctr:entry on every pod
    And every pod runs
    When ZooKeeper elects a leader
    Then for 10s ctr:entry is bound to every pod
    And within 10m every pod has service info

  @v1 @ensemble
  Scenario: No session of v1 expires in an election, and some do after it, as clients wait longer and longer
    Given a v1 cluster of 1 shard with 2 replicas
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When ZooKeeper has no leader for 5m
    Then for 10s shard0-replica1 is registered for ps:0 as AVAILABLE
    And within 10m shard0-replica1 is registered for ps:0 as AVAILABLE

  @v3 @ensemble
  Scenario: A v3 agent behind a follower that lags learns late of what others tell, and they of it
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And shard0-replica1 is served by a ZooKeeper follower that lags by 2s
    When the cluster starts
    And 10s pass
    And model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry
    And the model config of shard0-replica1 is empty
    And within 10s the model config of shard0-replica1 lists ctr:entry
    And within 2m every agent lists ctr:entry on every pod

  @v1 @ensemble
  Scenario: A v1 agent behind a follower that lags lists what was registered late
    Given a v1 cluster of 1 shard with 2 replicas
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When shard0-replica0 is served by a ZooKeeper follower that lags by 2s
    And 10s pass
    And the agent of shard0-replica1 is killed
    Then within 1m the agent of shard0-replica0 lists ps:0 on shard0-replica0

  @v3 @ensemble
  Scenario: A v3 pod that moves between servers keeps its session and what it told
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When shard0-replica1 moves to another ZooKeeper server
    Then for 60s ctr:entry is bound to every pod
    And every pod has service info
    When shard0-replica1 moves back to the ZooKeeper leader
    Then for 60s ctr:entry is bound to every pod
    And every agent lists ctr:entry on every pod

  @v1 @ensemble
  Scenario: A v1 pod that moves between servers stays registered
    Given a v1 cluster of 1 shard with 2 replicas
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When shard0-replica1 moves to another ZooKeeper server
    Then for 60s shard0-replica1 is registered for ps:0 as AVAILABLE
    When shard0-replica1 moves back to the ZooKeeper leader
    Then for 60s shard0-replica1 is registered for ps:0 as AVAILABLE
    And the registration of shard0-replica1 for ps:0 was written 3 times or less

  @v3 @ensemble
  Scenario: A read-only ZooKeeper is as good as none to v3 agents, which do not ask for one
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    When the cluster starts
    And 10s pass
    And ZooKeeper is read-only
    And 60s pass
    Then every pod runs
    When ZooKeeper elects a leader
    And 10s pass
    Then no pod has service info
    And within 5m every pod has service info

  @v1 @ensemble
  Scenario: A read-only ZooKeeper is as good as none to v1 agents
    Given a v1 cluster of 1 shard with 2 replicas
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    When ZooKeeper is read-only for 3s
    Then for 60s every agent lists ps:0 on every pod
    And shard0-replica1 is registered for ps:0 as AVAILABLE

  @v3 @ensemble
  Scenario: A v3 agent that starts while there is no leader gives up
    Given a v3 cluster of 1 shard with 1 replica
    When ZooKeeper has no leader
    And the cluster starts
    And 10s pass
    Then shard0-replica0 runs
    And within 10s shard0-replica0 has ended with exit code 1

  @v1 @ensemble
  Scenario: A v1 agent that starts while there is no leader gives up
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When ZooKeeper has no leader
    And the cluster starts
    And 10s pass
    Then shard0-replica0 runs
    And within 10s shard0-replica0 has ended with exit code 1

  @v3 @ensemble
  Scenario: A v3 binding whose answer was lost is there all the same
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 5s pass
    And ctr:entry that nobody has exported is declared
    And ctr:entry that nobody has exported is published to layout main
    # The model server polls its config file 60s after its start, the agent binds 90s after its own.
    And 65s pass
    And version 1 of ctr:entry is exported with 30 MB
    And 15s pass
    And ZooKeeper applies the next 1 request of shard0-replica0 without answering
    Then ctr:entry is bound to no pod
    And within 20s ctr:entry is bound to every pod
    And for 5m ctr:entry is bound to every pod

  @v3 @ensemble
  Scenario: A v3 agent whose first answer is lost tells of itself and serves
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    # The first to write is the thread that tells where the container serves (BB-2.2); it only logs the error.
    When ZooKeeper applies the next 1 request of shard0-replica0 without answering
    And the cluster starts
    Then within 65s shard0-replica0 has service info
    And within 95s ctr:entry is bound to every pod

  @v3 @ensemble
  Scenario: A v3 agent whose layout is not answered tells of itself and loads nothing
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When ZooKeeper applies the next 2 requests of shard0-replica0 without answering
    And the cluster starts
    Then within 65s shard0-replica0 has service info
    And for 5m the model config of shard0-replica0 is empty

  @v1 @ensemble
  Scenario: A v1 agent whose first answer is lost ends
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When ZooKeeper applies the next 1 request of shard0-replica0 without answering
    And the cluster starts
    Then within 10s shard0-replica0 has ended with exit code 1

  @v1 @ensemble
  Scenario: A v1 registration whose answer was lost is there all the same
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 3 GB in version 1
    When the cluster starts
    # The agent has registered, and its PS loads for 10s.
    And 3s pass
    And ZooKeeper applies the next 1 request of shard0-replica0 without answering
    Then within 60s shard0-replica0 is registered for ps:0 as AVAILABLE
    And for 2m shard0-replica0 is registered for ps:0 as AVAILABLE
