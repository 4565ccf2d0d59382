//! The Python module `penstock._native`: converts, delegates, raises. Private and thin; use `import penstock`.

mod aqms;
mod captures;
mod catalog;
mod fluid;
mod models;
#[cfg(target_os = "linux")]
mod namespaces;
mod pictures;
#[cfg(target_os = "linux")]
mod real_link;
mod runs;
#[cfg(target_os = "linux")]
mod senders;
mod tables;
mod toml_text;
mod traces;

use pyo3::prelude::*;

/// The native part of penstock.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add("meaning", penstock_sim::MEANING)?;
    module.add_class::<aqms::CxFacts>()?;
    module.add_class::<aqms::PacketFacts>()?;
    module.add_class::<aqms::QueueFacts>()?;
    module.add_class::<aqms::RandomStream>()?;
    module.add_class::<aqms::PyVerdict>()?;
    module.add("PASS", aqms::PyVerdict::PASS)?;
    module.add("MARK", aqms::PyVerdict::MARK)?;
    module.add("DROP", aqms::PyVerdict::DROP)?;
    module.add_function(wrap_pyfunction!(toml_text::parse_toml, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::schemes, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::conditioners, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::tcp, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::drop_function, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::check_queue, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::check_conditioner, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::check_tcp, module)?)?;
    module.add_function(wrap_pyfunction!(captures::read_capture, module)?)?;
    module.add_function(wrap_pyfunction!(captures::captured_packets, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::step_response, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::service_order, module)?)?;
    module.add_function(wrap_pyfunction!(models::model, module)?)?;
    module.add_function(wrap_pyfunction!(models::queue_law_crossing, module)?)?;
    module.add_function(wrap_pyfunction!(models::batch_distribution, module)?)?;
    module.add_function(wrap_pyfunction!(models::batch_unrepaired, module)?)?;
    module.add_function(wrap_pyfunction!(models::batch_residual_loss, module)?)?;
    module.add_function(wrap_pyfunction!(models::batch_threshold, module)?)?;
    module.add_function(wrap_pyfunction!(models::md1_distribution, module)?)?;
    module.add_function(wrap_pyfunction!(models::gps_finished, module)?)?;
    module.add_function(wrap_pyfunction!(fluid::fluid_equilibrium, module)?)?;
    module.add_function(wrap_pyfunction!(fluid::fluid_margins, module)?)?;
    module.add_function(wrap_pyfunction!(fluid::fluid_pole, module)?)?;
    module.add_function(wrap_pyfunction!(fluid::fluid_border, module)?)?;
    module.add_function(wrap_pyfunction!(fluid::fluid_loop, module)?)?;
    module.add_function(wrap_pyfunction!(fluid::fluid_trajectory, module)?)?;
    runs::add(module)?;
    tables::add(module)?;
    module.add_function(wrap_pyfunction!(traces::run_recorded, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_words, module)?)?;
    #[cfg(target_os = "linux")]
    {
        module.add_class::<namespaces::Namespace>()?;
        module.add_class::<real_link::RealLink>()?;
        module.add_class::<senders::Senders>()?;
        module.add_function(wrap_pyfunction!(namespaces::raise_priority, module)?)?;
        module.add_function(wrap_pyfunction!(senders::ping, module)?)?;
    }
    Ok(())
}
