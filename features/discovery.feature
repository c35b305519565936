Feature: Discovery answers

  @v3 @Q34
  Scenario: A v3 agent refuses GetReplicas
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 3s pass
    Then the agent of shard0-replica0 refuses GetReplicas with UNKNOWN "not implement for agent v3"

  @v3
  Scenario: A v3 agent tells the shard and the replica of its environment
    Given a v3 cluster of 2 shards with 2 replicas each
    When the cluster starts
    And 3s pass
    Then the agent of shard1-replica0 answers GetResource with shard 1 and replica 0
    And the agent of shard0-replica1 answers GetResource with shard 0 and replica 1

  @v3 @Q35
  Scenario: A replica id made of the pod's name does not fit GetResource
    Given a v3 cluster of 1 shard with 1 replica
    And the environment variable "REPLICA_ID" is ""
    When the cluster starts
    And 3s pass
    Then the agent of shard0-replica0 refuses GetResource with UNKNOWN "out of range"

  @v1 @Q219
  Scenario: A v1 agent leaves GetResource empty
    Given a v1 cluster of 2 shards with 1 replica
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    And 3s pass
    Then the agent of shard1-replica0 answers GetResource with shard 0 and replica 0

  @v1
  Scenario: A v1 agent lists the replicas of every task
    Given a v1 cluster of 2 shards with 2 replicas each
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    Then within 15s every agent lists ps:0 on shard0-replica0 and shard0-replica1
    And within 15s every agent lists ps:1 on shard1-replica0 and shard1-replica1
    And every agent answers GetReplicas of ps 1 with shard1-replica0, shard1-replica1
    And within 60s every agent lists entry:0 on every pod
    And every agent answers GetReplicas of ps 7 that nobody has exported with no pod

  @v1
  Scenario: A dc-aware v1 agent lists the replicas of its own data centre only
    Given a v1 cluster of 2 shards with 2 replicas each
    And replicas in "lf:default, hl:default"
    And the agent setting "dc_aware" is "true"
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    When the cluster starts
    Then within 60s the agents of shard0-replica0 and shard1-replica0 list entry:0 on shard0-replica0 and shard1-replica0
    And the agents of shard0-replica1 and shard1-replica1 list ps:0 on shard0-replica1
    And the agent of shard0-replica0 answers GetReplicas of ps 1 with shard1-replica0

  @v1
  Scenario: A v1 agent that is not dc-aware lists the replicas of all data centres
    Given a v1 cluster of 1 shard with 2 replicas
    And replicas in "lf:default, hl:default"
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s every agent lists entry:0 on every pod
    And every agent answers GetReplicas of ps 0 with every pod

  @v3
  Scenario: A v3 agent lists the pods of all data centres
    Given a v3 cluster of 1 shard with 2 replicas
    And replicas in "lf:default, hl:default"
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod

  @v3
  Scenario: Service information that was lost is told again within a minute
    Given a v3 cluster of 1 shard with 2 replicas
    When the cluster starts
    Then within 3s every pod has service info
    When 10s pass
    And znode /gip/container_service/monolith.serving;lf;default:shard0-replica1 is deleted
    Then for 45s shard0-replica1 has no service info
    And within 10s shard0-replica1 has service info
    And znode /gip/container_service/monolith.serving;lf;default:shard0-replica1 is ephemeral

  @v3 @Q43
  Scenario: A binding seen without service information stays unlisted until the bindings change
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When 10s pass
    And znode /gip/container_service/monolith.serving;lf;default:shard0-replica1 is deleted
    And znode /gip/binding/ctr/entry:monolith.serving;lf;default:stranger is written with ""
    Then within 1s every agent lists ctr:entry on shard0-replica0
    And within 65s shard0-replica1 has service info
    And for 65s every agent lists ctr:entry on shard0-replica0
    When znode /gip/binding/ctr/entry:monolith.serving;lf;default:stranger is deleted
    Then within 1s every agent lists ctr:entry on every pod
