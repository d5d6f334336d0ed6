//! Runs what is measured, and prints a row for each: name, median, unit, how many runs the median is of.

use std::time::{Duration, Instant};

/// A run that is shorter is repeated within one look at the clock.
const RUN_AT_LEAST: Duration = Duration::from_millis(2);
/// What is repeated within one look at the clock, at most.
const REPEATS_MAX: u32 = 1 << 20;

/// What a median is given in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    Milliseconds,
    /// Divided by how many things a run handles.
    MicrosecondsEach(u32),
    /// How many bytes a run handles.
    MegabytesASecond(usize),
}

/// The rows to come.
#[derive(Debug)]
pub(crate) struct Table {
    /// Pieces of names; empty for every row.
    filters: Vec<String>,
}

impl Table {
    /// Prints the heading. Rows whose names hold none of `filters` are left out.
    pub(crate) fn new(filters: Vec<String>) -> Self {
        println!(
            "{:<44} {:>10}  {:<8} {:>5}",
            "name", "median", "unit", "runs"
        );
        Self { filters }
    }

    /// Whether the row is asked for: preparing it may take long.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter))
    }

    /// Measures `run`, which is called `runs` times at least, and prints its row.
    pub(crate) fn row(&mut self, name: &str, unit: Unit, runs: usize, mut run: impl FnMut()) {
        if !self.has(name) {
            return;
        }
        let start = Instant::now();
        run(); // Caches and branch predictors learn it; what it took says how often to repeat.
        let once = start.elapsed().max(Duration::from_nanos(1));
        let repeats = RUN_AT_LEAST.as_nanos().div_ceil(once.as_nanos());
        let repeats = u32::try_from(repeats).map_or(REPEATS_MAX, |count| count.min(REPEATS_MAX));
        let mut times: Vec<Duration> = (0..runs)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..repeats {
                    run();
                }
                start.elapsed() / repeats
            })
            .collect();
        times.sort_unstable();
        let (median, unit) = shown(times[runs / 2], unit);
        println!("{name:<44} {median:>10.3}  {unit:<8} {runs:>5}");
    }
}

/// A median as it is printed, and the word behind it.
fn shown(median: Duration, unit: Unit) -> (f64, &'static str) {
    match unit {
        Unit::Milliseconds => (median.as_secs_f64() * 1e3, "ms"),
        Unit::MicrosecondsEach(count) => (median.as_secs_f64() * 1e6 / f64::from(count), "µs each"),
        Unit::MegabytesASecond(bytes) => {
            let bytes = u32::try_from(bytes).expect("bodies are small");
            (f64::from(bytes) / 1e6 / median.as_secs_f64(), "MB/s")
        }
    }
}
