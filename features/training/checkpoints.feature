# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Checkpoints of a training job

  # TRN-2.12: the oldest that is not exempt goes, one at a save.
  @TRN-S12
  Scenario: Old checkpoints go, and those that are listed are there
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "3"
    When the training starts
    Then within 5m checkpoint 60 is listed
    And 3 checkpoints are listed
    And checkpoint 10 is not stored
    And every checkpoint that is listed is stored

  # not-real: a disk of this machine is as fast as it is
  @TRN-S12 @not-real
  Scenario: A chief that dies while it saves leaves a list whose checkpoints are there
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "2"
    And the job setting restart_after is "5s"
    When the training starts
    Then within 2m checkpoint 30 is listed
    When a checkpoint takes 10s to write
    And 12s pass
    And chief is killed
    Then for 30s every checkpoint that is listed is stored
    And within 5m a checkpoint was restored 1 time

  # not-real: a disk of this machine takes what is written
  @TRN-S12 @not-real
  Scenario: A write that fails once is tried again
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the next 1 write of a checkpoint fails
    Then within 1m checkpoint 20 is listed
    And chief is at work

  # not-real: a disk of this machine takes what is written
  @TRN-S12 @not-real
  Scenario: A write that fails twice ends the chief
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the next 2 writes of a checkpoint fail
    Then within 1m chief has ended with exit code 1
    And checkpoint 20 is not listed

  @TRN-S12
  Scenario: A checkpoint that is exempt stays
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "2"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the stored file /train/model/monolith_checkpoint is written with "exempt_model_checkpoint_paths: 'model.ckpt-10'"
    Then within 5m checkpoint 60 is listed
    And checkpoint 10 is stored
    And 3 checkpoints are listed

  @TRN-S12 @Q247
  Scenario: A checkpoint stays exempt when the list is emptied
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "2"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the stored file /train/model/monolith_checkpoint is written with "exempt_model_checkpoint_paths: 'model.ckpt-10'"
    Then within 5m checkpoint 40 is listed
    When the stored file /train/model/monolith_checkpoint is written with ""
    Then within 5m checkpoint 80 is listed
    And checkpoint 10 is stored

  @TRN-S12 @Q247
  Scenario: A checkpoint goes once the list is emptied
    Given a training job with 0 workers and 1 PS
    And the agents keep all quirks but Q247
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "2"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the stored file /train/model/monolith_checkpoint is written with "exempt_model_checkpoint_paths: 'model.ckpt-10'"
    Then within 5m checkpoint 40 is listed
    When the stored file /train/model/monolith_checkpoint is written with ""
    Then within 5m checkpoint 80 is listed
    And checkpoint 10 is not stored

  # TRN-2.12: hours in UTC.
  # not-real: the clock of this machine has the hour that it has
  @TRN-S17 @not-real
  Scenario: Out of the window of hours saves are as far apart as the tide has them
    Given a training job with 0 workers and 1 PS
    And the job setting save_every is "1m"
    And the job setting tide_start_hour is "6"
    And the job setting tide_end_hour is "7"
    And the job setting tide_save_every is "20m"
    When the training starts
    And 61m pass
    Then 3 checkpoints were saved

  # The world begins at 00:00 UTC, which is out of this window.
  # not-real: the clock of this machine has the hour that it has
  @TRN-S17 @Q246 @not-real
  Scenario: A window over midnight never closes
    Given a training job with 0 workers and 1 PS
    And the job setting save_every is "1m"
    And the job setting tide_start_hour is "1"
    And the job setting tide_end_hour is "0"
    And the job setting tide_save_every is "20m"
    When the training starts
    And 30m pass
    Then 29 checkpoints were saved

  # not-real: the clock of this machine has the hour that it has
  @TRN-S17 @Q246 @not-real
  Scenario: A window over midnight that closes is closed for its hour
    Given a training job with 0 workers and 1 PS
    And the agents keep all quirks but Q246
    And the job setting save_every is "1m"
    And the job setting tide_start_hour is "1"
    And the job setting tide_end_hour is "0"
    And the job setting tide_save_every is "20m"
    When the training starts
    And 30m pass
    Then 1 checkpoint was saved

  # TRN-2.12: to TensorFlow every part of a path is a pattern. /train/run[1] is one that /train/run1 matches,
  # and that it does not match itself.
  @Q327 @Q330
  Scenario: A job in a directory whose name is a pattern removes a neighbour's checkpoints, and restores none of its own
    Given a training job with 0 workers and 1 PS
    And the job setting model_dir is "/models/run[1]"
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "2"
    And the job setting restart_after is "5s"
    When the stored file /models/run1/model.ckpt-10.index is written with "of another job"
    And the training starts
    Then within 2m checkpoint 60 is listed
    And checkpoint 10 is not listed
    And checkpoint 10 is stored
    And the stored file /models/run1/model.ckpt-10.index does not exist
    When chief is killed
    Then within 1m chief was started 2 times
    And within 1m chief was started 3 times
    And within 5s ps0 has ended with exit code 0
    When ps0 is started again
    Then within 1m chief was started 4 times
    When 10s pass
    Then a checkpoint was restored 0 times

  @Q330
  Scenario: Directories that are taken as they are written
    Given a training job with 0 workers and 1 PS
    And the agents keep all quirks but Q330
    And the job setting model_dir is "/models/run[1]"
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "2"
    And the job setting restart_after is "5s"
    When the stored file /models/run1/model.ckpt-10.index is written with "of another job"
    And the training starts
    Then within 2m checkpoint 60 is listed
    And checkpoint 10 is not stored
    And the stored file /models/run1/model.ckpt-10.index has "of another job"
    When chief is killed
    Then within 2m a checkpoint was restored 1 time
