//! Metrics of all traffic sent with the same differentiated services codepoint.

use super::flows::Flows;
use super::{Group, delay_metrics};
use crate::probe::one_way::OneWayDelays;
use crate::scenario::HeaderField;
use penstock_core::Dscp;
use penstock_link::metrics::{Metric, Metrics};
use std::collections::BTreeMap;

/// The metrics of each codepoint by its name, or its number if it has no name; packets with recorded codepoints are
/// under "recorded". Empty if all traffic has the same codepoint.
pub(super) fn by_dscp(flows: &Flows<'_>) -> Option<Metrics> {
    let mut groups: BTreeMap<HeaderField<u8>, Vec<usize>> = BTreeMap::new();
    for (group, spec) in flows.scenario.traffic.iter().enumerate() {
        groups.entry(spec.dscp).or_default().push(group);
    }
    let named = |dscp: HeaderField<u8>| match dscp {
        HeaderField::Fixed(dscp) => {
            Dscp::new(dscp).and_then(Dscp::name).map_or_else(|| dscp.to_string(), str::to_owned)
        }
        HeaderField::Recorded => "recorded".to_owned(),
    };
    (groups.len() > 1).then(|| {
        let mut all = Metrics::default();
        for (&dscp, groups) in &groups {
            all.insert(named(dscp), Metric::Table(metrics_of(flows, groups)));
        }
        all
    })
}

/// Sums over the flows of these groups, and the delays of all packets whose delays are measured.
fn metrics_of(flows: &Flows<'_>, groups: &[usize]) -> Metrics {
    let rows = groups.iter().flat_map(|&group| flows.rows(group));
    let sums = rows.fold(Group::default(), |sums, row| sums.add(&row));
    let mut metrics = sums.metrics();
    let measured = groups.iter().filter_map(|&group| flows.engine.network.tally.one_way[group].as_ref());
    delay_metrics(&mut metrics, &OneWayDelays::merged(measured));
    metrics
}
