Feature: How a network fails: not to be reached, refused, reset, silent, slow

  @v3 @partition
  Scenario: A host that cannot be reached answers nothing, and an attempt to connect lasts until it is given up
    Given a v3 cluster of 1 shard with 1 replica
    When shard0-replica0 gets cut off from ZooKeeper for 12s
    And the cluster starts
    Then for 11s shard0-replica0 has no service info
    And within 6s shard0-replica0 has service info
    And shard0-replica0 was started 1 time

  @v3 @outage
  Scenario: A host without the server refuses at once, and attempts to connect follow each other
    Given a v3 cluster of 1 shard with 1 replica
    When ZooKeeper goes down for 5s
    And the cluster starts
    Then within 13s shard0-replica0 has service info
    And shard0-replica0 was started 1 time

  @v3
  Scenario: A connection that is reset takes an answer with it, and the session goes on
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
    When 20s pass
    And ZooKeeper applies the next 1 request of shard0-replica0 without answering
    Then for 2m shard0-replica0 has service info

  @v3 @partition
  Scenario: A host that falls silent is not missed for two thirds of the session timeout
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
    When shard0-replica0 is cut off from ZooKeeper for 5s
    Then for 30s shard0-replica0 has service info

  @v3 @partition
  Scenario: Three seconds each way take six to connect and six more to open a session
    Given a v3 cluster of 1 shard with 1 replica
    When the network between shard0-replica0 and ZooKeeper becomes slower by 3s for 40s
    And the cluster starts
    Then for 11s shard0-replica0 has no service info
    And within 2m shard0-replica0 has service info
    And shard0-replica0 was started 1 time

  # The children of the layout are known by then, so that nothing calls for them again.
  @v3 @partition @Q320
  Scenario: A change of the layout is lost for good with the connection on which it is read
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And ctr:entry is declared
    When the cluster starts
    And 32s pass
    And the network between shard0-replica0 and ZooKeeper becomes slower by 1s for 14s
    And ctr:entry is published to layout main
    And 4s pass
    And shard0-replica0 is cut off from ZooKeeper for 18s
    Then for 2m the model config of shard0-replica0 is empty
