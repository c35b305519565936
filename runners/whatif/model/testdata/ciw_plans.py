"""Answers of Ciw to the plans of ciw_test.go, one JSON line each: mean and p99 in ms, and the share that is lost or late, of eight runs.

python ciw_plans.py >ciw.jsonl, with a Python that has ciw 3.2.7.
"""
import json
import math
import random
import sys

import ciw

RUNS, ARRIVALS = 8, 15000
ms = 1e-3
inf = float("inf")
exp, det, gamma = (lambda mean: ciw.dists.Exponential(1 / mean)), ciw.dists.Deterministic, (lambda mean, cv: ciw.dists.Gamma(1 / cv**2, mean * cv**2))


def lognormal(mean, cv):
    sigma = math.sqrt(math.log1p(cv * cv))
    return ciw.dists.Lognormal(math.log(mean) - sigma * sigma / 2, sigma)


def weibull(mean, k):
    return ciw.dists.Weibull(mean / math.gamma(1 + 1 / k), k)


class Burst(ciw.dists.Distribution):
    """Gaps of a Poisson process that is faster from 40 s to 60 s, by thinning."""

    def __init__(self, rate, factor):
        self.rate, self.factor = rate, factor

    def sample(self, t=None, ind=None):
        now = t
        while True:
            now += random.expovariate(self.rate * self.factor)
            if 40 <= now < 60 or random.random() < 1 / self.factor:
                return now - t


class Slow(ciw.dists.Distribution):
    """Exponential work that takes longer when it begins from 40 s to 60 s."""

    def __init__(self, mean, factor):
        self.work, self.factor = mean, factor

    def sample(self, t=None, ind=None):
        return random.expovariate(1 / self.work) * (self.factor if 40 <= t < 60 else 1)


class Sum(ciw.dists.Distribution):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def sample(self, t=None, ind=None):
        return self.a.sample(t, ind) + self.b.sample(t, ind)


def single(rate=None, servers=1, work=None, gaps=None, **more):
    """One station."""
    return dict(arrivals=[gaps or exp(1 / rate)], services=[work], servers=[servers], **more)


def replicas(router, rate=240):
    """Three replicas of a server behind a router."""
    leave = ciw.routing.Leave()
    return dict(arrivals=[exp(1 / rate), None, None, None], services=[det(0)] + [exp(10 * ms)] * 3, servers=[inf, 1, 1, 1], routing=ciw.routing.NetworkRouting(routers=[router, leave, leave, leave]))


PLANS = {
    "M/M/1": single(80, 1, exp(10 * ms)),
    "M/M/4": single(360, 4, exp(10 * ms)),
    "M/G/1 log-normal": single(70, 1, lognormal(10 * ms, 2)),
    "M/G/2 gamma": single(170, 2, gamma(10 * ms, 0.5)),
    "GI/M/1 gamma": single(work=exp(10 * ms), gaps=gamma(1 / 70, 2)),
    "D/M/1": single(work=exp(10 * ms), gaps=det(1 / 90)),
    "M/Weibull/2": single(120, 2, weibull(10 * ms, 0.5)),
    "M/M/1/4": single(90, 1, exp(10 * ms), room=3),
    "M/G/4/10": single(480, 4, lognormal(10 * ms, 1.5), room=6),
    "M/G/1-PS": single(70, inf, lognormal(10 * ms, 2), share=1),
    "PS on 4 cores": single(320, inf, lognormal(10 * ms, 2), share=4),
    "tandem": dict(arrivals=[exp(1 / 80), None], services=[exp(10 * ms), lognormal(20 * ms, 1)], servers=[1, 2], routing=[[0.0, 1.0], [0.0, 0.0]]),
    "3 replicas, random": replicas(ciw.routing.Probabilistic(destinations=[2, 3, 4], probs=[1 / 3] * 3)),
    "3 replicas, round robin": replicas(ciw.routing.Cycle(cycle=[2, 3, 4])),
    "3 replicas, least loaded": replicas(ciw.routing.LoadBalancing(destinations=[2, 3, 4])),
    "batches of 5 calls": single(32, 2, exp(10 * ms), together=5),
    "timeout, work goes on": single(80, 1, exp(10 * ms), late=50 * ms),
    "two classes": single(180, 4, work={"a": exp(10 * ms), "b": exp(30 * ms)}, gaps={"a": exp(1 / 120), "b": exp(1 / 60)}),
    "closed": dict(arrivals=[ciw.dists.Sequential([0.001, 1e9]), None], services=[exp(200 * ms), exp(10 * ms)], servers=[inf, 1], routing=[[0.0, 1.0], [1.0, 0.0]], clients=30),
    "traffic of 3 times": single(work=exp(10 * ms), gaps=Burst(60, 3), until=140),
    "slow for a while": single(70, 1, Slow(10 * ms, 3), until=140),
    "2 connections": single(160, 2, exp(10 * ms)),
    "entry holds its threads": single(250, 4, Sum(exp(4 * ms), lognormal(8 * ms, 1))),
}


