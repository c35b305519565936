"""Threads of the reference that run, one at a time, in time that only sleeping moves (PROTOCOL.md section 3).

A started thread runs until it first waits; then who started it goes on. Of those that
sleep, who is to wake first goes next, and of these who fell asleep first. Use
play(until_ms, main) once for a case; within, Thread, Lock, RLock, Event, sleep and time stand for
threading's and time's, and at(ms, function) has something happen from outside, in a
thread of its own.
"""
import collections
import heapq
import threading

import shown
from values import Unanswerable

SECOND_MS = 1000


class Over(BaseException):
    """Ends the threads of a case whose time is over, or whose process is gone."""


class Thread:
    """A thread, as threading.Thread has it."""

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, daemon=None):
        del group, daemon
        self.name = name
        self.done, self._joining = False, []
        self._run = lambda: target(*args, **(kwargs or {}))
        self._go = threading.Semaphore(0)
        self._real = None

    def start(self):
        """Runs it until it first waits."""
        self.begin()
        turns.ready.appendleft(turns.current)
        turns.hand_to(self)

    def begin(self):
        """Makes it, to run when it is handed the turn."""
        turns.threads.append(self)
        self._real = threading.Thread(target=self._work, daemon=True)
        self._real.start()

    def end(self):
        """Has it end where it waits."""
        self._go.release()
        self._real.join()

    def _work(self):
        self._go.acquire()
        try:
            if not turns.over:
                self._run()
        except Exception as e:  # pylint: disable=broad-except
            turns.errors.append(e)  # it ends the thread alone
        except Over:
            pass
        self.done = True
        turns.ready.extend(self._joining)
        turns.leave()

    def join(self, timeout=None):
        del timeout
        if not self.done:
            self._joining.append(turns.current)
            turns.wait()

    def is_alive(self):
        return not self.done


class RLock:
    """A lock that its owner may take again."""

    def __init__(self, again=True):
        self.owner, self.times, self.again, self._waiting = None, 0, again, []

    def acquire(self):
        while self.owner is not None and (self.owner is not turns.current or not self.again):
            if self.owner is turns.current:
                raise Unanswerable("the reference waits for a lock that it holds itself (Q113)")
            self._waiting.append(turns.current)
            turns.wait()
        self.owner = turns.current
        self.times += 1

    def release(self):
        self.times -= 1
        if self.times == 0:
            self.owner = None
            turns.ready.extend(self._waiting[:1])
            del self._waiting[:1]

    def __enter__(self):
        self.acquire()

    def __exit__(self, *args):
        self.release()


def Lock():  # pylint: disable=invalid-name
    return RLock(again=False)


class Event:
    """An event that threads wait for, as threading.Event is."""

    def __init__(self):
        self._is_set, self._waiting = False, []

    def is_set(self):
        return self._is_set

    def set(self):
        self._is_set = True
        for thread in self._waiting:
            turns.wake(thread)
        self._waiting = []

    def clear(self):
        self._is_set = False

    def wait(self, timeout=None):
        if self._is_set:
            return True
        me = turns.current
        self._waiting.append(me)
        if timeout is not None:
            turns.push(turns.now_ms + timeout * SECOND_MS, me)
        turns.wait()
        if me in self._waiting:  # its time is over
            self._waiting.remove(me)
            return False
        return True


class Turns:
    """Who runs, who is ready to, and who sleeps."""

    def reset(self, until_ms, start_seconds):
        self.now_ms, self.until_ms, self.start_seconds = 0, until_ms, start_seconds
        self.ready, self.sleeping, self.number = collections.deque(), [], 0
        self.current = self.main = Thread()
        self.over, self.errors, self.threads = False, [], []

    def time(self):
        return self.start_seconds + self.now_ms / SECOND_MS

    def sleep(self, seconds, noted=True):
        if noted:
            shown.waited(seconds)
        self.push(self.now_ms + seconds * SECOND_MS, self.current)
        self.wait()

    def wait(self):
        """Lets the others run until this thread is ready again."""
        self.hand_to(self.next())
        if self.over:
            raise Over()

    def finish(self):
        """Ends all threads, the current one first: the process is gone."""
        self.over = True
        if self.current is not self.main:
            self.main._go.release()
        raise Over()

    def push(self, ms, thread):
        self.number += 1
        heapq.heappush(self.sleeping, (ms, self.number, thread))

    def wake(self, thread):
        """Has one that waits be ready, before the time until which it would have slept."""
        self.sleeping = [entry for entry in self.sleeping if entry[2] is not thread]
        heapq.heapify(self.sleeping)
        self.ready.append(thread)

    def at(self, ms, function):
        """Something that happens from outside."""
        thread = Thread(target=function)
        thread.begin()
        self.push(ms, thread)

    def next(self):
        if self.ready:
            return self.ready.popleft()
        ms, _, thread = heapq.heappop(self.sleeping)
        if ms > self.until_ms:
            self.over = True
            return self.main
        self.now_ms = max(self.now_ms, ms)
        return thread

    def hand_to(self, thread):
        """Lets another run; returns when it is this one's turn again."""
        me = self.current
        if thread is me:
            return
        self.current = thread
        thread._go.release()
        me._go.acquire()

    def leave(self):
        """The current thread is done."""
        if self.over:
            return
        self.current = self.next()
        self.current._go.release()

    def play(self, until_ms, main, start_seconds=0):
        """Runs main, and whatever it starts, until the time is over; answers what main returned."""
        self.reset(until_ms, start_seconds)
        try:
            result = main()
            self.push(until_ms, self.main)
            self.wait()
            return result
        except Over:
            return None
        finally:
            self.over = True
            for thread in self.threads:
                if not thread.done:
                    thread.end()


turns = Turns()
