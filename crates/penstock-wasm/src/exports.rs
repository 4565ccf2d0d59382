//! The functions that a page calls. Runs, links and traffic groups are identified by numbers; times are in seconds.
//!
//! A call that fails returns -1, or NaN for a number, and the text contains the reason.

#![allow(unsafe_code, reason = "an exported name; nothing here reads memory by itself")]

use crate::bench::{Bench, Failure};
use crate::views;
use penstock_sim::MEANING;
use penstock_sim::live::LiveOptions;
use std::cell::RefCell;

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::default();
}

fn with<T>(act: impl FnOnce(&mut Bench) -> T) -> T {
    BENCH.with_borrow_mut(act)
}

fn done(answer: Result<(), Failure>) -> i32 {
    answer.map_or(-1, |()| 0)
}

fn number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(-1)
}

/// Number of numbers, or -1.
fn shown(act: impl FnOnce(&mut Bench) -> Result<(), Failure>) -> i32 {
    with(|bench| act(bench).map_or(-1, |()| number(bench.numbers.len())))
}

/// The engine's version of the meaning of results.
#[unsafe(no_mangle)]
extern "C" fn meaning() -> u32 {
    MEANING
}

/// Room for a text of this number of bytes, for the page to write.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    with(|bench| {
        bench.input.clear();
        bench.input.resize(length, 0);
        bench.input.as_mut_ptr()
    })
}

/// Where the text of the last answer begins.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    with(|bench| bench.text.as_ptr())
}

/// Its bytes.
#[unsafe(no_mangle)]
extern "C" fn text_length() -> usize {
    with(|bench| bench.text.len())
}

/// Where the numbers of the last answer begin.
#[unsafe(no_mangle)]
extern "C" fn numbers() -> *const f64 {
    with(|bench| bench.numbers.as_ptr())
}

/// A run of the scenario in the input; `for_a_page`: it can be looked at and changed. Returns its number.
#[unsafe(no_mangle)]
extern "C" fn open(seed: u32, for_a_page: bool) -> i32 {
    let options = LiveOptions { observed: for_a_page, adjustable: for_a_page };
    with(|bench| bench.open(u64::from(seed), options).map_or(-1, number))
}

/// Forget a run.
#[unsafe(no_mangle)]
extern "C" fn close(run: usize) {
    with(|bench| bench.close(run));
}

/// Process the events up to and including this second; returns their number.
#[unsafe(no_mangle)]
extern "C" fn advance(run: usize, second: f64) -> f64 {
    with(|bench| bench.advance(run, second).map_or(f64::NAN, |events| events as f64))
}

/// Time of the next event, NaN if there is none.
#[unsafe(no_mangle)]
extern "C" fn next_event(run: usize) -> f64 {
    with(|bench| bench.next_event(run).unwrap_or(f64::NAN))
}

/// Process the next event; returns its time, NaN if there is none.
#[unsafe(no_mangle)]
extern "C" fn step(run: usize) -> f64 {
    with(|bench| bench.step(run).unwrap_or(f64::NAN))
}

/// Finish and forget a run: the text is its result.
#[unsafe(no_mangle)]
extern "C" fn finish(run: usize) -> i32 {
    with(|bench| done(bench.finish(run)))
}

/// Another rate, in bit/s.
#[unsafe(no_mangle)]
extern "C" fn set_rate(run: usize, link: usize, rate: f64) -> i32 {
    with(|bench| done(bench.set_rate(run, link, rate)))
}

/// Another propagation delay.
#[unsafe(no_mangle)]
extern "C" fn set_delay(run: usize, link: usize, delay: f64) -> i32 {
    with(|bench| done(bench.set_delay(run, link, delay)))
}

/// Set the limit of the queue to the limit in the input.
#[unsafe(no_mangle)]
extern "C" fn set_limit(run: usize, link: usize) -> i32 {
    with(|bench| done(bench.set_limit(run, link)))
}

/// Replace the queue by the queue in the input.
#[unsafe(no_mangle)]
extern "C" fn set_queue(run: usize, link: usize) -> i32 {
    with(|bench| done(bench.set_queue(run, link)))
}

/// Another number of flows.
#[unsafe(no_mangle)]
extern "C" fn set_flow_count(run: usize, group: usize, count: usize) -> i32 {
    with(|bench| done(bench.set_flow_count(run, group, count)))
}

/// The drop probability of an AQM at an average queue; NaN if it does not depend on the average alone.
#[unsafe(no_mangle)]
extern "C" fn drop_function(run: usize, link: usize, average: f64) -> f64 {
    with(|bench| bench.drop_function(run, link, average).unwrap_or(f64::NAN))
}

/// Show the state of a run and of a link, in the format of `views::state`.
#[unsafe(no_mangle)]
extern "C" fn state(run: usize, link: usize) -> i32 {
    shown(|bench| bench.view(run, |run, numbers| views::state(run, link, numbers)))
}

/// Show the first waiting packets, at most this number of them, in the format of `views::waiting`.
#[unsafe(no_mangle)]
extern "C" fn waiting(run: usize, link: usize, most: usize) -> i32 {
    shown(|bench| bench.view(run, |run, numbers| views::waiting(run, link, most, numbers)))
}

/// Show the flows, in the format of `views::flows`.
#[unsafe(no_mangle)]
extern "C" fn flows(run: usize) -> i32 {
    shown(|bench| bench.view(run, |run, numbers| views::flows(run, numbers)))
}

/// Show the events since the last call, in the format of `views::seen`.
#[unsafe(no_mangle)]
extern "C" fn seen(run: usize) -> i32 {
    shown(|bench| bench.view(run, views::seen))
}

/// Show the departures by waiting time, in the format of `views::delays`.
#[unsafe(no_mangle)]
extern "C" fn delays(run: usize, link: usize) -> i32 {
    shown(|bench| bench.view(run, |run, numbers| views::delays(run, link, numbers)))
}

/// Show the state of an AQM: the text has the names of its gauges.
#[unsafe(no_mangle)]
extern "C" fn gauges(run: usize, link: usize) -> i32 {
    shown(|bench| bench.gauges(run, link))
}
