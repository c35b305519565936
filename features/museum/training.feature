Feature: What breaks training jobs, and the same repaired

  # found by monosim explore: INV-2, after 519 stories of all worlds, in training by ZooKeeper
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q324 @not-real @not-python
  Scenario Outline: A worker that loses its session while it waits at a barrier (quirks <quirks>)
    Given a training job with 2 workers and 1 PS
    And the job setting save_steps is "50"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    And the choice chief/pace.import#0 is 197
    When the training starts
    And 465.821s pass
    And the connections of worker1 break for 1s
    And 34s pass
    Then within 1s <outcome>

    Examples:
      | quirks | outcome                          |
      | Q324   | the workers at the barrier are "1" |
      | fixed  | the workers at the barrier are ""  |

  # found by monosim explore: grows, after 12932 stories of all worlds, in training by ZooKeeper
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q326 @not-real @not-python
  Scenario Outline: A PS that registers while the session of its life before is there (quirks <quirks>)
    Given a training job with 1 worker and 2 PS
    And the job setting restart_after is "20s"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 1s passes
    And ZooKeeper loses its leader for 10s
    And ps1 is killed
    And 160s pass
    Then <outcome>

    Examples:
      | quirks | outcome                         |
      | Q326   | znode /monolith/job/ps.1 does not exist |
      | fixed  | for 3m the cluster is quiet     |
