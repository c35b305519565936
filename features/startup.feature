Feature: Cluster start-up

  @v3
  Scenario: A v3 cluster with nothing published serves and lists no model
    Given a v3 cluster of 2 shards with 2 replicas each
    When the cluster starts
    Then within 5s every pod has service info
    And every pod runs
    And shard0-replica0 runs 1 model server
    And the model config of shard0-replica0 is empty
    And every agent lists nothing

  @v3
  Scenario: A v3 cluster serves what was published before it started
    Given a v3 cluster of 2 shards with 2 replicas each
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to every pod
    And every model server has version 1 of ctr:entry AVAILABLE
    And within 1s every agent lists ctr:entry on every pod

  @v3 @Q25 @Q209 @Q233
  Scenario Outline: A v3 agent that has started under a layout it cannot read answers on Python <python> (<answers>, BB-2.8)
    Given a v3 cluster of 1 shard with 1 replica
    And the agents run on Python "<python>"
    And the agents keep the quirks "python"
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And ctr:entry is declared
    And ctr:ps_0 is declared with policy "latest_once"
    And ctr:entry and ctr:ps_0 are published to layout main
    When the cluster starts
    And 10s pass
    Then shard0-replica0 runs
    And the model config of shard0-replica0 is empty
    And the agent of shard0-replica0 <first>
    When ctr:ps_0 is unpublished from layout main
    Then within 100s ctr:entry is bound to shard0-replica0
    And within 1s the agent of shard0-replica0 <later>

    # not-python: another version than that of the interpreter
    @not-python
    Examples:
      | python | answers | first                     | later                        |
      | 3.8    | always  | lists ctr:entry on no pod | lists ctr:entry on every pod |

    # not-agent: the calls hang in Python's own server of gRPC
    @not-agent
    Examples:
      | python | answers | first           | later           |
      | 3.11   | never   | does not answer | does not answer |

  @v3
  Scenario: A v3 agent of another deploy type than unified ends with an error
    Given a v3 cluster of 1 shard with 1 replica
    And the agent setting "deploy_type" is "mixed"
    When the cluster starts
    Then within 5s shard0-replica0 has ended with exit code 1
    And shard0-replica0 runs 0 model servers

  @v3 @outage
  Scenario: A v3 agent that does not find ZooKeeper ends, and starts again until it does
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    When ZooKeeper is down
    And the cluster starts
    Then within 20s shard0-replica0 has ended with exit code 1
    When ZooKeeper is back
    Then within 30s shard0-replica0 has service info
    And shard0-replica0 was started 2 times

  @v1
  Scenario: A v1 pod starts its PS first and its entry once all PS are there
    Given a v1 cluster of 2 shards with 1 replica
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    Then within 5s shard0-replica0 is registered for ps:0 as UNKNOWN
    And within 15s shard0-replica0 is registered for ps:0 as AVAILABLE
    And shard0-replica0 runs 1 model server
    And within 60s shard0-replica0 is registered for entry:0 as AVAILABLE
    And shard0-replica0 runs 2 model servers
    And the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE
    And the ps server of shard1-replica0 has version 1 of ps_1 AVAILABLE
    And the ps server of shard1-replica0 has no version of ps_0

  @v1
  Scenario: The entries of v1 wait for the last PS of the model
    Given a v1 cluster of 2 shards with 1 replica
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When version 1 of predict_ctr:ps_1 is broken
    And the cluster starts
    Then within 15s shard0-replica0 is registered for ps:0 as AVAILABLE
    And for 40s shard0-replica0 runs 1 model server
    When version 1 of predict_ctr:ps_1 is repaired
    Then within 90s shard1-replica0 is registered for ps:1 as AVAILABLE
    And within 60s shard0-replica0 runs 2 model servers
    # 10s for the port of ps:1 and 2s for the PS at the agent of shard1, then gRPC's back-off: up to 60 % of the agent's age.
    And within 120s shard1-replica0 is registered for entry:0 as AVAILABLE

  @v1 @Q20
  Scenario: A v1 pod takes an hour to notice that its PS died while starting
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When version 1 of predict_ctr:ps_0 is broken
    And the cluster starts
    Then within 3s shard0-replica0 runs 1 model server
    And within 6m shard0-replica0 runs 0 model servers
    And for 54m shard0-replica0 runs
    And within 5m shard0-replica0 has ended with exit code -9

  @v1
  Scenario: A v1 pod with dense alone runs three model servers
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And the agent setting "dense_alone" is "true"
    And model predict_ctr with sub-graphs entry, ps_0, dense_0 of 30 MB in version 1
    When the cluster starts
    Then within 2m shard0-replica0 runs 3 model servers
    And within 60s shard0-replica0 is registered for entry:0 as AVAILABLE
    And shard0-replica0 is registered for dense:0 as AVAILABLE
    And the dense server of shard0-replica0 has version 1 of dense_0 AVAILABLE

  @v1 @Q159
  Scenario: A v1 agent whose num_shard is not that of the environment ends with an error
    Given a v1 cluster of 2 shards with 1 replica
    And the agent setting "num_shard" is "1"
    When the cluster starts
    Then within 5s shard0-replica0 has ended with exit code 1
