# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Processes whose environment says where all of them are

  # TRN-2.13, TRN-2.16: TF_CONFIG of Primus and the variables of MLP; nobody registers.
  Scenario Outline: A job trains, saves and ends
    Given a training job with 2 workers and 2 PS
    And the job setting discovery is "<discovery>"
    And the job setting save_every is "20s"
    And the job setting max_steps is "200"
    When the training starts
    Then within 2m 1 checkpoint was saved
    And within 5m chief has ended with exit code 0
    And within 35s ps1 has ended with exit code 0
    And worker2 has ended with exit code 0
    And znode /monolith/job does not exist

    Examples:
      | discovery |
      | primus    |
      | mlp       |

  # TRN-2.22: who is started again is where it was, so that the cluster is the same.
  Scenario Outline: A PS that dies is found again where it was
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "<discovery>"
    And the job setting save_every is "20s"
    And the job setting max_retries is "1"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 60 or more
    When ps1 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And within 5m the global step is 150 or more
    When ps1 is killed
    Then within 5m a checkpoint was restored 2 times
    And within 5m the global step is 200 or more
    And chief was started 1 time
    And worker1 was started 1 time

    Examples:
      | discovery |
      | primus    |
      | mlp       |

  # TRN-2.18: the master's address is in the environment, too.
  # not-real: the application master is one of the simulation
  @not-real
  Scenario Outline: The application master ends a job by any discovery
    Given a training job with 1 worker and 1 PS
    And the job setting discovery is "<discovery>"
    And the job setting application_master is "true"
    And the job setting max_steps is "100"
    When the training starts
    Then within 4m chief has ended with exit code 0
    And within 21s worker1 has ended with exit code 0

    Examples:
      | discovery |
      | consul    |
      | primus    |
      | mlp       |

  # TRN-2.22: who is in TF_CONFIG is tried for 60 s, and again after 30 s.
  Scenario: A job with TF_CONFIG tries to reach a PS until it does
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "primus"
    When the training starts
    And ps1 is unreachable for 4m
    Then chief has tried again 2 times
    And the global step is 0 or less
    And within 3m the global step is 10 or more
    And chief was started 1 time

  # TRN-2.16, TRN-2.19: MLP waits for the port of each PS.
  Scenario: A job of MLP waits for a PS that listens late
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "mlp"
    When the training starts
    And ps1 is unreachable for 30m
    Then chief has tried again 0 times
    And the global step is 0 or less
    And within 1m the global step is 10 or more

  @long
  Scenario: A job of MLP gives a PS up that does not listen for an hour
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "mlp"
    When the training starts
    And ps1 is unreachable for 61m
    Then chief has ended with exit code 1
    And worker1 has ended with exit code 1
    And ps0 is at work
