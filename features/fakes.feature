Feature: The fakes of the reference's own tests

  Background:
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1

  # not-real: the fake is a tree in the memory of an agent
  # not-python: the fake is a tree in the memory of an agent
  @v3 @kazoo-fake @not-real @not-python
  Scenario: With the fake ZooKeeper every agent finds only itself
    Given the ZooKeeper profile is "kazoo-fake"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 95s the agent of shard0-replica0 lists ctr:entry on shard0-replica0
    And within 95s the agent of shard0-replica1 lists ctr:entry on shard0-replica1

  # not-real: the fake is a tree in the memory of an agent
  # not-python: the fake is a tree in the memory of an agent
  @v3 @kazoo-fake @Q45 @not-real @not-python
  Scenario: With the fake ZooKeeper a layout that was deleted is still followed
    Given the ZooKeeper profile is "kazoo-fake"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry
    When znode /gip/layouts/main is deleted
    And 1s passes
    And ctr:entry is published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry
    When ctr:entry is unpublished from layout main
    Then within 1s the model config of shard0-replica0 is empty

  @v3 @zookeeper-3.8
  Scenario: With a server 3.8 every agent finds all
    Given the ZooKeeper profile is "zookeeper-3.8"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 95s the agent of shard0-replica0 lists ctr:entry on every pod
    And within 1s the agent of shard0-replica1 lists ctr:entry on every pod

  @v3 @zookeeper-3.9
  Scenario: With a server 3.9 every agent finds all
    Given the ZooKeeper profile is "zookeeper-3.9"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 95s the agent of shard0-replica0 lists ctr:entry on every pod
    And within 1s the agent of shard0-replica1 lists ctr:entry on every pod

  @v3 @zookeeper-3.8 @Q45
  Scenario: With a server a layout that was deleted is followed no more
    Given the ZooKeeper profile is "zookeeper-3.8"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry
    When ctr:entry is unpublished from layout main
    And 1s passes
    And znode /gip/layouts/main is deleted
    And 1s passes
    And ctr:entry is published to layout main
    Then for 5m the model config of shard0-replica0 is empty

  # not-real: the fake is a tree in the memory of an agent
  # not-python: the fake is a tree in the memory of an agent
  @v3 @kazoo-fake @not-real @not-python
  Scenario: With the fake ZooKeeper nothing is ephemeral, and nothing goes with its agent
    Given the ZooKeeper profile is "kazoo-fake"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 95s ctr:entry is bound to shard0-replica0
    When the agent of shard0-replica1 is killed
    Then for 60s the agent of shard0-replica0 lists ctr:entry on shard0-replica0

  @v3 @zookeeper-3.8
  Scenario: With a server what an agent told goes with its session, ten seconds after it
    Given the ZooKeeper profile is "zookeeper-3.8"
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 95s ctr:entry is bound to every pod
    When the agent of shard0-replica1 is killed
    Then for 5s ctr:entry is bound to every pod
    And within 8s ctr:entry is bound to shard0-replica0
    And within 1s the agent of shard0-replica0 lists ctr:entry on shard0-replica0
