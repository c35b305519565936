# not-real: a recorded case is asked of the code, without a cluster
# not-python: a recorded case is asked of the code, without a cluster
@not-real @not-python
Feature: The mirror of ZooKeeper that agents of version 2 look at

  @v2 @Q178
  Scenario: Counting the replicas of a container fails
    Given the recorded case zk_mirror.sequence/replicas-are-counted
    When it is answered as the reference does
    Then step 5 raises AttributeError
    When it is answered with Q178 repaired
    Then step 5 returns 1

  @v2 @Q179
  Scenario: A mirror that stood for election cannot stop
    Given the recorded case zk_mirror.sequence/stop-after-an-election
    When it is answered as the reference does
    Then step 3 raises AttributeError
    And the answer at "tree" has "/b/service" 1 time
    When it is answered with Q179 repaired
    Then step 3 returns null
    And the answer at "tree" is null

  @v2 @Q180
  Scenario: A task has the replicas of all tasks whose number begins as its own does
    Given the recorded case zk_mirror.sequence/children-of-a-longer-number
    When it is answered as the reference does
    Then step 3 returns ["0", "7"]
    When it is answered with Q180 repaired
    Then step 3 returns ["0"]

  @v2 @Q181
  Scenario: A publish of another version is told, and then forgotten for the first one
    Given the recorded case zk_mirror.sequence/publish-of-another-version
    When it is answered as the reference does
    Then the answer at "steps > 4 > m > sub_models > entry" is "/x/entry/1"
    When it is answered with Q181 repaired
    Then the answer at "steps > 4 > m > sub_models > entry" is "/x/entry/2"

  @v2 @Q182
  Scenario: Purging a model purges those whose name ends as its name does
    Given the recorded case zk_mirror.sequence/publish-of-a-longer-name
    When it is answered as the reference does
    Then step 4 returns ["/b/publish/0:0:m", "/b/publish/0:0:xm"]
    And the answer at "tree" has no "/b/publish/0:0:xm"
    When it is answered with Q182 repaired
    Then step 4 returns ["/b/publish/0:0:m"]
    And the answer at "tree" has "/b/publish/0:0:xm" 1 time

  # Over the reference's fake client the watch lives all the same; with a real
  # ZooKeeper one on a missing path is dead.
  @v2 @Q183
  Scenario: Resources are watched without making sure that their path is there
    Given the recorded case zk_mirror.sequence/resources-before-their-path
    When it is answered as the reference does
    Then the answer at "steps > 2" has no "writes"
    When it is answered with Q183 repaired
    Then the answer at "steps > 2 > writes" is [["ensure_path", {"path": "/b/resource"}]]

  @v2 @Q184
  Scenario: One replica without data fails the list of all
    Given the recorded case zk_mirror.sequence/replica-without-data
    When it is answered as the reference does
    Then step 4 raises TypeError
    And the answer at "data > /b/service/m/ps:0/1" is null
    When it is answered with Q184 repaired
    Then the answer at "steps > 4 > m:ps:0 > 1 > address" is "h:00"
    And the answer at "data" has no "/b/service/m/ps:0/1"

  @v2 @Q185
  Scenario: Taking back what was never published tells nobody
    Given the recorded case zk_mirror.sequence/unload-of-nothing
    When it is answered as the reference does
    Then the answer at "steps > 2" has no "events"
    When it is answered with Q185 repaired
    Then the answer at "steps > 2 > events" has "/b/publish/0:0:m" 1 time

  @v2 @Q186
  Scenario: A data centre beside the tasks of a model fails the list of all replicas
    Given the recorded case zk_mirror.sequence/location-beside-a-replica
    When it is answered as the reference does
    Then step 4 raises ValueError
    When it is answered with Q186 repaired
    Then the answer at "steps > 4 > m:ps:0 > 1 > address" is "h:00"

  @v2 @Q187
  Scenario: A second request to load a model is ignored
    Given the recorded case zk_mirror.sequence/second-request
    When it is answered as the reference does
    Then the answer at "steps > 3 > events" has "/b/portal/m" 1 time
    And the answer at "steps > 4" has no "events"
    When it is answered with Q187 repaired
    Then the answer at "steps > 4 > events" has "/b/portal/m" 1 time
    And the answer at "steps > 4 > events > /b/portal/m > 3" has "CHANGED" 1 time

  @v2 @Q188
  Scenario: A leader whose connection is lost forgets resources and election
    Given the recorded case zk_mirror.sequence/connection-lost-while-leading
    When it is answered as the reference does
    Then the answer at "steps > 3 > calls" has "leader" 1 time
    And step 5 returns []
    When it is answered with Q188 repaired
    Then the answer at "steps > 3 > calls" has "leader" 2 times
    And the answer at "steps > 5 > 1 > address" is "h:00"

  @v2 @Q192
  Scenario: A leader does not know that it leads
    Given the recorded case zk_mirror.sequence/leader-asks
    When it is answered as the reference does
    Then the answer at "steps > 2 > calls > is_leader" is false
    When it is answered with Q192 repaired
    Then the answer at "steps > 2 > calls > is_leader" is true
    And step 3 returns false

  @v2 @Q33
  Scenario: The service of version 2 takes a number for a name and finds no replicas
    Given the recorded case agent_service.AgentServiceImpl.v2/replicas-of-one-task
    When it is answered as the reference does
    Then the answer at "calls > 1" raises AttributeError
    And the answer at "calls > 2 > json" is {}
    When it is answered with Q33 repaired
    Then the answer at "calls > 1 > json > address_list > address" is ["h:00", "h:01"]
    And the answer at "calls > 2 > json > addresses > m:ps:0 > address" is ["h:00", "h:01"]
