# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Finding the processes of a training job

  # TRN-2.16: a session that was lost wakes the registrations.
  @TRN-S1
  Scenario: A PS whose session was lost registers again at once
    Given a training job with 1 worker and 2 PS
    When the training starts
    Then within 10s discovery has ps1 at its address
    When the ZooKeeper session of ps1 expires
    And 5s pass
    Then within 30s discovery has ps1 at its address
    And ps1 was started 1 time

  @TRN-S1
  Scenario: A PS that loses ZooKeeper for a while is back when it finds it again
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 10s discovery has ps0 at its address
    When ps0 loses ZooKeeper for 30s
    Then within 25s discovery does not have ps0
    And within 1m discovery has ps0 at its address

  # TRN-2.16: the znode of another session is overwritten and keeps its owner, with whose
  # session it goes; the registration of the next half hour heals it.
  @TRN-S2 @Q326 @long
  Scenario: A PS that is started again quickly loses its registration with the session of the one before
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 10s discovery has ps0 at its address
    When ps0 is killed
    And ps0 is started again
    Then within 3s discovery has ps0 at its address
    And within 15s discovery does not have ps0
    And for 29m discovery does not have ps0
    And within 2m discovery has ps0 at its address

  # TRN-2.21: the file is read whatever discovery has; without redundant PS the job goes on within minutes.
  @Q315
  Scenario: With redundant PS a PS that is started again is never found
    Given a training job with 0 workers and 2 PS
    And the job setting redundant_ps is "1"
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 1m the global step is 30 or more
    When ps1 is killed
    Then within 1m ps1 was started 2 times
    And within 5s discovery has ps1 at its address
    And for 10m a checkpoint was restored 0 times
    And chief is at work
    When the stored file /train/model/ps_cluster_dir/ps_info is written with ""
    Then within 5m a checkpoint was restored 1 time

  # A chief that looks again takes those that discovery has, and says so to the others.
  @Q315
  Scenario: With redundant PS and without the fault a PS that is started again is found
    Given a training job with 0 workers and 2 PS
    And the agents keep all quirks but Q315
    And the job setting redundant_ps is "1"
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 1m the global step is 30 or more
    When ps1 is killed
    Then within 5m a checkpoint was restored 1 time
    And chief was started 1 time
    And within 3m the global step is 100 or more

  @Q315
  Scenario: Without the fault a redundant PS takes the place of one that has died, for the workers too
    Given a training job with 1 worker and 2 PS
    And the agents keep all quirks but Q315
    And the job setting redundant_ps is "1"
    And the job setting save_every is "20s"
    And the job setting max_retries is "1"
    When the training starts
    Then within 2m 1 checkpoint was saved
    When ps1 is killed
    Then within 5m a checkpoint was restored 1 time
    And within 5m the global step is 200 or more
    And worker1 is at work
    And worker1 was started 1 time
