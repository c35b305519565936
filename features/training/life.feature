# not-python: the reference trains with a TensorFlow of its own, whose operations are not public
@not-python
Feature: The life of a training job

  Scenario: A job trains, saves and ends, and its PS end with it
    Given a training job with 2 workers and 2 PS
    And the job setting max_steps is "300"
    And the job setting save_every is "30s"
    When the training starts
    Then within 2m the global step is 30 or more
    And within 5m chief has ended with exit code 0
    And within 5s ps0 has ended with exit code 0
    And worker1 has ended with exit code 0
    And every checkpoint that is listed is stored

  Scenario: A job that is started again goes on from its last checkpoint
    Given a training job with 1 worker and 1 PS
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 100 or more
    When chief is killed
    Then within 5m a checkpoint was restored 1 time
    And worker1 was started 1 time
    And within 3m the global step is 60 or more
    And worker1 is at work

  # TRN-2.22: another address of a PS is another cluster.
  @TRN-S14
  Scenario: A PS that dies takes its variables along, and the job goes back to its last checkpoint
    Given a training job with 2 workers and 2 PS
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 150 or more
    When ps1 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And within 5m the global step is 150 or more
    And chief was started 1 time
    And ps1 was started 2 times

  # TRN-2.12: only the first PS has the global step.
  Scenario: With partial recovery only the PS that died begins again with the checkpoint
    Given a training job with 2 workers and 2 PS
    And the job setting partial_recovery is "true"
    And the job setting save_steps is "100"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    And within 2m the global step is 180 or more
    When ps1 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And the global step is 180 or more

  Scenario: With partial recovery the PS that counts the steps takes them along
    Given a training job with 2 workers and 2 PS
    And the job setting partial_recovery is "true"
    And the job setting save_steps is "100"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    And within 2m the global step is 180 or more
    When ps0 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And the global step is 160 or less

  # TRN-2.11: a worker that crashed leaves its flag, and the chief waits its full time.
  @TRN-S11 @Q239 @long
  Scenario: The end of the chief takes half an hour when a worker has died
    Given a training job with 2 workers and 1 PS
    And the job setting max_steps is "400"
    When the training starts
    Then within 3m the global step is 200 or more
    When worker2 is killed
    Then within 5m worker1 has ended with exit code 0
    And for 29m chief is at work
    And within 3m chief has ended with exit code 0

  # TRN-2.4: tpu_runner.py in its mode eval is a program of its own, which knows the directory only.
  @TRN-S18
  Scenario: An evaluation follows the checkpoints and ends with the last one
    Given a training job with 0 workers and 1 PS
    And the job setting max_steps is "60"
    And the job setting save_steps is "20"
    And the job setting evaluator is "true"
    When the training starts
    Then within 5m chief has ended with exit code 0
    And within 1m evaluator has ended with exit code 0
    And checkpoint 20 was evaluated 1 time
    And checkpoint 40 was evaluated 1 time
    And checkpoint 60 was evaluated 1 time
    And 0 checkpoints were gone before an evaluation

  # What is gone when an evaluation reads it is passed over, and so is what came in the meantime.
  @TRN-S18
  Scenario: An evaluation that is slower than retention passes over what is gone
    Given a training job with 0 workers and 1 PS
    And the job setting max_steps is "120"
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "1"
    And the job setting evaluator is "true"
    And the job setting eval_setup is "25s"
    When the training starts
    Then within 10m chief has ended with exit code 0
    And within 2m evaluator has ended with exit code 0
    And checkpoint 120 was evaluated 1 time
    And 1 evaluation was made
    And checkpoint 10 was evaluated 0 times
    And checkpoint 120 is stored

  # TRN-6.2: the evaluation gives up five hours after the last checkpoint.
  # not-real: five hours are too long for the clock of this machine
  @TRN-S18 @not-real
  Scenario: An evaluation without new checkpoints ends after five hours
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "20"
    And the job setting evaluator is "true"
    When the training starts
    Then within 2m checkpoint 20 was evaluated 1 time
    When chief is killed
    And ps0 is killed
    Then for 4h59m evaluator is at work
    And within 2m evaluator has ended with exit code 0
