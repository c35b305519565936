Feature: What breaks clusters of agents of version 1, and the same repaired

  # found by monosim explore: servers, after 35 stories of all worlds, in v1 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q20 @not-real @not-python
  Scenario Outline: A model server that died before its port was seen (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 30s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1m pass
    And the entry server of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | python | for 4m the invariant servers is broken |
      | -Q20   | within 4m the cluster is whole         |

  # found by monosim explore: bound, after 43 stories of all worlds, in v1 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q120 @not-real @not-python
  Scenario Outline: A registration that an agent makes within the session of the one before (quirks <quirks>)
    Given a v1 cluster of 1 shard with 2 replicas
    And pods that end start again after 5s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1s passes
    And the agent of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | python | for 4m the invariant bound is broken |
      | -Q120  | within 4m the cluster is whole       |

  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q212 @not-real @not-python
  Scenario Outline: A PS that does not look for new versions (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1m pass
    And version 2 of predict_ctr:ps_0 is exported
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                                                 |
      | python | for 4m the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE |
      | -Q212  | the ps server of shard0-replica0 has version 2 of ps_0 AVAILABLE        |
