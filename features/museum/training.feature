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

  # found by monosim explore: at-work, after 450 stories of all worlds, in training that restores
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q251 @not-real @not-python
  Scenario Outline: A training that restores from a directory without a checkpoint (quirks <quirks>)
    Given a training job with 1 worker and 1 PS
    And the job setting restart_after is "20s"
    And the job setting restore_dir is "/train/old"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | python | for 4m the invariant at-work is broken |
      | -Q251  | within 4m the cluster is whole         |

  # found by monosim explore: grows, after 3228 stories of all worlds, in training by Consul
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q300 @not-real @not-python
  Scenario Outline: A PS that Consul could not be asked about (quirks <quirks>)
    Given a training job with 2 workers and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the job setting discovery is "consul"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 143s pass
    And Consul goes down for 10s
    And 16s pass
    And the connections of chief are refused for 1s
    And 151s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                 |
      | python | within 4m the invariant grows is broken |
      | -Q300  | for 3m the cluster is quiet             |

  # found by monosim explore: grows, after 598 stories of all worlds, in training by Consul
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q303 @not-real @not-python
  Scenario Outline: Processes that Consul has forgotten (quirks <quirks>)
    Given a training job with 1 worker and 2 PS
    And the job setting restart_after is "20s"
    And the job setting discovery is "consul"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 1s passes
    And Consul forgets what is registered
    And the connections of ps1 are refused for 40s
    And 151s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                 |
      | python | within 4m the invariant grows is broken |
      | -Q303  | for 3m the cluster is quiet             |

  # found by monosim explore: grows, after 229 stories of all worlds, in training with a redundant PS
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q315 @not-real @not-python
  Scenario Outline: The first addresses of a job with redundant PS (quirks <quirks>)
    Given a training job with 1 worker and 1 PS
    And the job setting restart_after is "20s"
    And the job setting redundant_ps is "1"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 1s passes
    And ps0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | Q315   | for 4m the invariant grows is broken |
      | fixed  | within 4m the cluster is whole       |

  # found by monosim explore: at-work, after 437 stories of all worlds, in training by ZooKeeper
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q327 @not-real @not-python
  Scenario Outline: A chief that ends because its checkpoint could not be written (quirks <quirks>)
    Given a training job with 1 worker and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And the next 2 writes of a checkpoint fail
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | Q327   | for 4m the invariant at-work is broken |
      | fixed  | within 4m the cluster is whole         |

  # found by monosim explore: health, after 103 stories of all worlds, in training with a memory limit
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q240 @not-real @not-python
  Scenario Outline: A PS whose memory is looked at while a save holds the workers (quirks <quirks>)
    Given a training job with 2 workers and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the job setting ps_memory_limit is "2000000"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 1m passes
    And the memory of ps0 comes to 3 MB
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                       |
      | python | within 5m the global step is 600 or more      |
      | -Q240  | for 5m the workers at the barrier are "1, 2" |

  # found by monosim explore: ends, after 559 stories of all worlds, in training that ends
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q239 @not-real @not-python
  Scenario Outline: A chief whose worker has died ends late (quirks <quirks>)
    Given a training job with 2 workers and 1 PS
    And the job setting max_steps is "400"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 10s pass
    And worker1 is killed
    And 440s pass
    Then <outcome>

    Examples:
      | quirks | outcome                           |
      | python | for 10m chief is at work          |
      | -Q239  | chief has ended with exit code 0 |

  # found by monosim explore: grows, in training that restores
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q322 @not-real @not-python
  Scenario Outline: How long an outage lasts for a training job (quirks <quirks>)
    Given a training job with 1 worker and 1 PS
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 30s pass
    And ZooKeeper is down for 640s
    And 30s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                            |
      | python | for 1m znode /monolith/job/worker.0 does not exist |
      | -Q322  | for 1m znode /monolith/job/worker.0 exists         |

  # found by monosim explore: at-work, after 22 stories of all worlds, in training by Consul
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q244 @not-real @not-python
  Scenario Outline: A monolith_checkpoint of bytes that are no text (quirks <quirks>)
    Given a training job with 1 worker and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And 10s pass
    And the stored file /train/model/monolith_checkpoint is garbled
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | python | for 4m the invariant at-work is broken |
      | -Q244  | within 4m the cluster is whole         |

  # found by monosim explore: once, after 7 stories of this world, in training in long steps
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q242 @not-real @not-python
  Scenario Outline: Two saves that are asked for within one step (quirks <quirks>)
    Given a training job with 1 worker and 2 PS
    And the job setting step_time is "20s"
    And the job setting save_every is "1m"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    And the choice worker1/pace.import#0 is 5757
    When the training starts
    And 90s pass
    And the operator begins to call SaveCheckpoint
    And 10s pass
    And the operator begins to call SaveCheckpoint
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                  |
      | Q242   | 4 checkpoints were saved |
      | fixed  | 3 checkpoints were saved |

  # found by monosim explore: oldest, after 38 stories of this world, in training in long steps
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q247 @not-real @not-python
  Scenario Outline: A checkpoint that is exempt no more (quirks <quirks>)
    Given a training job with 1 worker and 1 PS
    And the job setting step_time is "20s"
    And the job setting save_every is "1m"
    And the job setting max_to_keep is "2"
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the training starts
    And the stored file /train/model/monolith_checkpoint is written with "exempt_model_checkpoint_paths: 'model.ckpt-6'"
    And 250s pass
    And the stored file /train/model/monolith_checkpoint is written with ""
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                    |
      | Q247   | checkpoint 6 is stored     |
      | fixed  | checkpoint 6 is not stored |
