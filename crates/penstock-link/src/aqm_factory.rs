//! AQMs that are not in the registry, such as those that a user has written in Python.

use penstock_aqm::{Aqm, LinkInfo};
use penstock_core::param::{ParamErrors, Settings};

/// Builds AQMs that are not in the registry.
pub trait AqmFactory {
    /// The AQM called `scheme` with these settings on this link; `None` if the registry must be asked for it.
    fn build(&self, scheme: &str, settings: &Settings, link: &LinkInfo) -> Option<Result<Box<dyn Aqm>, ParamErrors>>;
}

/// No AQMs besides those of the registry.
impl AqmFactory for () {
    fn build(
        &self,
        _scheme: &str,
        _settings: &Settings,
        _link: &LinkInfo,
    ) -> Option<Result<Box<dyn Aqm>, ParamErrors>> {
        None
    }
}
