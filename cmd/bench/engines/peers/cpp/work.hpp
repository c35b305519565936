// What the C++ programs share: the delays, the arguments and the line that they print.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

// Quantiles of the exponential distribution of mean 1; the last stands for the tail.
struct Quantiles {
  double q[1025];
  Quantiles() {
    for (int i = 0; i < 1024; i++) q[i] = -std::log(1.0 - i / 1024.0);
    q[1024] = q[1023] + 2;
  }
};
inline const Quantiles quantiles;

// The delays of one model, the same as in ../../own/draws.go.
struct Draws {
  uint64_t s;
  explicit Draws(uint64_t i) {
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    s = x ^ x >> 31;
  }
  double exp() {
    s = s * 6364136223846793005u + 1442695040888963407u;
    const double* q = &quantiles.q[s >> 54];
    return q[0] + static_cast<double>(s >> 22 & 0xffffffff) / 4294967296.0 * (q[1] - q[0]);
  }
  int64_t nanoseconds() { return 1 + static_cast<int64_t>(exp() * 1e9); }
};

// WORK N EVENTS.
struct Args {
  std::string work;
  int n;
  uint64_t events;
  Args(int argc, char** argv) {
    if (argc != 4) {
      std::fprintf(stderr, "usage: %s callbacks|tasks N EVENTS\n", argv[0]);
      std::exit(2);
    }
    work = argv[1];
    n = std::atoi(argv[2]);
    events = std::strtoull(argv[3], nullptr, 10);
  }
  double timed() const { return static_cast<double>(events) / n; }  // seconds of virtual time
  void refuse() const {
    std::fprintf(stderr, "found work %s, which this engine has not\n", work.c_str());
    std::exit(2);
  }
};

using Wall = std::chrono::steady_clock;

inline void report(const std::string& version, uint64_t events, Wall::time_point start) {
  auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Wall::now() - start).count();
  std::printf("measured version=%s events=%llu ns=%lld\n", version.c_str(), static_cast<unsigned long long>(events),
              static_cast<long long>(took));
  std::fflush(stdout);
}