def run(plan, seed):
    """One run: mean and p99 of those that are served, and the share that is not or is late."""
    ciw.seed(seed)
    random.seed(seed)
    sizes = len(plan["servers"])
    routing = plan.get("routing") or [[0.0]]
    kinds = dict(arrival_distributions=plan["arrivals"], service_distributions=plan["services"])
    if isinstance(plan["arrivals"][0], dict):
        kinds = {k: {c: [d] for c, d in v[0].items()} for k, v in kinds.items()}
        routing = {c: routing for c in plan["arrivals"][0]}
    more = {}
    if "together" in plan or "clients" in plan:
        more["batching_distributions"] = [ciw.dists.Deterministic(plan.get("together") or plan["clients"])] + [ciw.dists.Deterministic(1)] * (sizes - 1)
    if "share" in plan:
        more["ps_thresholds"] = [plan["share"]]
    network = ciw.create_network(**kinds, number_of_servers=plan["servers"], routing=routing, queue_capacities=[plan.get("room", inf)] + [inf] * (sizes - 1), **more)
    rate = 90 if "clients" in plan else 180 if isinstance(plan["arrivals"][0], dict) else plan.get("rate") or 1 / mean_gap(plan["arrivals"][0])
    until = plan.get("until") or ARRIVALS / rate / plan.get("together", 1)
    sim = ciw.Simulation(network, **({"node_class": ciw.PSNode} if "share" in plan else {}))
    sim.simulate_until_max_time(until * (1 if "until" in plan else 1.02) + (120 if "until" in plan else 0))
    from_, to = (0, until) if "until" in plan else (until * 0.2, until)
    begun, took, lost = {}, {}, 0
    for r in sim.get_all_records():
        key = (r.id_number, r.arrival_date) if "clients" in plan else r.arrival_date if "together" in plan else r.id_number
        if "clients" in plan and r.node == 1:
            continue
        begun[key] = min(begun.get(key, inf), r.arrival_date)
        if r.record_type == "rejection":
            took[key] = None
        elif took.get(key, 0) is not None:
            took[key] = max(took.get(key, 0), r.exit_date)
    times = [took[k] and took[k] - begun[k] for k in begun if from_ <= begun[k] < to]
    good = sorted(t for t in times if t is not None and t <= plan.get("late", inf))
    return sum(good) / len(good) / ms, good[int(0.99 * len(good))] / ms, 1 - len(good) / len(times)


def mean_gap(d):
    if isinstance(d, ciw.dists.Exponential):
        return 1 / d.rate
    if isinstance(d, ciw.dists.Deterministic):
        return d.value
    if isinstance(d, ciw.dists.Gamma):
        return d.shape * d.scale
    return 1 / 60


if __name__ == "__main__":
    names = sys.argv[1:] or list(PLANS)
    for name in names:
        rows = [run(PLANS[name], 1 + k) for k in range(RUNS)]
        print(json.dumps({"plan": name, "ciw": ciw.__version__, "mean": [round(r[0], 4) for r in rows], "p99": [round(r[1], 3) for r in rows], "lost": [round(r[2], 5) for r in rows]}), flush=True)
