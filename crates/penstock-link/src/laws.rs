//! Laws that are not in the registry, such as those that a user has written in Python.

use penstock_aqm::{Aqm, LinkInfo};
use penstock_core::param::{ParamErrors, Settings};

/// Builds laws that are not in the registry.
pub trait Laws {
    /// The law called `scheme` with these settings on this link; `None` if the registry must be asked for it.
    fn build(&self, scheme: &str, settings: &Settings, link: &LinkInfo) -> Option<Result<Box<dyn Aqm>, ParamErrors>>;
}

/// No laws besides those of the registry.
impl Laws for () {
    fn build(
        &self,
        _scheme: &str,
        _settings: &Settings,
        _link: &LinkInfo,
    ) -> Option<Result<Box<dyn Aqm>, ParamErrors>> {
        None
    }
}
