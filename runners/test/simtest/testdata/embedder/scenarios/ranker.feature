Feature: The ranker

  Background:
    Given a v3 cluster of 1 shard with 2 replicas
    And model ranker with sub-graphs entry of 30 MB in version 1

  @kill
  Scenario: A killed agent falls silent
    When the cluster starts
    Then within 30s 2 agents answer
    When the agent of shard0-replica1 is killed
    Then for 10s 1 agents answer

  @flags
  Scenario: Flags outlive an outage
    When the cluster starts
    And the feature flag dark-mode is "on"
    And ZooKeeper is down for 30s
    Then within 10s znode /flags/dark-mode holds "on"
