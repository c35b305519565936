//! madsim: tasks of one node. Compiled with RUSTFLAGS="--cfg madsim".
//! Usage: engine-madsim tasks N EVENTS

#[cfg(not(madsim))]
compile_error!("set RUSTFLAGS=\"--cfg madsim\": without it madsim is plain tokio");

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use madsim::runtime::Runtime;

#[path = "../../work.rs"]
mod work;
use work::{Args, Draws, report};

fn main() {
    let args = Args::parse("tasks");
    let rt = Runtime::with_seed_and_config(1, madsim::Config::default());
    let count = Arc::new(AtomicU64::new(0));
    let (n, timed, shared) = (args.n, args.timed(), count.clone());
    rt.block_on(async move {
        for i in 0..n {
            let (mut draws, count) = (Draws::new(i), shared.clone());
            madsim::task::spawn(async move {
                loop {
                    madsim::time::sleep(draws.delay()).await;
                    count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                }
            });
        }
        madsim::time::sleep(Duration::from_secs_f64(timed / 10.0)).await;
    });
    let before = count.load(Ordering::Relaxed);
    let start = Instant::now(); // outside of block_on, where it is the machine's clock
    rt.block_on(async move { madsim::time::sleep(Duration::from_secs_f64(timed)).await });
    report(count.load(Ordering::Relaxed) - before, start);
}
