Feature: A model is rolled out

  Scenario: Every agent lists a published model, and a short outage of ZooKeeper changes nothing
    Given a v3 cluster of 1 shard with 2 replicas
    And model ranker with sub-graphs entry of 30 MB in version 1
    When the cluster starts
    And model ranker is declared and published to layout main
    Then within 95s ranker:entry is bound to every pod
    And within 1s every agent lists ranker:entry on every pod
    When ZooKeeper is down for 5s
    Then for 1m every agent lists ranker:entry on every pod
