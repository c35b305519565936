//! NeXosim: models that schedule themselves, on its executor of one thread.
//! Usage: engine-nexosim callbacks N EVENTS

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nexosim::model::{Context, Model, schedulable};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

#[path = "../../work.rs"]
mod work;
use work::{Args, Draws, report};

#[derive(Serialize, Deserialize)]
struct Ticker {
    draws: Cell<u64>,
    #[serde(skip)]
    count: Arc<AtomicU64>,
}

#[Model]
impl Ticker {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>, _: &mut ()) {
        self.schedule(cx);
    }

    #[nexosim(schedulable)]
    async fn tick(&mut self, _: (), cx: &Context<Self>) {
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.schedule(cx);
    }

    fn schedule(&mut self, cx: &Context<Self>) {
        let mut d = Draws(self.draws.get());
        let delay = d.delay();
        self.draws.set(d.0);
        cx.schedule_event(delay, schedulable!(Self::tick), ()).unwrap();
    }
}

fn main() {
    let args = Args::parse("callbacks");
    let count = Arc::new(AtomicU64::new(0));
    let mut init = SimInit::with_num_threads(1);
    for i in 0..args.n {
        let model = Ticker { draws: Cell::new(Draws::new(i).0), count: count.clone() };
        init = init.add_model(model, Mailbox::new(), "t");
    }
    let mut simu = init.init(MonotonicTime::EPOCH).unwrap();
    simu.step_until(Duration::from_secs_f64(args.timed() / 10.0)).unwrap();
    let before = count.load(Ordering::Relaxed);
    let start = Instant::now();
    simu.step_until(Duration::from_secs_f64(args.timed())).unwrap();
    report(count.load(Ordering::Relaxed) - before, start);
}
