# not-real: a recorded case is asked of the code, without a cluster
# not-python: a recorded case is asked of the code, without a cluster
@not-real @not-python
Feature: The control command

  @Q54
  Scenario: The model name of the command line is not looked at
    Given the recorded case agent_controller.main/name-of-the-flags
    When it is answered as the reference does
    Then the answer at "writes > create > path" is "/gip/saved_models/ctr/entry"
    When it is answered with Q54 repaired
    Then the answer at "writes > create > path" is "/gip/saved_models/other/entry"

  @Q55
  Scenario: The oldest export is taken for the latest
    Given the recorded case agent_controller.find_model_name/two-exports
    When it is answered as the reference does
    Then the answer is "old"
    When it is answered with Q55 repaired
    Then the answer is "new"

  @Q58
  Scenario: A hidden directory beside the sub-graphs is declared as one
    Given the recorded case agent_controller.declare_saved_model/hidden-directory
    When it is answered as the reference does
    Then the answer at "saved_models" is ["ctr:.tmp", "ctr:entry"]
    When it is answered with Q58 repaired
    Then the answer at "saved_models" is ["ctr:entry"]
