//! The catalog of queue schemes and TCP keys, as JSON; and the drop function of an AQM.

use penstock_aqm::edge::ConditionerInfo;
use penstock_aqm::{LinkInfo, Picture, Probe, SchemeInfo};
use penstock_core::param::{ClassSetting, Default, FromValue, Kind, Match, ParamError, ParamInfo, Value};
use penstock_core::{Bytes, Limit, PacketMeta, Rate, Span, Time};
use penstock_tcp::{FLAVOUR_DEFAULTS, Flavour, Profile, TcpParams};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value as Json, json};

/// All queue schemes with their parameters, as JSON.
#[pyfunction]
pub(crate) fn schemes() -> String {
    Json::Array(penstock_aqm::schemes().iter().map(scheme).collect()).to_string()
}

fn scheme(info: &SchemeInfo) -> Json {
    json!({
        "name": info.name, "aliases": info.aliases, "family": info.family, "title": info.title, "source": info.source,
        "doc": info.doc, "ecn": info.ecn, "good": info.good, "bad": info.bad,
        "params": info.params.iter().map(param).collect::<Vec<_>>(),
        "class_params": info.class_params.iter().map(param).collect::<Vec<_>>(),
        "cost": info.cost, "picture": picture(info.picture),
    })
}

/// All conditioners and the shapers that may be used among them, with their parameters, as JSON.
#[pyfunction]
pub(crate) fn conditioners() -> String {
    let conditioner = |info: &ConditionerInfo| {
        json!({
            "name": info.name, "aliases": info.aliases, "title": info.title, "source": info.source, "doc": info.doc,
            "holds": false,
            "params": info.params.iter().map(param).collect::<Vec<_>>(),
            "class_params": info.class_params.iter().map(param).collect::<Vec<_>>(),
        })
    };
    let shaper = |info: &SchemeInfo| {
        json!({
            "name": info.name, "aliases": info.aliases, "title": info.title, "source": info.source, "doc": info.doc,
            "holds": true,
            "params": info.params.iter().map(param).collect::<Vec<_>>(), "class_params": [],
        })
    };
    let all = penstock_aqm::conditioners().iter().map(conditioner).chain(penstock_aqm::shapers().map(shaper));
    Json::Array(all.collect()).to_string()
}

fn picture(picture: Picture) -> &'static str {
    match picture {
        Picture::DropFunction => "drop function",
        Picture::Response => "response",
        Picture::Service => "service",
    }
}

fn param(info: &ParamInfo) -> Json {
    json!({
        "name": info.name, "doc": info.doc, "unit": info.unit, "kind": kind(info.kind), "choices": choices(info.kind),
        "words": info.words, "default": default(info.default), "range": info.range.map(range),
        "required": info.default == Default::Required,
    })
}

/// Smallest and largest; null where there is no largest.
fn range((low, high): (f64, f64)) -> Json {
    json!([low, (high < f64::MAX).then_some(high)])
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "number",
        Kind::Integer => "integer",
        Kind::Flag => "flag",
        Kind::Choice(_) => "choice",
        Kind::Time => "time",
        Kind::Size => "size",
        Kind::Rate => "rate",
        Kind::Length => "length",
        Kind::LengthOrTime => "length_or_time",
        Kind::Numbers => "numbers",
        Kind::Codepoints => "codepoints",
        Kind::Writes => "writes",
        Kind::Classes => "classes",
    }
}

fn choices(kind: Kind) -> &'static [&'static str] {
    if let Kind::Choice(words) = kind { words } else { &[] }
}

fn default(default: Default) -> Json {
    match default {
        Default::Number(x) => json!(x),
        Default::Nanos(nanos) => json!({"ns": nanos}),
        Default::Flag(flag) => json!(flag),
        Default::Text(word) => json!(word),
        Default::Numbers(numbers) => json!(numbers),
        Default::Required | Default::Absent => Json::Null,
    }
}

/// The keys of TCP traffic with their defaults in each profile, as JSON.
#[pyfunction]
pub(crate) fn tcp() -> String {
    let profiles = Profile::ALL.map(|profile| (profile.word(), TcpParams::info(profile)));
    let key = |(number, info): (usize, &ParamInfo)| {
        let defaults = profiles.iter().map(|(name, infos)| ((*name).to_owned(), default(infos[number].default)));
        json!({
            "name": info.name, "doc": info.doc, "unit": info.unit, "kind": kind(info.kind),
            "choices": choices(info.kind), "words": info.words, "range": info.range.map(range), "required": false,
            "defaults": defaults.collect::<Map<_, _>>(),
        })
    };
    let of_flavour = |(flavour, defaults): &(Flavour, &[(&str, Default)])| {
        let defaults = defaults.iter().map(|&(key, value)| (key.to_owned(), default(value)));
        (flavour.word().to_owned(), Json::Object(defaults.collect()))
    };
    json!({
        "flavours": choices(Flavour::KIND),
        "profiles": Profile::ALL.map(Profile::word),
        "default_profile": Profile::DEFAULT.word(),
        "flavour_defaults": FLAVOUR_DEFAULTS.iter().map(of_flavour).collect::<Map<_, _>>(),
        "params": profiles[0].1.iter().enumerate().map(key).collect::<Vec<_>>(),
    })
    .to_string()
}

