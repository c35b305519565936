// SimGrid: actors of one host that sleep (tasks), and timers of its kernel that set
// themselves again (callbacks), which is no public way to write a model.
// Usage: simgrid callbacks|tasks N EVENTS
#include "work.hpp"
#include <unistd.h>
#include <vector>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

namespace sg4 = simgrid::s4u;
using simgrid::kernel::timer::Timer;

static uint64_t count;

struct Ticker {
  Draws draws;
  explicit Ticker(int i) : draws(i) {}
  void schedule() {
    Timer::set(sg4::Engine::get_clock() + draws.exp(), [this] {
      count++;
      schedule();
    });
  }
};

int main(int argc, char** argv) {
  Args args(argc, argv);
  std::vector<std::string> flags{argv[0], "--cfg=contexts/stack-size:64", "--log=root.thresh:warning"};
  std::vector<char*> raw;
  for (auto& f : flags) raw.push_back(f.data());
  int rawc = static_cast<int>(raw.size());
  raw.push_back(nullptr);
  sg4::Engine e(&rawc, raw.data());
  auto* zone = sg4::create_empty_zone("zone");
  auto* host = zone->create_host("host", 1e9);
  zone->seal();

  std::vector<Ticker> tickers;
  tickers.reserve(args.n);
  if (args.work == "tasks") {
    for (int i = 0; i < args.n; i++) {
      sg4::Actor::create("sleeper", host, [i] {
        Draws draws(i);
        for (;;) {
          sg4::this_actor::sleep_for(draws.exp());
          count++;
        }
      });
    }
  } else if (args.work == "callbacks") {
    // The engine ends when there is no actor.
    sg4::Actor::create("idle", host, [] { sg4::this_actor::sleep_for(1e12); });
    for (int i = 0; i < args.n; i++) tickers.emplace_back(i);
    for (auto& t : tickers) t.schedule();
  } else {
    args.refuse();
  }
  e.run_until(args.timed() / 10);
  uint64_t before = count;
  auto start = Wall::now();
  e.run_until(args.timed() * 1.1);
  int major, minor, patch;
  sg_version_get(&major, &minor, &patch);
  report(std::to_string(major) + "." + std::to_string(minor), count - before, start);
  _exit(0);  // the actors never end
}
