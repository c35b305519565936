//! tokio with its clock paused: when all tasks wait, time jumps to the next timer.
//! Usage: engine-tokio tasks N EVENTS

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

#[path = "../../work.rs"]
mod work;
use work::{Args, Draws, report};

fn main() {
    let args = Args::parse("tasks");
    let rt = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&rt, async {
        let count = Rc::new(Cell::new(0u64));
        for i in 0..args.n {
            let (mut draws, count) = (Draws::new(i), count.clone());
            tokio::task::spawn_local(async move {
                loop {
                    tokio::time::sleep(draws.delay()).await;
                    count.set(count.get() + 1);
                }
            });
        }
        tokio::time::sleep(Duration::from_secs_f64(args.timed() / 10.0)).await;
        let before = count.get();
        let start = Instant::now();
        tokio::time::sleep(Duration::from_secs_f64(args.timed())).await;
        report(count.get() - before, start);
    });
}
