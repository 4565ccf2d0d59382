//! The laws, one mechanism in one file, under the literature's name.

pub mod afd;
pub mod ared_feng;
pub mod ared_floyd;
mod average;
pub mod avq;
pub mod bernoulli;
pub mod blue;
pub mod bred;
pub mod cbt_red;
pub mod cobalt;
pub mod codel;
mod coin;
pub mod curvy_red;
mod design;
pub mod droptail;
pub mod dsred;
pub mod fb_red;
pub mod fred;
pub mod green;
pub mod lred;
pub mod p;
mod per_flow;
pub mod pi;
pub mod pi2;
pub mod pie;
pub mod precedence;
pub mod psand;
pub mod qlaw;
pub mod red;
pub mod rem;
pub mod rio;
pub mod sfb;
pub mod sfc;
pub mod sred;
pub mod wred;
pub mod wrt;
pub mod xred;

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
