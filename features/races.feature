Feature: Races between the reference's threads and processes

  # not-real: a process writes its file in less time than anybody could look
  # not-python: a process writes its file in less time than anybody could look
  @v3 @Q31 @not-real @not-python
  Scenario: A config file that is polled while its agent writes it changes nothing until a later poll
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And ctr:entry and ctr:ps_0 are declared
    And ctr:entry is published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to shard0-replica0
    When the agent of shard0-replica0 takes 90s to write a file
    And ctr:ps_0 is published to layout main
    Then within 1s the model config of shard0-replica0 is empty
    And for 85s every model server has version 1 of ctr:entry AVAILABLE
    And the model config of shard0-replica0 is empty
    And every model server has no version of ctr:ps_0
    And ctr:entry is bound to shard0-replica0
    When the agent of shard0-replica0 writes a file in one step
    Then within 10s the model config of shard0-replica0 lists ctr:entry and ctr:ps_0
    And within 65s every model server has version 1 of ctr:ps_0 AVAILABLE

  # not-real: the second in which the agent kills is too short to be met from outside
  # not-python: the second in which the agent kills is too short to be met from outside
  @v1 @Q14 @Q20 @not-real @not-python
  Scenario Outline: A v1 agent that is asked to stop while it gives up on its PS <comes to> (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And the agents keep the quirks "<quirks>"
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 2000 GB in version 1
    When the cluster starts
    Then within 5s shard0-replica0 runs 1 model server
    And for 1h shard0-replica0 runs 1 model server
    And within 2m shard0-replica0 runs 0 model servers
    When the agent of shard0-replica0 is asked to stop
    Then <outcome>

    Examples:
      | quirks | comes to        | outcome                                                 |
      | python | stays for ever  | for 24h shard0-replica0 runs                            |
      | -Q14   | ends all the same | within 2s shard0-replica0 has ended with exit code -9 |

  @v3 @Q32
  Scenario: An agent lists all bindings of before a change, or all of after it, while it reads them
    Given a v3 cluster of 1 shard with 3 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to every pod
    And within 2s every agent lists ctr:entry on every pod
    When the network between shard0-replica0 and ZooKeeper becomes slower by 1s for 60s
    And the agent of shard0-replica2 is killed
    Then for 8s the agent of shard0-replica0 lists ctr:entry on every pod
    And within 12s the agent of shard0-replica1 lists ctr:entry on shard0-replica0 and shard0-replica1
    And the agent of shard0-replica0 lists ctr:entry on every pod
    And within 8s the agent of shard0-replica0 lists ctr:entry on shard0-replica0 and shard0-replica1

  # not-agent: the order of a set by its hash seed is Python's own
  @v3 @Q217 @not-agent
  Scenario Outline: Which of two bindings is made first follows from the hash seed of the agent's Python (<seed>)
    Given a v3 cluster of 1 shard with 1 replica
    And the environment variable "PYTHONHASHSEED" is "<seed>"
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to shard0-replica0
    And within 1s ctr:ps_0 is bound to shard0-replica0
    And the binding of <first> to shard0-replica0 is older than that of <second>

    Examples:
      | seed | first     | second    |
      | 1    | ctr:entry | ctr:ps_0  |
      | 2    | ctr:ps_0  | ctr:entry |
