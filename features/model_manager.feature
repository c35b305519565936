# not-real: a recorded case is asked of the code, without a cluster
# not-python: a recorded case is asked of the code, without a cluster
@not-real @not-python
Feature: Copying models from the download directory

  @Q100
  Scenario: A read lock that a crash left behind fails every later start
    Given the recorded case model_manager.ModelManager.sequence/lock-of-a-crash
    When it is answered as the reference does
    Then step 1 returns false
    And the answer at "steps > 1 > tree" has "p2p/m@0.read.lock" 1 time
    When it is answered with Q100 repaired
    Then step 1 returns true
    And the answer at "steps > 1 > tree" has no "p2p/m@0.read.lock"

  @Q102
  Scenario: Version 9 is newer than version 10
    Given the recorded case model_manager.ModelManager.sequence/nine-and-ten
    When it is answered as the reference does
    Then the answer at "steps > 1 > latest > m > 1" is "9"
    When it is answered with Q102 repaired
    Then the answer at "steps > 1 > latest > m > 1" is "10"

  @Q103
  Scenario: A manager starts with a model whose name only begins as its own does
    Given the recorded case model_manager.ModelManager.sequence/longer-name-only
    When it is answered as the reference does
    Then step 2 returns true
    And the answer at "steps > 2 > models" has "mx" 1 time
    When it is answered with Q103 repaired
    Then step 2 returns false
    And the answer at "steps > 2 > models" has no "mx"

  @Q104
  Scenario: Half a copy that was left behind is served as the model
    Given the recorded case model_manager.ModelManager.sequence/half-a-copy
    When it is answered as the reference does
    Then the answer at "steps > 1 > tree" has "recv/m/ps_0/1/half" 1 time
    And the answer at "steps > 1 > tree" has no "recv/m/ps_0/1/f"
    When it is answered with Q104 repaired
    Then the answer at "steps > 1 > tree" has no "recv/m/ps_0/1/half"
    And the answer at "steps > 1 > tree" has "recv/m/ps_0/1/f" 1 time

  @Q105
  Scenario: A version that is still being downloaded is locked too
    Given the recorded case model_manager.ModelManager.sequence/unfinished-version
    When it is answered as the reference does
    Then the answer at "steps > 1 > lock_files" is ["<TMP>/p2p/m@1.read.lock", "<TMP>/p2p/m@2.read.lock"]
    When it is answered with Q105 repaired
    Then the answer at "steps > 1 > lock_files" is ["<TMP>/p2p/m@1.read.lock"]

  @Q106
  Scenario: Of two versions too many one goes in a round
    Given the recorded case model_manager.ModelManager.sequence/seven-versions
    When it is answered as the reference does
    Then the answer at "steps > 14 > tree" has no "recv/m/ps_0/1/"
    And the answer at "steps > 14 > tree" has "recv/m/ps_0/2/" 1 time
    When it is answered with Q106 repaired
    Then the answer at "steps > 14 > tree" has no "recv/m/ps_0/2/"
    And the answer at "steps > 14 > tree" has "recv/m/ps_0/3/" 1 time