/// The drop probability of a scheme at each held average queue in `xs` (packets); `None` if it has no such function.
///
/// `settings` and `link` are JSON: the canonical parameters, and `{"rate", "limit", "mean_packet", "mtu"}` of the link
/// in bit/s and bytes. Raises `ValueError` with a JSON list of `{"path", "message"}` for settings that are refused.
#[pyfunction]
pub(crate) fn drop_function(scheme: &str, settings: &str, link: &str, xs: Vec<f64>) -> PyResult<Option<Vec<f64>>> {
    let settings = read_settings(settings).map_err(PyValueError::new_err)?;
    let link = read_link(link).map_err(PyValueError::new_err)?;
    let aqm = penstock_aqm::build::<PacketMeta, dyn Probe<_>>(scheme, &settings, &link, Time::ZERO)
        .map_err(|errors| PyValueError::new_err(error_list(&errors)))?;
    Ok(xs.into_iter().map(|x| aqm.drop_function(x)).collect())
}

/// The errors of these settings of a scheme on this link, by the registry (JSON as for [`drop_function`]): a JSON list
/// of `{"path", "message"}`.
#[pyfunction]
pub(crate) fn check_queue(scheme: &str, settings: &str, link: &str) -> PyResult<String> {
    let settings = read_settings(settings).map_err(PyValueError::new_err)?;
    let link = read_link(link).map_err(PyValueError::new_err)?;
    let queue = penstock_aqm::build::<PacketMeta, dyn Probe<_>>(scheme, &settings, &link, Time::ZERO);
    Ok(error_list(&queue.err().unwrap_or_default()))
}

/// The errors of these settings of a conditioner in front of this link, by the registry: as [`check_queue`].
/// A shaper holds up to the `limit` of `link`.
#[pyfunction]
pub(crate) fn check_conditioner(kind: &str, settings: &str, link: &str) -> PyResult<String> {
    let settings = read_settings(settings).map_err(PyValueError::new_err)?;
    let link = read_link(link).map_err(PyValueError::new_err)?;
    Ok(error_list(
        &penstock_aqm::build_stage::<PacketMeta>(kind, &settings, link.limit, &link, Time::ZERO)
            .err()
            .unwrap_or_default(),
    ))
}

/// The errors of these TCP settings in this profile, by the registry: a JSON list of `{"path", "message"}`.
#[pyfunction]
pub(crate) fn check_tcp(profile: &str, settings: &str) -> PyResult<String> {
    let profile = Profile::from_name(profile).ok_or_else(|| PyValueError::new_err("no such profile"))?;
    let settings = read_settings(settings).map_err(PyValueError::new_err)?;
    Ok(error_list(&TcpParams::from_settings(profile, &settings).err().unwrap_or_default()))
}

pub(crate) fn error_list(errors: &[ParamError]) -> String {
    Json::Array(errors.iter().map(error_entry).collect()).to_string()
}

fn error_entry(error: &ParamError) -> Json {
    json!({"path": error.name, "message": error.message})
}

pub(crate) fn read_settings(text: &str) -> Result<Vec<(String, Value)>, String> {
    let settings: Map<String, Json> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    settings
        .into_iter()
        .map(|(name, value)| value_of(value).map(|value| (name.clone(), value)).ok_or(format!("{name}: no such value")))
        .collect()
}

/// A value in canonical form; classes are reduced by `class_of`.
fn value_of(value: Json) -> Option<Value> {
    match value {
        Json::Array(items) if items.iter().any(Json::is_object) => {
            items.iter().map(class_of).collect::<Option<_>>().map(Value::Classes)
        }
        value => serde_json::from_value(value).ok(),
    }
}

/// A class for the checks of a registry. Names of traffic and nodes have a meaning only within a scenario, so any match
/// is replaced by one that matches all flows.
fn class_of(class: &Json) -> Option<ClassSetting> {
    let settings = |settings: &Json| -> Option<Vec<(String, Value)>> {
        let Json::Object(settings) = settings else { return Some(Vec::new()) };
        settings.iter().map(|(name, value)| Some((name.clone(), value_of(value.clone())?))).collect()
    };
    let is_empty = class["match"].as_object().is_none_or(Map::is_empty);
    let flows = if is_empty { Vec::new() } else { vec![(0, u32::MAX)] };
    let queue = match class["queue"]["scheme"].as_str() {
        Some(scheme) => Some((scheme.to_owned(), settings(&class["queue"]["params"])?)),
        None => None,
    };
    Some(ClassSetting {
        name: class["name"].as_str()?.to_owned(),
        matches: Match { flows, ..Match::default() },
        settings: settings(&class["params"])?,
        queue,
    })
}

pub(crate) fn read_link(text: &str) -> Result<LinkInfo, String> {
    let link: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let bytes = |key: &str, missing| Bytes(link[key].as_u64().unwrap_or(missing));
    let limit = match &link["limit"] {
        Json::Object(limit) if limit.contains_key("packets") => {
            Limit::Packets(limit["packets"].as_u64().unwrap_or_default() as u32)
        }
        Json::Object(limit) if limit.contains_key("bytes") => Limit::Bytes(limit["bytes"].as_u64().unwrap_or_default()),
        _ => Limit::Infinite,
    };
    Ok(LinkInfo {
        rate: Rate::from_bits_per_second(link["rate"].as_u64().ok_or("a link needs a rate")?),
        limit,
        mean_packet: bytes("mean_packet", 1000),
        mtu: bytes("mtu", 1500),
        rtt: link["rtt_ns"].as_u64().map(Span::from_nanos),
        flows: link["flows"].as_u64().and_then(|flows| u32::try_from(flows).ok()),
    })
}
