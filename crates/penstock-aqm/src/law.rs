//! The laws, one mechanism in one file, under the literature's name.

pub mod afd;
pub mod ared_feng;
pub mod ared_floyd;
pub mod bernoulli;
pub mod cobalt;
pub mod codel;
pub mod curvy_red;
pub mod droptail;
pub mod pi2;
pub mod pie;
pub mod psand;
pub mod red;

use crate::aqm::{Aqm, LinkInfo};
use crate::registry::SchemeInfo;
use alloc::string::String;
use alloc::vec::Vec;
use penstock_core::param::{ParamError, Value};

/// A law that the registry can describe and build.
pub trait Law: Aqm + Sized + 'static {
    /// What there is to say about it.
    const INFO: SchemeInfo;

    /// The law with these settings on this link; all faults if some are refused.
    fn from_settings(settings: &[(String, Value)], link: &LinkInfo) -> Result<Self, Vec<ParamError>>;
}
