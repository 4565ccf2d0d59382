//! The closed forms of `penstock-model` on rows of numbers; `penstock.model` checks and shapes them.

use penstock_model::batch_losses::{self, Batches};
use penstock_model::gps::{Arrival, Fluid};
use penstock_model::padhye::{self, Path};
use penstock_model::pi_design::Gains as PiGains;
use penstock_model::queue_law::{self, Balance, QueueLaw, Signal, Windows};
use penstock_model::redopt_design::{self, Load, Settings, Spread};
use penstock_model::{
    Plant, avq_design, blue_design, cubic_response, dctcp_response, erlang, gps, lred_design, mg1, mm1, p_design,
    pi_design, pie_design, plant, psand_design, red_spacing, red_weight, sfc_design, sqrt_law,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A form takes one number for each argument and gives NaN where it has no value.
type Form = fn(&[f64]) -> f64;

/// The form of this name, element by element; arguments of one number are broadcast to the longest.
#[pyfunction]
pub(crate) fn model(py: Python<'_>, name: &str, arguments: Vec<Vec<f64>>) -> PyResult<Vec<f64>> {
    let (count, form) = form(name).ok_or_else(|| PyValueError::new_err(format!("no form {name}")))?;
    if arguments.len() != count || arguments.iter().any(Vec::is_empty) {
        return Err(PyValueError::new_err(format!("{name} takes {count} rows of numbers")));
    }
    let longest = arguments.iter().map(Vec::len).max().unwrap_or(0);
    Ok(py.detach(move || {
        let mut row = vec![0.0; count];
        let at = |n: usize, row: &mut [f64]| {
            for (value, argument) in row.iter_mut().zip(&arguments) {
                *value = argument[n % argument.len()];
            }
        };
        (0..longest)
            .map(|n| {
                at(n, &mut row);
                form(&row)
            })
            .collect()
    }))
}

/// Number of arguments of a form, and the form.
fn form(name: &str) -> Option<(usize, Form)> {
    responses(name).or_else(|| queues(name)).or_else(|| designs(name))
}

fn or_nan(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

/// The order is p or another first argument, then RTT, T_0, b, W_m.
fn path(a: &[f64]) -> Path {
    Path { rtt: a[1], timeout: a[2], b: a[3], window_limit: a[4] }
}

fn responses(name: &str) -> Option<(usize, Form)> {
    Some(match name {
        "sqrt_law.window" => (2, |a| sqrt_law::window(a[0], a[1])),
        "sqrt_law.rate" => (4, |a| sqrt_law::rate(a[0], a[1], a[2], a[3])),
        "sqrt_law.probability" => (2, |a| sqrt_law::probability(a[0], a[1])),
        "sqrt_law.aimd_window" => (3, |a| sqrt_law::aimd_window(a[0], a[1], a[2])),
        "padhye.window_at_loss" => (2, |a| padhye::window_at_loss(a[0], a[1])),
        "padhye.timeout_share" => (2, |a| padhye::timeout_share(a[0], a[1])),
        "padhye.rate" => (5, |a| padhye::rate(a[0], &path(a))),
        "padhye.rate_without_timeouts" => (5, |a| padhye::rate_without_timeouts(a[0], &path(a))),
        "padhye.rate_approximate" => (5, |a| padhye::rate_approximate(a[0], &path(a))),
        "padhye.rate_tfrc" => (4, |a| padhye::rate_tfrc(a[0], a[1], a[2], a[3])),
        "padhye.probability" => (5, |a| or_nan(padhye::probability(a[0], &path(a), true))),
        "padhye.probability_without_timeouts" => (5, |a| or_nan(padhye::probability(a[0], &path(a), false))),
        "cubic.window" => (4, |a| cubic_response::window(a[0], a[1], a[2], a[3])),
        "cubic.probability" => (4, |a| cubic_response::probability(a[0], a[1], a[2], a[3])),
        "dctcp.window" => (1, |a| dctcp_response::window_under_random_marks(a[0])),
        "dctcp.alpha" => (1, |a| dctcp_response::alpha_under_threshold(a[0])),
        "dctcp.swing.alpha" => (3, |a| dctcp_response::swing(a[0], a[1], a[2]).alpha),
        "dctcp.swing.highest" => (3, |a| dctcp_response::swing(a[0], a[1], a[2]).highest),
        "dctcp.swing.lowest" => (3, |a| dctcp_response::swing(a[0], a[1], a[2]).lowest),
        "dctcp.swing.period" => (3, |a| dctcp_response::swing(a[0], a[1], a[2]).period),
        "dctcp.largest_g" => (2, |a| dctcp_response::largest_g(a[0], a[1])),
        "dctcp.least_threshold" => (1, |a| dctcp_response::least_threshold(a[0])),
        _ => return None,
    })
}

/// RTLD, SR, b, W_m, whether packets are marked, the minimum RTO or NaN for windows without timeouts, and
/// whether the balance is exact.
const LAW: usize = 7;

fn law(a: &[f64]) -> QueueLaw {
    QueueLaw {
        rtld: a[0],
        service_rate: a[1],
        b: a[2],
        window_limit: a[3],
        signal: if a[4] > 0.0 { Signal::Mark } else { Signal::Drop },
        windows: if a[5].is_nan() {
            Windows::WithoutTimeouts
        } else {
            Windows::WithTimeouts { min_rto: a[5], round_trips: 1.0 }
        },
        balance: if a[6] > 0.0 { Balance::Exact } else { Balance::Paper },
    }
}

fn queues(name: &str) -> Option<(usize, Form)> {
    Some(match name {
        "queue_law.window" => (LAW + 2, |a| law(a).window(a[LAW], a[LAW + 1])),
        "queue_law.queue" => (LAW + 2, |a| law(a).queue(a[LAW], a[LAW + 1])),
        "queue_law.flows" => (LAW + 2, |a| law(a).flows(a[LAW], a[LAW + 1])),
        "queue_law.probability" => (LAW + 2, |a| or_nan(law(a).probability(a[LAW], a[LAW + 1]))),
        "queue_law.largest_flows" => (LAW + 2, |a| law(a).largest_flows(a[LAW], a[LAW + 1])),
        "queue_law.red" => (5, |a| queue_law::red(a[0], a[1], a[2], a[3], (!a[4].is_nan()).then_some(a[4]))),
        "mm1.probability" => (2, |a| mm1::probability(a[0], a[1] as u32)),
        "mm1.probability_of_k" => (3, |a| mm1::probability_of_k(a[0], a[1] as u32, a[2] as u32)),
        "mm1.waiting" => (1, |a| mm1::waiting(a[0])),
        "mm1.waiting_of_k" => (2, |a| mm1::waiting_of_k(a[0], a[1] as u32)),
        "mg1.waiting" => (2, |a| mg1::waiting(a[0], a[1])),
        "mg1.wait" => (2, |a| mg1::wait(a[0], a[1])),
        "md1.nothing_waits" => (1, |a| mg1::nothing_waits(a[0])),
        "md1.loss" => (2, |a| mg1::loss(a[0], a[1] as usize)),
        "md1.waiting_of_k" => (2, |a| mg1::waiting_of_k(a[0], a[1] as usize)),
        "erlang.b" => (2, |a| erlang::b(a[0], a[1] as u32)),
        "erlang.c" => (2, |a| erlang::c(a[0], a[1] as u32)),
        "erlang.wait" => (2, |a| erlang::wait(a[0], a[1] as u32)),
        "gps.longest_delay" => (4, |a| gps::longest_delay(a[0], a[1], a[2], a[3])),
        "red_spacing.count" => (1, |a| red_spacing::count(a[0])),
        "red_spacing.wait" => (1, |a| red_spacing::wait(a[0])),
        _ => return None,
    })
}

/// N, R, C.
fn of_plant(a: &[f64]) -> Plant {
    Plant { flows: a[0], rtt: a[1], capacity: a[2] }
}

fn pi_gains(a: &[f64]) -> PiGains {
    pi_design::gains(&of_plant(a), a[3])
}

fn avq(a: &[f64], reading: avq_design::Reading) -> f64 {
    or_nan(avq_design::alpha(&of_plant(a), a[3], reading))
}

/// N, C, B_tcp, RTT, b, the minimum RTO, the margin, and whether the spread is that of control.
fn redopt(a: &[f64], part: fn(&Settings) -> f64) -> f64 {
    let load =
        Load { flows: a[0], capacity: a[1], tcp_capacity: a[2], rtt: a[3], b: a[4], min_rto: a[5], margin: a[6] };
    let spread = if a[7] > 0.0 { Spread::Control } else { Spread::Regression };
    or_nan(redopt_design::settings(&load, spread).as_ref().map(part))
}

fn designs(name: &str) -> Option<(usize, Form)> {
    Some(match name {
        "plant.longest_rtt" => (3, |a| plant::longest_rtt(a[0], a[1], a[2])),
        "pi.a" => (4, |a| pi_gains(a).a),
        "pi.b" => (4, |a| pi_gains(a).b),
        "pi.omega_g" => (4, |a| pi_gains(a).omega_g),
        "pi.k_pi" => (4, |a| pi_gains(a).k_pi),
        "avq.printed" => (4, |a| avq(a, avq_design::Reading::Printed)),
        "avq.corrected" => (4, |a| avq(a, avq_design::Reading::Corrected)),
        "avq.k11" => (4, |a| avq(a, avq_design::Reading::K11)),
        "avq.star" => (4, |a| avq_design::alpha_star(&of_plant(a), a[3])),
        "lred.phase" => (4, |a| lred_design::bounds(&of_plant(a), a[3]).phase),
        "lred.second" => (4, |a| lred_design::bounds(&of_plant(a), a[3]).second),
        "p.crossover" => (3, |a| p_design::crossover(&of_plant(a))),
        "p.slope" => (3, |a| p_design::slope(&of_plant(a))),
        "p.threshold_distance" => (4, |a| p_design::threshold_distance(&of_plant(a), a[3])),
        "sfc.p0" => (3, |a| sfc_design::gains(&of_plant(a)).p0),
        "sfc.k1" => (3, |a| sfc_design::gains(&of_plant(a)).k1),
        "sfc.k2" => (3, |a| sfc_design::gains(&of_plant(a)).k2),
        "red_weight.weight" => (2, |a| red_weight::weight(a[0], a[1])),
        "pie.alpha" => (2, |a| pie_design::pie(a[0], a[1]).alpha),
        "pie.beta" => (2, |a| pie_design::pie(a[0], a[1]).beta),
        "dualpi2.period" => (2, |a| pie_design::dualpi2_period(a[0], a[1])),
        "dualpi2.alpha" => (2, |a| pie_design::dualpi2(a[0], a[1]).alpha),
        "dualpi2.beta" => (2, |a| pie_design::dualpi2(a[0], a[1]).beta),
        "psand.equilibrium" => (3, |a| psand_design::equilibrium(a[0], a[1], a[2])),
        "blue.steepest_rise" => (2, |a| blue_design::steepest_rise(a[0], a[1])),
        "redopt.p" => (8, |a| redopt(a, |found| found.p)),
        "redopt.max_p" => (8, |a| redopt(a, |found| found.max_p)),
        "redopt.w_q" => (8, |a| redopt(a, |found| found.w_q)),
        "redopt.min_th" => (8, |a| redopt(a, |found| found.min_th)),
        "redopt.max_th" => (8, |a| redopt(a, |found| found.max_th)),
        "redopt.buffer" => (8, |a| redopt(a, |found| found.buffer)),
        "redopt.rtt" => (8, |a| redopt(a, |found| found.rtt)),
        _ => return None,
    })
}

/// The intersection of the queue law with a control function in Python: (queue, probability, at a jump), or None beyond
/// `top`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn queue_law_crossing(
    numbers: Vec<f64>,
    flows: f64,
    control: &Bound<'_, PyAny>,
    top: f64,
) -> PyResult<Option<(f64, f64, bool)>> {
    let mut failure = None;
    let crossing = {
        let failure = std::cell::RefCell::new(&mut failure);
        law(&numbers).crossing(
            flows,
            |q| match control.call1((q,)).and_then(|p| p.extract::<f64>()) {
                Ok(p) => p,
                Err(error) => {
                    failure.borrow_mut().get_or_insert(error);
                    0.0
                }
            },
            top,
        )
    };
    match failure {
        Some(error) => Err(error),
        None => Ok(crossing.map(|found| (found.queue, found.probability, found.at_jump))),
    }
}

fn batches(sizes: &[f64]) -> PyResult<Batches> {
    Batches::new(sizes)
        .ok_or_else(|| PyValueError::new_err("sizes must be finite and not negative, and at least one must be above 0"))
}

/// P(N = n) for n = 0 .. `most`, N being the number of losses, of mean `x`, that come in batches; `sizes[i]` is the
/// probability of a batch of i + 1.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn batch_distribution(sizes: Vec<f64>, x: f64, most: usize) -> PyResult<Vec<f64>> {
    Ok(batches(&sizes)?.distribution(x, most))
}

