//! desru: boxed closures in a binary heap; its log of events is off.
//! Usage: engine-desru callbacks N EVENTS

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use desru::{Event, EventScheduler};

#[path = "../../work.rs"]
mod work;
use work::{Args, Draws, report};

fn schedule(s: &mut EventScheduler, mut draws: Draws, count: Rc<Cell<u64>>) {
    let at = s.current_time + draws.exp();
    s.schedule(Event::new(
        at,
        Some(Box::new(move |s: &mut EventScheduler| {
            count.set(count.get() + 1);
            schedule(s, draws, count.clone());
            None
        })),
        None,
    ));
}

fn run(s: &mut EventScheduler, until: f64) {
    let stop = move |s: &EventScheduler| s.event_queue.peek().is_none_or(|e| e.time > until);
    // Without a filter of the log each event is kept for ever.
    s.run(Box::new(stop), Some(Box::new(|_, _| false)));
}

fn main() {
    let args = Args::parse("callbacks");
    let mut s = EventScheduler::new();
    let count = Rc::new(Cell::new(0));
    for i in 0..args.n {
        schedule(&mut s, Draws::new(i), count.clone());
    }
    run(&mut s, args.timed() / 10.0);
    let before = count.get();
    let start = Instant::now();
    run(&mut s, args.timed() * 1.1);
    report(count.get() - before, start);
}
