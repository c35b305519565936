Feature: The fakes of the reference's own tests

  Background:
    Given a v3 cluster of 1 shard with 2 replicas
    And the ZooKeeper profile is "kazoo-fake"
    And model ctr with sub-graphs entry of 30 MB in version 1

  @v3 @kazoo-fake
  Scenario: With the fake ZooKeeper every agent finds only itself
    When the cluster starts
    And 1s passes
    And model ctr is declared and published to layout main
    Then within 95s the agent of shard0-replica0 lists ctr:entry on shard0-replica0
    And within 1s the agent of shard0-replica1 lists ctr:entry on shard0-replica1

  @v3 @kazoo-fake @Q45
  Scenario: With the fake ZooKeeper a layout that was deleted is still followed
    When the cluster starts
    And 1s passes
    And model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry
    When znode /gip/layouts/main is deleted
    And 1s passes
    And ctr:entry is published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry
