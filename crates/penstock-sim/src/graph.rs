//! The graph of nodes and link directions, and shortest paths in it.

use crate::name_hash::NameMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Nodes by number, and the link directions between them.
pub(crate) struct Graph<'a> {
    names: NameMap<'a, u32>,
    leaving: Neighbours,
    leading: Neighbours,
    delays: Vec<u64>,
}

/// For each node, the link directions that leave it, or that lead to it, as (link, other node).
struct Neighbours {
    /// Those of all nodes, one node after the other; the links of a node by number.
    all: Vec<(u32, u32)>,
    /// The place of the first one of each node in `all`, and the end.
    first: Vec<u32>,
}

impl Neighbours {
    /// Those of `nodes` nodes; `ends` has for each link direction the node and the other node.
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
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    From(u32),
    To(u32),
}

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

    /// Links of the path of least delay for each `(from, to)`. Ties go to the path with fewer links, then to the one
    /// whose links come first. `None` if there is no path.
    pub(crate) fn shortest(&self, pairs: &[(u32, u32)]) -> Vec<Option<Vec<u32>>> {
        let distinct = |end: fn(&(u32, u32)) -> u32| {
            let mut ends: Vec<u32> = pairs.iter().map(end).collect();
            ends.sort_unstable();
            ends.dedup();
            ends.len()
        };
        let by_source = distinct(|pair| pair.0) <= distinct(|pair| pair.1);
        let mut trees: HashMap<Root, Vec<Option<(u32, u32)>>> = HashMap::new();
        let mut route = |&(from, to): &(u32, u32)| {
            let (root, mut node, end) = if by_source { (Root::From(from), to, from) } else { (Root::To(to), from, to) };
            let tree = trees.entry(root).or_insert_with(|| self.tree(root));
            let mut links = Vec::new();
            while node != end {
                let (link, next) = tree[node as usize]?;
                links.push(link);
                node = next;
            }
            if by_source {
                links.reverse();
            }
            Some(links)
        };
        pairs.iter().map(&mut route).collect()
    }

    /// For each node, the link that joins it to the tree and the next node towards the root.
    fn tree(&self, root: Root) -> Vec<Option<(u32, u32)>> {
        let (start, neighbours) = match root {
            Root::From(node) => (node, &self.leaving),
            Root::To(node) => (node, &self.leading),
        };
        let mut tree = vec![None; self.names.len()];
        let mut best = vec![(u64::MAX, u32::MAX); self.names.len()];
        best[start as usize] = (0, 0);
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_u32, start))]);
        while let Some(Reverse((delay, hops, node))) = open.pop() {
            if (delay, hops) > best[node as usize] {
                continue;
            }
            for &(link, next) in neighbours.of(node) {
                let candidate = (delay + self.delays[link as usize], hops + 1);
                if candidate < best[next as usize] {
                    best[next as usize] = candidate;
                    tree[next as usize] = Some((link, node));
                    open.push(Reverse((candidate.0, candidate.1, next)));
                }
            }
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Graph<'static> {
        Graph::new([("A", "B", 5), ("B", "D", 5), ("A", "C", 1), ("C", "D", 1), ("D", "A", 9)].into_iter())
    }

    #[test]
    fn the_least_delay_wins_from_either_end() {
        let graph = square();
        let node = |name| graph.node(name).unwrap();
        let pairs = [(node("A"), node("D")), (node("D"), node("A")), (node("B"), node("C"))];
        let routes = graph.shortest(&pairs);
        assert_eq!(routes, [Some(vec![2, 3]), Some(vec![4]), Some(vec![1, 4, 2])]);
        assert_eq!(graph.shortest(&pairs[..1]), [Some(vec![2, 3])]);
    }

    #[test]
    fn no_path_is_none() {
        let graph = Graph::new([("A", "B", 1)].into_iter());
        assert_eq!(graph.shortest(&[(1, 0)]), [None]);
    }

    #[test]
    fn a_named_path_is_taken_or_refused() {
        let graph = square();
        let path = |names: [&str; 3]| names.map(str::to_owned);
        assert_eq!(graph.along(&path(["A", "B", "D"])), Ok(vec![0, 1]));
        assert_eq!(graph.along(&path(["A", "D", "B"])), Err(("A", "D")));
    }
}
