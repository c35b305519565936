// ns-3's core: Simulator::Schedule of a member function. SCHEDULER and VERSION are
// given to the compiler; ns-3's own default is ns3::MapScheduler.
// Usage: ns3 callbacks N EVENTS
#include "work.hpp"
#include <vector>

#include <ns3/core-module.h>

using namespace ns3;

static uint64_t count;

struct Ticker {
  Draws draws;
  explicit Ticker(int i) : draws(i) {}
  void Schedule() { Simulator::Schedule(NanoSeconds(draws.nanoseconds()), &Ticker::Tick, this); }
  void Tick() {
    count++;
    Schedule();
  }
};

static void Run(double seconds) {
  Simulator::Stop(Seconds(seconds));
  Simulator::Run();
}

int main(int argc, char** argv) {
  Args args(argc, argv);
  if (args.work != "callbacks") args.refuse();
  GlobalValue::Bind("SchedulerType", StringValue(SCHEDULER));
  std::vector<Ticker> tickers;
  for (int i = 0; i < args.n; i++) tickers.emplace_back(i);
  for (auto& t : tickers) t.Schedule();
  Run(args.timed() / 10);
  uint64_t before = count;
  auto start = Wall::now();
  Run(args.timed());
  report(VERSION, count - before, start);
  Simulator::Destroy();
}
