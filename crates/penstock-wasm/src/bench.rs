//! The runs of a page, and the buffers through which it communicates with them.

use crate::views;
use penstock_core::{Span, Time};
use penstock_link::ScenarioError;
use penstock_link::spec::{LimitSpec, QueueSpec};
use penstock_sim::live::{LiveOptions, LiveRun};
use penstock_sim::{RunError, Scenario};
use serde_json::{Value, json};

/// The runs of a page by number, its input, and the answer to the last call.
#[derive(Default)]
pub struct Bench {
    runs: Vec<Option<LiveRun>>,
    /// Text from the page.
    pub input: Vec<u8>,
    /// Text for the page: a result, or the errors of the last call that failed, as a JSON list.
    pub text: String,
    /// Numbers for the page.
    pub numbers: Vec<f64>,
}

/// A call failed; the text contains the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure;

type Answer<T> = Result<T, Failure>;

impl Bench {
    /// A run of the canonical scenario in the input; returns its number.
    pub fn open(&mut self, seed: u64, options: LiveOptions) -> Answer<usize> {
        let scenario: Scenario = self.read("")?;
        let run = LiveRun::new(scenario, seed, options);
        let run = self.judge(run)?;
        let free = self.runs.iter().position(Option::is_none);
        let number = free.unwrap_or(self.runs.len());
        if free.is_none() {
            self.runs.push(None);
        }
        self.runs[number] = Some(run);
        Ok(number)
    }

    /// Forget a run.
    pub fn close(&mut self, run: usize) {
        if let Some(place) = self.runs.get_mut(run) {
            *place = None;
        }
    }

    /// Process the events up to and including this second; returns their number.
    pub fn advance(&mut self, run: usize, second: f64) -> Answer<u64> {
        Ok(self.run(run)?.advance(Time::ZERO + Span::from_secs(second)))
    }

    /// Time of the next event in seconds, or NaN if none is left.
    pub fn next_event(&mut self, run: usize) -> Answer<f64> {
        Ok(self.run(run)?.next_event().map_or(f64::NAN, Time::as_secs))
    }

    /// Process the next event; returns its time in seconds, or NaN if none is left.
    pub fn step(&mut self, run: usize) -> Answer<f64> {
        Ok(self.run(run)?.step().map_or(f64::NAN, Time::as_secs))
    }

    /// Finish and forget a run; the text is its result, as JSON.
    pub fn finish(&mut self, run: usize) -> Answer<()> {
        self.run(run)?;
        let Some(finished) = self.runs[run].take() else { return Err(Failure) };
        match finished.finish() {
            Ok(Some(result)) => self.text = result.to_json(),
            Ok(None) => return Err(self.fail("", "a run that was changed has no result")),
            Err(RunError::Scenario(errors)) => return Err(self.errors(&errors)),
            Err(error) => return Err(self.fail("", &error.to_string())),
        }
        Ok(())
    }

    /// Another rate of a link, in bits per second.
    pub fn set_rate(&mut self, run: usize, link: usize, rate: f64) -> Answer<()> {
        let set = self.run(run)?.set_rate(link, rate.round() as u64);
        self.judge(set.map_err(|error| vec![error]))
    }

    /// Another propagation delay of a link, in seconds.
    pub fn set_delay(&mut self, run: usize, link: usize, delay: f64) -> Answer<()> {
        let set = self.run(run)?.set_delay(link, Span::from_secs(delay));
        self.judge(set.map_err(|error| vec![error]))
    }

    /// Another limit of a queue: the input has it in canonical form.
    pub fn set_limit(&mut self, run: usize, link: usize) -> Answer<()> {
        let limit: LimitSpec = self.read("limit")?;
        let set = self.run(run)?.set_limit(link, limit);
        self.judge(set.map_err(|error| vec![error]))
    }

    /// Another queue in front of a link: the input has it in canonical form.
    pub fn set_queue(&mut self, run: usize, link: usize) -> Answer<()> {
        let queue: QueueSpec = self.read("queue")?;
        let set = self.run(run)?.set_queue(link, queue);
        self.judge(set)
    }

    /// Another number of flows of a traffic group.
    pub fn set_flow_count(&mut self, run: usize, group: usize, count: usize) -> Answer<()> {
        let set = self.run(run)?.set_flow_count(group, count);
        self.judge(set.map_err(|error| vec![error]))
    }

    /// The drop probability of an AQM at an average queue; NaN if it does not depend on the average alone.
    pub fn drop_function(&mut self, run: usize, link: usize, average: f64) -> Answer<f64> {
        Ok(self.run(run)?.drop_function(link, average).unwrap_or(f64::NAN))
    }

    /// Fill the numbers with the output of `view` for a run.
    pub fn view(&mut self, run: usize, view: impl FnOnce(&mut LiveRun, &mut Vec<f64>)) -> Answer<()> {
        self.numbers.clear();
        let mut numbers = std::mem::take(&mut self.numbers);
        let run = self.run(run);
        let answer = run.map(|run| view(run, &mut numbers));
        self.numbers = numbers;
        answer
    }

    /// Fill the text with the names of the gauges of a link, one per line, and the numbers with their values.
    pub fn gauges(&mut self, run: usize, link: usize) -> Answer<()> {
        let mut names = String::new();
        self.view(run, |run, numbers| views::gauges(run, link, &mut names, numbers))?;
        self.text = names;
        Ok(())
    }

    fn run(&mut self, run: usize) -> Answer<&mut LiveRun> {
        if !matches!(self.runs.get(run), Some(Some(_))) {
            return Err(self.fail("", &format!("there is no run {run}")));
        }
        self.runs.get_mut(run).and_then(Option::as_mut).ok_or(Failure)
    }

    fn read<T: serde::de::DeserializeOwned>(&mut self, path: &str) -> Answer<T> {
        let read = serde_json::from_slice(&self.input).map_err(|error| error.to_string());
        read.map_err(|message| self.fail(path, &message))
    }

    fn judge<T>(&mut self, made: Result<T, Vec<ScenarioError>>) -> Answer<T> {
        made.map_err(|errors| self.errors(&errors))
    }

    fn errors(&mut self, errors: &[ScenarioError]) -> Failure {
        let list = errors.iter().map(|error| json!({"path": error.path, "message": error.message}));
        self.text = Value::Array(list.collect()).to_string();
        Failure
    }

    fn fail(&mut self, path: &str, message: &str) -> Failure {
        self.errors(&[ScenarioError::new(path, message.to_owned())])
    }
}
