//! The fluid model of `penstock-model` on rows of numbers; `penstock.model.fluid` checks and shapes them.

use penstock_model::complex::Complex;
use penstock_model::fluid::avq::Avq;
use penstock_model::fluid::integral::Integral;
use penstock_model::fluid::lred::{self, Lred};
use penstock_model::fluid::psand::Psand;
use penstock_model::fluid::red::{self, Red};
use penstock_model::fluid::{Continuous, Fluid, Start, Tcp};
use penstock_model::pie_design::Gains;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Rows = Vec<Vec<f64>>;
/// The names of an AQM's state, and columns: W, q, p, and the state.
type Columns = (Vec<&'static str>, Rows);

/// The AQM with this name and these numbers on a link of `capacity` packets per second.
fn law(name: &str, numbers: &[f64], capacity: f64) -> Option<Box<dyn Continuous>> {
    let gains = |n: &[f64]| Gains { alpha: n[0], beta: n[1], t_update: n[2] };
    let to_red = |n: &[f64]| Red {
        min_th: n[0],
        max_th: n[1],
        max_p: n[2],
        pole: red::pole(n[3], capacity),
        gentle_top: n[4].is_finite().then_some(n[4]),
    };
    Some(match (name, numbers) {
        ("red", n @ [_, _, _, _, _]) => Box::new(to_red(n)),
        ("pi", &[a, b, frequency, target]) => Box::new(Integral::pi(a, b, frequency, target)),
        ("rem", &[gamma, alpha, phi, interval, target]) => Box::new(Integral::rem(gamma, alpha, phi, interval, target)),
        ("pie", &[target, ref n @ ..]) if n.len() == 3 => Box::new(Integral::pie(&gains(n), target, capacity)),
        ("pi2", &[target, ref n @ ..]) if n.len() == 3 => Box::new(Integral::pi2(&gains(n), target, capacity)),
        ("avq", &[alpha, gamma]) => Box::new(Avq { alpha, gamma, capacity }),
        ("lred", &[beta, target, interval, periods, mw]) => {
            Box::new(Lred { beta, target, tau: lred::lag(interval, periods, mw) })
        }
        ("psand", &[target, coef, gamma, interval, low, high, ref n @ ..]) if n.len() == 5 => {
            Box::new(Psand { red: to_red(n), target, coef, gamma, interval, max_p: (low, high) })
        }
        _ => return None,
    })
}

/// N, T_p, C, eta.
fn tcp(n: [f64; 4]) -> Tcp {
    Tcp { flows: n[0], propagation: n[1], capacity: n[2], eta: n[3] }
}

/// Applies `found` to the loop of each row of N, T_p, C and eta; the results as columns, NaN where there is none.
fn of_rows<const K: usize>(
    py: Python<'_>,
    name: &str,
    numbers: &[f64],
    rows: &[[f64; 4]],
    found: impl Fn(&Fluid<'_>) -> Option<[f64; K]> + Send + Sync,
) -> PyResult<Rows> {
    if law(name, numbers, 1.0).is_none() {
        return Err(unknown(name, numbers));
    }
    Ok(py.detach(|| {
        let mut columns = vec![Vec::with_capacity(rows.len()); K];
        for row in rows {
            let values = law(name, numbers, row[2]).and_then(|law| found(&Fluid { tcp: tcp(*row), law: &*law }));
            for (column, value) in columns.iter_mut().zip(values.unwrap_or([f64::NAN; K])) {
                column.push(value);
            }
        }
        columns
    }))
}

fn unknown(name: &str, numbers: &[f64]) -> PyErr {
    PyValueError::new_err(format!("no law {name} of {} numbers", numbers.len()))
}

/// Window, queue, probability, round trip and rate of the equilibrium, for each row of N, T_p, C and eta.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn fluid_equilibrium(py: Python<'_>, name: &str, law: Vec<f64>, rows: Vec<[f64; 4]>) -> PyResult<Rows> {
    of_rows(py, name, &law, &rows, |fluid| {
        let at = fluid.equilibrium()?;
        Some([at.window, at.queue, at.probability, at.rtt, at.rate])
    })
}

/// By row: whether the loop is stable (1 or 0), its gain margin and phase margin in radians, each with its frequency.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn fluid_margins(py: Python<'_>, name: &str, law: Vec<f64>, rows: Vec<[f64; 4]>) -> PyResult<Rows> {
    of_rows(py, name, &law, &rows, |fluid| {
        let found = fluid.margins(&fluid.equilibrium()?);
        Some([f64::from(found.stable), found.gain, found.gain_omega, found.phase, found.phase_omega])
    })
}

/// By row: real and imaginary part of the dominant pole.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn fluid_pole(py: Python<'_>, name: &str, law: Vec<f64>, rows: Vec<[f64; 4]>) -> PyResult<Rows> {
    of_rows(py, name, &law, &rows, |fluid| {
        let pole = fluid.dominant_pole(&fluid.equilibrium()?)?;
        Some([pole.re, pole.im])
    })
}

/// By row: the number of flows between `low` and `high` at which stability changes.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn fluid_border(
    py: Python<'_>,
    name: &str,
    law: Vec<f64>,
    rows: Vec<[f64; 4]>,
    low: f64,
    high: f64,
) -> PyResult<Rows> {
    of_rows(py, name, &law, &rows, |fluid| Some([fluid.border_flows(low, high)?]))
}

/// The open loop at each angular frequency, real and imaginary parts; None without an equilibrium.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn fluid_loop(
    name: &str,
    law: Vec<f64>,
    row: [f64; 4],
    omegas: Vec<f64>,
) -> PyResult<Option<(Vec<f64>, Vec<f64>)>> {
    let form = self::law(name, &law, row[2]).ok_or_else(|| unknown(name, &law))?;
    let fluid = Fluid { tcp: tcp(row), law: &*form };
    Ok(fluid.equilibrium().map(|at| {
        let found = omegas.iter().map(|&omega| fluid.open_loop(Complex::new(0.0, omega), &at));
        found.map(|l| (l.re, l.im)).unzip()
    }))
}

/// The trajectory from rest, or from an equilibrium with `factor` times its window: each `every`th of the steps of
/// `step` seconds, `samples` of them after the first. None without that equilibrium.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
#[expect(clippy::too_many_arguments, reason = "the loop, where it starts and how it is sampled")]
pub(crate) fn fluid_trajectory(
    py: Python<'_>,
    name: &str,
    law: Vec<f64>,
    row: [f64; 4],
    factor: Option<f64>,
    step: f64,
    every: usize,
    samples: usize,
) -> PyResult<Option<Columns>> {
    if self::law(name, &law, row[2]).is_none() {
        return Err(unknown(name, &law));
    }
    Ok(py.detach(|| {
        let law = self::law(name, &law, row[2])?;
        let fluid = Fluid { tcp: tcp(row), law: &*law };
        let path = fluid.trajectory(factor.map_or(Start::Rest, Start::Disturbed), step, every * samples)?;
        let kept = || path.iter().step_by(every);
        let mut columns = vec![
            kept().map(|now| now.window).collect(),
            kept().map(|now| now.queue).collect(),
            kept().map(|now| now.probability).collect(),
        ];
        let names = law.names().to_vec();
        columns.extend((0..names.len()).map(|n| kept().map(|now| now.state[n]).collect()));
        Some((names, columns))
    }))
}
