//! The description of a scheme, and the traits through which the registry builds it.

use crate::aqm::{Aqm, LinkInfo};
use crate::discipline::fifo::Fifo;
use crate::discipline::{Discipline, Probe};
use alloc::boxed::Box;
use penstock_core::param::{ParamErrors, ParamInfo, Settings};
use penstock_core::{Packet, Time};

/// An AQM that the registry can describe and build. It guards a first-in-first-out queue, or the queue of a class.
pub trait AqmScheme: Aqm + Sized + 'static {
    /// Its description.
    const INFO: SchemeInfo;

    /// The AQM with these settings on this link, from `now` on; all errors if some settings are refused.
    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors>;
}

/// A scheme that the registry can describe and build.
pub trait Scheme {
    /// Its description.
    const INFO: SchemeInfo;

    /// The queue with these settings at this site; all errors if some settings are refused.
    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors>;
}

impl<L: AqmScheme> Scheme for L {
    const INFO: SchemeInfo = <L as AqmScheme>::INFO;

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        Ok(Box::new(Fifo::new(L::from_settings(settings, link, now)?, link.limit)))
    }
}

/// The site of a new queue: link and time.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The link behind the queue, with the limit of the queue.
    pub link: &'a LinkInfo,
    /// The present time.
    pub now: Time,
    /// Builds the AQMs of classes.
    pub build_aqm: BuildNamedAqm,
}

/// Builds the AQM of a name with these settings, for a queue that sees `link` as its own; all errors if some settings
/// are refused, or if there is no such AQM.
pub type BuildNamedAqm = fn(&str, &Settings, &LinkInfo, Time) -> Result<Box<dyn Aqm>, ParamErrors>;

/// Builds one AQM.
pub type BuildAqm = fn(&Settings, &LinkInfo, Time) -> Result<Box<dyn Aqm>, ParamErrors>;

/// The [`SchemeInfo::build_aqm`] of an AQM.
pub(crate) fn boxed<L: AqmScheme>(
    settings: &Settings,
    link: &LinkInfo,
    now: Time,
) -> Result<Box<dyn Aqm>, ParamErrors> {
    Ok(Box::new(L::from_settings(settings, link, now)?))
}

/// The description of a scheme.
#[derive(Clone, Copy, Debug)]
pub struct SchemeInfo {
    /// The literature's name, in lower case with hyphens.
    pub name: &'static str,
    /// Aliases of the name.
    pub aliases: &'static [&'static str],
    /// The family of the scheme: "passive", "probability", "RED", ...
    pub family: &'static str,
    /// The name in full.
    pub title: &'static str,
    /// The publication that defines the scheme.
    pub source: &'static str,
    /// The AQM in formulas, its parameters and its differences from its sources, as Markdown.
    pub doc: &'static str,
    /// Whether it can mark instead of dropping.
    pub ecn: bool,
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Parameters of each of its classes; empty for schemes without classes.
    pub class_params: &'static [ParamInfo],
    /// Time and memory, in the number of packets, flows or classes.
    pub cost: &'static str,
    /// Builds the AQM alone, to guard the queue of a class; `None` for a discipline.
    pub build_aqm: Option<BuildAqm>,
    /// The picture that shows the scheme best.
    pub picture: Picture,
    /// Strengths, from measured results.
    pub good: &'static str,
    /// Weaknesses, from measured results.
    pub bad: &'static str,
}

/// The kind of picture that shows a scheme best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Its drop probability against the average queue.
    DropFunction,
    /// The response over time to a load that steps above the link's rate and back.
    Response,
    /// The order in which backlogged flows or classes are served.
    Service,
}

/// The module documentation at the head of a source file, as Markdown without the comment signs. Not in a WebAssembly module:
/// pages load it, and show no documentation.
macro_rules! module_doc {
    ($file:literal) => {{
        const SOURCE: &str = if cfg!(target_family = "wasm") { "" } else { include_str!($file) };
        // The array has the exact length: a longer one would take space in the program.
        const LENGTH: usize = $crate::scheme::head_comment::<0>(SOURCE).1;
        const DOC: [u8; LENGTH] = $crate::scheme::head_comment(SOURCE).0;
        const TEXT: &str = match core::str::from_utf8(&DOC) {
            Ok(text) => text,
            Err(_) => panic!("the documentation is not UTF-8"),
        };
        TEXT
    }};
}
pub(crate) use module_doc;

/// The first `N` bytes of the lines at the head of `source` that begin with `//!`, without this prefix, and the total
/// length of these lines.
pub(crate) const fn head_comment<const N: usize>(source: &str) -> ([u8; N], usize) {
    let source = source.as_bytes();
    let mut doc = [0; N];
    let (mut read, mut written) = (0, 0);
    while read + 3 < source.len() && source[read] == b'/' && source[read + 1] == b'/' && source[read + 2] == b'!' {
        read += if source[read + 3] == b' ' { 4 } else { 3 };
        let mut in_line = true;
        while in_line && read < source.len() {
            in_line = source[read] != b'\n';
            if written < N {
                doc[written] = source[read];
            }
            (read, written) = (read + 1, written + 1);
        }
    }
    (doc, written)
}
