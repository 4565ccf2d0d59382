//! The graph of nodes and link directions, and shortest paths in it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Nodes by number, and the link directions between them.
pub(crate) struct Graph {
    names: HashMap<String, u32>,
    /// For each node: link directions that leave it, as (link, other node).
    leaving: Vec<Vec<(u32, u32)>>,
    /// For each node: link directions that lead to it.
    leading: Vec<Vec<(u32, u32)>>,
    delays: Vec<u64>,
}

/// The root of a tree of shortest paths.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    From(u32),
    To(u32),
}

impl Graph {
    /// The graph of link directions, each `(from, to, delay in ns)`, numbered in this order.
    pub(crate) fn new<'a>(links: impl Iterator<Item = (&'a str, &'a str, u64)>) -> Self {
        let mut graph = Self { names: HashMap::new(), leaving: Vec::new(), leading: Vec::new(), delays: Vec::new() };
        for (from, to, delay) in links {
            let (from, to) = (graph.add_node(from), graph.add_node(to));
            let link = graph.delays.len() as u32;
            graph.leaving[from as usize].push((link, to));
            graph.leading[to as usize].push((link, from));
            graph.delays.push(delay);
        }
        graph
    }

    fn add_node(&mut self, name: &str) -> u32 {
        if let Some(&node) = self.names.get(name) {
            return node;
        }
        let node = self.leaving.len() as u32;
        self.names.insert(name.to_owned(), node);
        self.leaving.push(Vec::new());
        self.leading.push(Vec::new());
        node
    }

    /// The node of this name.
    pub(crate) fn node(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Links along the nodes of `path`; of several links between two nodes, the first one. `Err` names the pair of
    /// nodes without a link.
    pub(crate) fn along<'a>(&self, path: &'a [String]) -> Result<Vec<u32>, (&'a str, &'a str)> {
        path.windows(2)
            .map(|pair| {
                let ends = (self.node(&pair[0]), self.node(&pair[1]));
                let (Some(from), Some(to)) = ends else { return Err((pair[0].as_str(), pair[1].as_str())) };
                let link = self.leaving[from as usize].iter().find(|&&(_, other)| other == to);
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
        let mut tree = vec![None; neighbours.len()];
        let mut best = vec![(u64::MAX, u32::MAX); neighbours.len()];
        best[start as usize] = (0, 0);
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_u32, start))]);
        while let Some(Reverse((delay, hops, node))) = open.pop() {
            if (delay, hops) > best[node as usize] {
                continue;
            }
            for &(link, next) in &neighbours[node as usize] {
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

    fn square() -> Graph {
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
