Feature: What invariants once took for a fault of agents, and no agent can help

  # TFS-9.2: a server that starts with a model of no version opens no port.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: The only version of a model is deleted
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And version 1 of ctr:entry is deleted
    And 150s pass
    Then for 3m the cluster is quiet
    And the cluster is whole

  # The entry waits for its PS, of which there is nothing (agent_v1.py:145).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @not-real @not-python
  Scenario: The only version of a PS is deleted
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the cluster starts
    And 1m passes
    And version 1 of predict_ctr:ps_0 is deleted
    And the entry server of shard0-replica0 is killed
    And 150s pass
    Then within 4m the cluster is whole

  # TFS-5.4: a version whose loads have failed is not tried again.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A version takes longer to become complete than its server tries
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 2s pass
    And the export of version 2 of ctr:entry begins without its graph, with variables of 30 MB for 250s
    And 260s pass
    And the base path of ctr:entry becomes unreadable for 1m
    And 210s pass
    Then within 4m the cluster is whole
    And the model server of shard0-replica0 has version 1 of ctr:entry AVAILABLE

  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A version is deleted while it is exported
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And the export of version 2 of ctr:entry begins without its variables of 30 MB for 1s
    And version 2 of ctr:entry is deleted
    And ZooKeeper goes down for 1s
    And 151s pass
    Then within 4m the cluster is whole
