# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: What a training job exports is served

  @v3 @TRN-S13
  Scenario: From a save to a served address
    Given a v3 cluster of 1 shard with 2 replicas
    And a training job with 2 workers and 1 PS
    And the job setting save_every is "2m"
    And the job setting export_dir is "/models/ctr"
    When ctr:entry is declared
    And ctr:entry is published to layout main
    And the training starts
    And the cluster starts
    Then within 4m 1 export of ctr:entry is stored
    And within 65s every model server serves the newest export of ctr:entry
    And within 5m every agent lists ctr:entry on every pod
    When the operator calls SaveCheckpoint
    Then 2 exports of ctr:entry are stored
    And within 5s every model server serves the newest export of ctr:entry
    And for 65s every agent lists ctr:entry on every pod

  @v3
  Scenario: A job with several graphs feeds an entry and a PS
    Given a v3 cluster of 1 shard with 1 replica
    And a training job with 1 worker and 1 PS
    And the job setting save_every is "2m"
    And the job setting export_dir is "/models/ctr"
    And the job setting export_graphs is "[entry, ps_0]"
    When ctr:entry and ctr:ps_0 are declared
    And ctr:entry and ctr:ps_0 are published to layout main
    And the training starts
    And the cluster starts
    Then within 6m every model server serves the newest export of ctr:entry
    And within 1s every model server serves the newest export of ctr:ps_0
    And within 5m every agent lists ctr:ps_0 on every pod

  @v3
  Scenario: What was served goes on being served while the job fails and comes back
    Given a v3 cluster of 1 shard with 1 replica
    And a training job with 1 worker and 1 PS
    And the job setting save_every is "2m"
    And the job setting restart_after is "30s"
    And the job setting export_dir is "/models/ctr"
    When ctr:entry is declared
    And ctr:entry is published to layout main
    And the training starts
    And the cluster starts
    Then within 6m every model server serves the newest export of ctr:entry
    And within 5m every agent lists ctr:entry on every pod
    When ps0 is killed
    Then for 3m every agent lists ctr:entry on every pod
    And within 10m 2 exports of ctr:entry are stored
    And within 5s every model server serves the newest export of ctr:entry

  # TRN-2.25: an export goes one save after its checkpoint has left the list.
  @v3 @TRN-S13
  Scenario: Exports are collected with their checkpoints, and the newest one is served
    Given a v3 cluster of 1 shard with 1 replica
    And a training job with 0 workers and 1 PS
    And the job setting save_every is "1m"
    And the job setting max_to_keep is "2"
    And the job setting export_dir is "/models/ctr"
    When ctr:entry is declared
    And ctr:entry is published to layout main
    And the training starts
    And the cluster starts
    And 10m pass
    Then 2 checkpoints are listed
    And 2 exports of ctr:entry are stored
    And within 5s every model server serves the newest export of ctr:entry

  @v3
  Scenario: A stop keeps the version that is served, and the next save brings a new one
    Given a v3 cluster of 1 shard with 1 replica
    And a training job with 1 worker and 1 PS
    And the job setting export_dir is "/models/ctr"
    When ctr:entry is declared
    And ctr:entry is published to layout main
    And the training starts
    And the cluster starts
    Then within 3m the global step is 20 or more
    When the operator calls SaveCheckpoint
    Then within 65s every model server serves the newest export of ctr:entry
    When the operator calls StopTraining
    And the operator calls SaveCheckpoint
    Then 2 exports of ctr:entry are stored
    And within 5s every model server serves the newest export of ctr:entry
    When the operator calls ResumeTraining
    Then within 2s the workers at the barrier are ""

  # An export is complete for who wrote it; the model servers find it when it is listed.
  # not-real: the files of this machine are there at once
  @v3 @not-real
  Scenario: An export that becomes visible late is served late
    Given a v3 cluster of 1 shard with 1 replica
    And a training job with 1 worker and 1 PS
    And the job setting save_every is "1h"
    And the job setting export_dir is "/models/ctr"
    When ctr:entry is declared
    And ctr:entry is published to layout main
    And the training starts
    And the cluster starts
    Then within 2m the global step is 20 or more
    When the operator calls SaveCheckpoint
    Then within 1m every model server serves the newest export of ctr:entry
    And within 5m every agent lists ctr:entry on every pod
    When files under /models become visible 10m late
    And the operator calls SaveCheckpoint
    Then 2 exports of ctr:entry are stored
    And for 9m every model server serves an export of ctr:entry before the newest
    And within 2m every model server serves the newest export of ctr:entry
