//! The graph of nodes and link directions, and shortest paths in it.

use crate::name_hash::NameMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes by number, and the link directions between them.
pub(crate) struct Graph<'a> {
    names: NameMap<'a, u32>,
    leaving: Neighbours,
    leading: Neighbours,
    delays: Vec<u64>,
}

/// For each node, the link directions that leave it, or that lead to it, as (link, other node).
struct Neighbours {
    /// The entries of all nodes, one node after the other; the links of a node are ordered by number.
    all: Vec<(u32, u32)>,
    /// The place in `all` of the first entry of each node, and the end.
    first: Vec<u32>,
}

impl Neighbours {
    /// The adjacency of `nodes` nodes; `ends` holds, for each link direction, the node and the other node.
    fn new(nodes: usize, ends: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut first = vec![0; nodes + 1];
        for (node, _) in ends.clone() {
            first[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut place = first.clone();
        let mut all = vec![(0, 0); first[nodes] as usize];
        for (link, (node, other)) in (0..).zip(ends) {
            all[place[node as usize] as usize] = (link, other);
            place[node as usize] += 1;
        }
        Self { all, first }
    }

    fn of(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.all[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// The root of a tree of shortest paths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    From(u32),
    To(u32),
}

/// Finds shortest paths by a tree that grows from its root only as far as requested paths need: between two nearby
/// nodes of a large network, few nodes are visited.
pub(crate) struct ShortestPaths<'g, 'a> {
    graph: &'g Graph<'a>,
    neighbours: &'g Neighbours,
    /// For each node reached: the link that joins it to the tree, and the next node towards the root.
    joints: Vec<Option<(u32, u32)>>,
    /// Smallest delay and number of links to each node, as far as known.
    best: Vec<(u64, u32)>,
    open: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// The nodes reached.
    reached: Vec<u32>,
    /// The last node whose path is final, as it was in `open`.
    settled: (u64, u32, u32),
}

impl<'g, 'a> ShortestPaths<'g, 'a> {
    /// Paths of this graph.
    pub(crate) fn new(graph: &'g Graph<'a>) -> Self {
        let nodes = graph.names.len();
        Self {
            graph,
            neighbours: &graph.leaving,
            joints: vec![None; nodes],
            best: vec![UNREACHED; nodes],
            open: BinaryHeap::new(),
            reached: Vec::new(),
            settled: (0, 0, 0),
        }
    }

    /// Links of the path of least delay for each `(from, to)`. Ties go to the path with fewer links, then to the path
    /// whose links come first. `None` if there is no path.
    pub(crate) fn shortest(&mut self, pairs: &[(u32, u32)]) -> Vec<Option<Vec<u32>>> {
        let distinct = |end: fn(&(u32, u32)) -> u32| {
            let mut ends: Vec<u32> = pairs.iter().map(end).collect();
            ends.sort_unstable();
            ends.dedup();
            ends.len()
        };
        let by_source = distinct(|pair| pair.0) <= distinct(|pair| pair.1);
        let root = |&(from, to): &(u32, u32)| if by_source { Root::From(from) } else { Root::To(to) };
        // Requests with the same root are handled one after the other, so that only one tree exists at a time.
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&at| root(&pairs[at]));
        let mut current = None;
        let mut routes = vec![None; pairs.len()];
        for at in order {
            let root = root(&pairs[at]);
            if current.replace(root) != Some(root) {
                self.begin(root);
            }
            let (from, to) = pairs[at];
            let (mut node, end) = if by_source { (to, from) } else { (from, to) };
            self.reach(node);
            let mut links = Vec::new();
            while let Some((link, next)) = self.joints[node as usize] {
                links.push(link);
                node = next;
            }
            if by_source {
                links.reverse();
            }
            routes[at] = (node == end).then_some(links);
        }
        routes
    }

    /// Begin at another root.
    fn begin(&mut self, root: Root) {
        for node in self.reached.drain(..) {
            self.joints[node as usize] = None;
            self.best[node as usize] = UNREACHED;
        }
        let (start, neighbours) = match root {
            Root::From(node) => (node, &self.graph.leaving),
            Root::To(node) => (node, &self.graph.leading),
        };
        self.neighbours = neighbours;
        self.best[start as usize] = (0, 0);
        self.reached.push(start);
        self.open.clear();
        self.open.push(Reverse((0, 0, start)));
        self.settled = (0, 0, 0);
    }

    /// Grow until the path to `node` is final, or no node is left.
    fn reach(&mut self, node: u32) {
        let is_final = |tree: &Self| {
            let (delay, hops) = tree.best[node as usize];
            (delay, hops, node) <= tree.settled
        };
        while !is_final(self)
            && let Some(Reverse((delay, hops, node))) = self.open.pop()
        {
            self.settled = (delay, hops, node);
            if (delay, hops) > self.best[node as usize] {
                continue;
            }
            for &(link, next) in self.neighbours.of(node) {
                let candidate = (delay + self.graph.delays[link as usize], hops + 1);
                let best = &mut self.best[next as usize];
                if candidate < *best {
                    if *best == UNREACHED {
                        self.reached.push(next);
                    }
                    *best = candidate;
                    self.joints[next as usize] = Some((link, node));
                    self.open.push(Reverse((candidate.0, candidate.1, next)));
                }
            }
        }
    }
}

/// Delay and number of links to a node without a known path.
const UNREACHED: (u64, u32) = (u64::MAX, u32::MAX);

impl<'a> Graph<'a> {
    /// The graph of link directions, each `(from, to, delay in ns)`, numbered in this order.
    pub(crate) fn new(links: impl Iterator<Item = (&'a str, &'a str, u64)>) -> Self {
        let mut names = NameMap::default();
        let mut number = |name: &'a str| {
            let next = names.len() as u32;
            *names.entry(name).or_insert(next)
        };
        let (ends, delays): (Vec<(u32, u32)>, Vec<u64>) =
            links.map(|(from, to, delay)| ((number(from), number(to)), delay)).unzip();
        let leaving = Neighbours::new(names.len(), ends.iter().copied());
        let leading = Neighbours::new(names.len(), ends.iter().map(|&(from, to)| (to, from)));
        Self { names, leaving, leading, delays }
    }

    /// The node of this name.
    pub(crate) fn node(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Links along the nodes of `path`; of several links between two nodes, the first one. `Err` names the pair of
    /// nodes without a link.
    pub(crate) fn along<'p>(&self, path: &'p [String]) -> Result<Vec<u32>, (&'p str, &'p str)> {
        path.windows(2)
            .map(|pair| {
                let ends = (self.node(&pair[0]), self.node(&pair[1]));
                let (Some(from), Some(to)) = ends else { return Err((pair[0].as_str(), pair[1].as_str())) };
                let link = self.leaving.of(from).iter().find(|&&(_, other)| other == to);
                link.map(|&(link, _)| link).ok_or((pair[0].as_str(), pair[1].as_str()))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn square() -> Graph<'static> {
        Graph::new([("A", "B", 5), ("B", "D", 5), ("A", "C", 1), ("C", "D", 1), ("D", "A", 9)].into_iter())
    }

    #[test]
    fn the_least_delay_wins_from_either_end() {
        let graph = square();
        let node = |name| graph.node(name).unwrap();
        let pairs = [(node("A"), node("D")), (node("D"), node("A")), (node("B"), node("C"))];
        let mut paths = ShortestPaths::new(&graph);
        let routes = paths.shortest(&pairs);
        assert_eq!(routes, [Some(vec![2, 3]), Some(vec![4]), Some(vec![1, 4, 2])]);
        assert_eq!(paths.shortest(&pairs[..1]), [Some(vec![2, 3])]);
    }

    #[test]
    fn no_path_is_none() {
        let graph = Graph::new([("A", "B", 1)].into_iter());
        assert_eq!(ShortestPaths::new(&graph).shortest(&[(1, 0)]), [None]);
    }

    #[test]
    fn a_named_path_is_taken_or_refused() {
        let graph = square();
        let path = |names: [&str; 3]| names.map(str::to_owned);
        assert_eq!(graph.along(&path(["A", "B", "D"])), Ok(vec![0, 1]));
        assert_eq!(graph.along(&path(["A", "D", "B"])), Err(("A", "D")));
    }

    /// Least delay from one node to all others, by Bellman and Ford.
    fn delays(links: &[(u32, u32, u64)], from: u32) -> Vec<u64> {
        let mut least = vec![u64::MAX; 12];
        least[from as usize] = 0;
        for _ in 0..12 {
            for &(a, b, delay) in links.iter().filter(|link| link.0 != link.1) {
                least[b as usize] = least[b as usize].min(least[a as usize].saturating_add(delay));
            }
        }
        least
    }

    proptest! {
        #[test]
        fn paths_lead_from_end_to_end_and_none_is_shorter(
            links in prop::collection::vec((0_u32..12, 0_u32..12, 0_u64..4), 1..40),
            asked in prop::collection::vec(prop::collection::vec((0_u32..12, 0_u32..12), 1..8), 1..4),
        ) {
            let names: Vec<String> = (0..12).map(|node| format!("N{node}")).collect();
            let name = |node: u32| names[node as usize].as_str();
            let graph = Graph::new(links.iter().map(|&(from, to, delay)| (name(from), name(to), delay)));
            let mut paths = ShortestPaths::new(&graph);
            for pairs in asked {
                let known = |pair: &&(u32, u32)| graph.node(name(pair.0)).is_some() && graph.node(name(pair.1)).is_some();
                let pairs: Vec<(u32, u32)> = pairs.iter().filter(known).copied().collect();
                let nodes = |&(from, to): &(u32, u32)| (graph.node(name(from)).unwrap(), graph.node(name(to)).unwrap());
                let found = paths.shortest(&pairs.iter().map(nodes).collect::<Vec<_>>());
                for (&(from, to), path) in pairs.iter().zip(found) {
                    let least = delays(&links, from)[to as usize];
                    prop_assert_eq!(path.is_some(), least < u64::MAX);
                    let Some(path) = path else { continue };
                    let mut at = from;
                    for &link in &path {
                        prop_assert_eq!(links[link as usize].0, at);
                        at = links[link as usize].1;
                    }
                    prop_assert_eq!(at, to);
                    prop_assert_eq!(path.iter().map(|&link| links[link as usize].2).sum::<u64>(), least);
                }
            }
        }
    }
}
