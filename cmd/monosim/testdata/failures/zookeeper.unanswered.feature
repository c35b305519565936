Feature: A failure after zookeeper.unanswered

  Scenario: A znode is written although nobody asked for it
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When ZooKeeper applies the next 1 request of shard0-replica0 without answering
    Then for 60s znode /gip/binding/ctr/ps_0:monolith.serving;lf;default:shard0-replica0 exists
    And within 5s znode /gip/binding/ctr/ps_1:monolith.serving;lf;default:shard0-replica0 exists
