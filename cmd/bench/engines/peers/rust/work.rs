//! What the Rust programs share: the delays, the arguments and the line that they print.
//! Each package has the version of the engine that it measures.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Quantiles of the exponential distribution of mean 1; the last stands for the tail.
static QUANTILES: LazyLock<[f64; 1025]> = LazyLock::new(|| {
    let mut q = [0.0; 1025];
    for (i, x) in q.iter_mut().enumerate().take(1024) {
        *x = -(1.0 - i as f64 / 1024.0).ln();
    }
    q[1024] = q[1023] + 2.0;
    q
});

/// The delays of one model, the same as in ../../own/draws.go.
#[derive(Clone, Copy)]
pub struct Draws(pub u64);

impl Draws {
    pub fn new(i: usize) -> Self {
        let mut x = (i as u64 + 1).wrapping_mul(0x9e3779b97f4a7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d049bb133111eb);
        Draws(x ^ (x >> 31))
    }

    /// An exponentially distributed number of mean 1.
    #[inline]
    pub fn exp(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (q, i) = (&*QUANTILES, (self.0 >> 54) as usize);
        q[i] + (self.0 >> 22 & 0xffff_ffff) as f64 / (1u64 << 32) as f64 * (q[i + 1] - q[i])
    }

    /// The same as a Duration of mean 1 s, at least 1 ns.
    #[inline]
    #[allow(dead_code)] // desru counts in floats
    pub fn delay(&mut self) -> Duration {
        Duration::from_nanos(1 + (self.exp() * 1e9) as u64)
    }
}

pub struct Args {
    pub n: usize,
    pub events: u64,
}

impl Args {
    /// parse reads: WORK N EVENTS.
    pub fn parse(work: &str) -> Self {
        let a: Vec<String> = std::env::args().collect();
        assert!(a.len() == 4 && a[1] == work, "usage: {} {work} N EVENTS", a[0]);
        Args { n: a[2].parse().expect("N"), events: a[3].parse().expect("EVENTS") }
    }

    /// The seconds of virtual time that are measured.
    pub fn timed(&self) -> f64 {
        self.events as f64 / self.n as f64
    }
}

pub fn report(events: u64, start: Instant) {
    let took = start.elapsed().as_nanos();
    println!("measured version={} events={events} ns={took}", env!("CARGO_PKG_VERSION"));
}