/// P(N > h) at each mean.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn batch_unrepaired(sizes: Vec<f64>, x: Vec<f64>, h: usize) -> PyResult<Vec<f64>> {
    let batches = batches(&sizes)?;
    Ok(x.into_iter().map(|x| batches.unrepaired(x, h)).collect())
}

/// Losses after repair at each loss rate.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn batch_residual_loss(sizes: Vec<f64>, p: Vec<f64>, k: usize, h: usize) -> PyResult<Vec<f64>> {
    let batches = batches(&sizes)?;
    Ok(p.into_iter().map(|p| batches.residual_loss(p, k, h)).collect())
}

/// The mean number of losses at which two sizes are repaired equally often.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn batch_threshold(first: Vec<f64>, second: Vec<f64>, h: usize) -> PyResult<Option<f64>> {
    Ok(batch_losses::threshold(&batches(&first)?, &batches(&second)?, h))
}

/// The probabilities of 0 .. `k` packets in M/D/1/K.
#[pyfunction]
pub(crate) fn md1_distribution(rho: f64, k: usize) -> Vec<f64> {
    mg1::of_k(rho, k)
}

/// Finishing times of packets in the fluid system: (time, class, size) in order of time.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn gps_finished(weights: Vec<f64>, arrivals: Vec<(f64, usize, f64)>) -> Vec<f64> {
    let arrivals: Vec<Arrival> = arrivals.into_iter().map(|(at, class, size)| Arrival { at, class, size }).collect();
    Fluid::serve(&weights, &arrivals).finished
}
