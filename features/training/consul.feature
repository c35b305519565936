# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Finding the processes of a training job by Consul

  Background:
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "consul"

  Scenario: A job finds its processes, trains and ends
    Given the job setting max_steps is "200"
    And the job setting save_every is "30s"
    When the training starts
    Then within 10s discovery has ps1 at its address
    And within 10s discovery has chief at its address
    And within 1m the global step is 10 or more
    And within 5m chief has ended with exit code 0
    And within 5s ps1 has ended with exit code 0

  # TRN-2.17: heartbeats every 30 s, a TTL of 60 s.
  @TRN-S3
  Scenario: A PS that dies is listed until its TTL is over
    When the training starts
    Then within 10s discovery has ps1 at its address
    When 40s pass
    And ps1 is killed
    Then for 45s discovery has an address of ps1
    And within 7s discovery does not have ps1

  @TRN-S3 @long
  Scenario: A PS that is started again takes the registration of the one before away
    When the training starts
    Then within 10s discovery has ps1 at its address
    When 10s pass
    And ps1 is killed
    And ps1 is started again
    And 6s pass
    Then within 15s discovery has ps1 at its address
    And for 10m discovery has ps1 at its address

  # TRN-2.16: 36 pauses of 5 s after the registration.
  @TRN-S3
  Scenario: A PS whose machine is blacklisted gives up after exactly 180s
    Given Consul has ps1 on its blacklist
    When the training starts
    Then within 10s discovery has ps0 at its address
    And for 165s ps1 is at work
    And within 20s ps1 has ended with exit code 1
    And discovery does not have ps1

  @TRN-S3 @long
  Scenario: A PS that is listed late is waited for
    Given Consul lists processes 100s late
    When the training starts
    Then for 95s discovery does not have ps1
    And within 20s discovery has ps1 at its address
    And for 10m ps1 is at work
    And within 1m the global step is 10 or more

  # The retries of five tries, up to 5 s apart, outlast a short absence.
  # not-real: a process of the agent that ends forgets what is registered
  @not-real
  Scenario: A job that starts while Consul is down for a moment finds it
    When Consul goes down for 2s
    And the training starts
    Then within 1m discovery has ps1 at its address

  # not-real: a process of the agent that ends forgets what is registered
  @not-real
  Scenario: A job that cannot reach Consul ends
    Given Consul is down
    When the training starts
    Then within 30s ps1 has ended with exit code 1
    And within 30s chief has ended with exit code 1

  # consul.py:123: the connection of a heartbeat that failed is not closed.
  # not-real: a process of the agent that ends forgets what is registered
  @TRN-S3 @Q300 @not-real
  Scenario: A process whose heartbeat meets an absent Consul is in no list a minute later
    When the training starts
    Then within 20s discovery has ps1 at its address
    When 10s pass
    And Consul is down for 40s
    Then within 1m discovery does not have ps1
    And for 30m discovery does not have ps1
    And ps1 is at work

  # not-real: a process of the agent that ends forgets what is registered
  @TRN-S3 @Q300 @not-real
  Scenario: A heartbeat that is repaired goes on when Consul is back
    Given the agents keep all quirks but Q300
    When the training starts
    Then within 20s discovery has ps1 at its address
    When 10s pass
    And Consul is down for 40s
    Then within 35s discovery has ps1 at its address
    And for 30m discovery has ps1 at its address

  # consul.py:95: an error is an empty list.
  @Q302
  Scenario: An agent that answers with errors refuses registrations
    Given Consul answers with status 500
    When the training starts
    Then within 30s ps1 has ended with exit code 1

  # A chief whose PS has died looks for the cluster: nobody, or an error.
  @Q302
  Scenario: A chief that Consul answers with errors waits as if nobody were registered
    When the training starts
    Then within 1m the global step is 10 or more
    When ps1 is killed
    And Consul begins to answer with status 500
    Then within 1m chief has tried again 1 time
    And for 5m chief is at work

  @Q302
  Scenario: Without the fault a chief that Consul answers with errors ends
    Given the agents keep all quirks but Q302
    When the training starts
    Then within 1m the global step is 10 or more
    When ps1 is killed
    And Consul begins to answer with status 500
    Then within 1m chief has tried again 1 time
    And within 1m chief has ended with exit code 1

  @Q303 @long
  Scenario: A Consul that forgets what is registered is never told again
    When the training starts
    Then within 20s discovery has ps1 at its address
    When 10s pass
    And Consul forgets what is registered
    Then discovery does not have ps1
    And for 30m discovery does not have ps1
    And ps1 is at work

  @Q303
  Scenario: Without the fault a Consul that forgets is told again with the next heartbeat
    Given the agents keep all quirks but Q303
    When the training starts
    Then within 20s discovery has ps1 at its address
    When 10s pass
    And Consul forgets what is registered
    Then discovery does not have ps1
    And within 35s discovery has ps1 at its address
    And for 30m discovery has ps1 at its address

  Scenario Outline: What is wrong with an answer ends a process that looks for others
    Given <fault>
    When the training starts
    Then within 3m ps1 has ended with exit code 1

    Examples:
      | fault                     |
      | Consul answers with HTML  |
      | Consul tears its answers  |
      | Consul answers after 16s  |

  @long
  Scenario: A slow Consul delays the start and no more
    Given Consul answers after 10s
    When the training starts
    Then within 2m discovery has ps1 at its address
    And for 10m discovery has ps1 at its address
