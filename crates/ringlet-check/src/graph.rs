//! The findings of an exploration: every state, every step, and what follows from them.

use std::collections::{HashMap, VecDeque};

/// Arrivals, and a loss, at the beginning of a step; without any the simulation is left alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choice {
    /// Flows of which a packet is generated. A bit each.
    pub generated: u8,
    /// Link over which the next packet or echo is lost.
    pub damaged: Option<u16>,
}

impl Choice {
    /// Is the simulation left alone?
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// A step of [`Graph`]: what was chosen, what was delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The number of the state that it leads to.
    pub to: u32,
    /// Choice at the beginning of the step.
    pub choice: Choice,
    /// Flows of which a packet was delivered. A bit each.
    pub delivered: u8,
}

/// A reachable state.
#[derive(Debug, Clone, Default)]
struct Vertex {
    /// Flows with a packet that is not delivered. A bit each.
    pending: u8,
    at_rest: bool,
    steps: Vec<Step>,
}

/// All reachable states of a ring, by the fingerprint of their code.
#[derive(Debug, Default)]
pub struct Graph {
    numbers: HashMap<u64, u32>,
    vertices: Vec<Vertex>,
}

/// Choices that lead to a state, and choices that lead from there back to it: whatever happens in between may happen
/// for ever. Each is a sequence of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lasso {
    /// The way to the state.
    pub stem: Vec<Choice>,
    /// The way from it back to it.
    pub cycle: Vec<Choice>,
}

impl Graph {
    /// The number of a state, whether or not it has been met.
    pub fn state(&mut self, fingerprint: u64, pending: u8, at_rest: bool) -> u32 {
        let next = self.vertices.len() as u32;
        let number = *self.numbers.entry(fingerprint).or_insert(next);
        if number == next {
            self.vertices.push(Vertex { pending, at_rest, steps: Vec::new() });
        }
        number
    }

    /// Records a step; once.
    pub fn step(&mut self, from: u32, step: Step) {
        let steps = &mut self.vertices[from as usize].steps;
        if !steps.contains(&step) {
            steps.push(step);
        }
    }

    /// States met.
    pub fn states(&self) -> usize {
        self.vertices.len()
    }

    /// Checks that the ring stays at rest once it is, as long as it is left alone.
    ///
    /// # Errors
    /// It does not, after these choices.
    pub fn rest_lasts(&self) -> Result<(), Lasso> {
        let leaves = |vertex: &Vertex| {
            let awakes = |step: &Step| step.choice.is_none() && !self.vertices[step.to as usize].at_rest;
            vertex.at_rest && vertex.steps.iter().any(awakes)
        };
        let broken = self.vertices.iter().position(leaves);
        broken.map_or(Ok(()), |state| Err(Lasso { stem: self.way_to(state), cycle: vec![Choice::default()] }))
    }

    /// Steps that the ring needs at most to come to rest when it is left alone.
    ///
    /// # Errors
    /// It never does.
    pub fn longest_way_to_rest(&self) -> Result<usize, Lasso> {
        self.longest(|vertex| !vertex.at_rest, |step| step.choice.is_none())
    }

    /// Steps from one delivery of a flow, or from the first packet it generates, to its next delivery, while nothing
    /// arrives of the flows in `without`, a bit each.
    ///
    /// # Errors
    /// There may be none.
    pub fn longest_wait(&self, flow: usize, without: u8) -> Result<usize, Lasso> {
        let takes = |step: &Step| step.delivered >> flow & 1 == 0 && step.choice.generated & without == 0;
        self.longest(|vertex| vertex.pending >> flow & 1 == 1, takes)
    }

    /// Steps that can be taken at most among these states, the step out of them included.
    fn longest(&self, within: impl Fn(&Vertex) -> bool, takes: impl Fn(&Step) -> bool) -> Result<usize, Lasso> {
        let inside = |step: &&Step| takes(step) && within(&self.vertices[step.to as usize]);
        let mut entries = vec![0u32; self.vertices.len()];
        for vertex in self.vertices.iter().filter(|vertex| within(vertex)) {
            vertex.steps.iter().filter(inside).for_each(|step| entries[step.to as usize] += 1);
        }
        let starts = (0..self.vertices.len()).filter(|&v| entries[v] == 0 && within(&self.vertices[v]));
        let mut ready: Vec<usize> = starts.collect();
        let mut length = vec![1usize; self.vertices.len()];
        let (mut left, mut longest) = (self.vertices.iter().filter(|vertex| within(vertex)).count(), 0);
        while let Some(v) = ready.pop() {
            left -= 1;
            longest = longest.max(length[v]);
            for step in self.vertices[v].steps.iter().filter(inside) {
                let to = step.to as usize;
                length[to] = length[to].max(length[v] + 1);
                entries[to] -= 1;
                if entries[to] == 0 {
                    ready.push(to);
                }
            }
        }
        // States in topological order: those that are left over lie on a cycle or behind one.
        if left == 0 { Ok(longest) } else { Err(self.lasso(&entries, inside)) }
    }

    /// Finds some cycle among the states that still have entries, and the shortest way from the first state to it.
    fn lasso(&self, entries: &[u32], inside: impl Fn(&&Step) -> bool) -> Lasso {
        let remains = |v: usize| entries[v] > 0;
        let mut before = vec![None; self.vertices.len()];
        for v in (0..self.vertices.len()).filter(|&v| remains(v)) {
            for step in self.vertices[v].steps.iter().filter(&inside).filter(|step| remains(step.to as usize)) {
                before[step.to as usize] = Some((v, step.choice));
            }
        }
        // Backwards from any of them one comes to a state twice.
        let mut at = (0..self.vertices.len()).find(|&v| remains(v)).expect("a state remains");
        let mut met = vec![false; self.vertices.len()];
        while !std::mem::replace(&mut met[at], true) {
            at = before[at].expect("what remains is entered from what remains").0;
        }
        let on_cycle = at;
        let mut cycle = Vec::new();
        loop {
            let (previous, choice) = before[at].expect("it is on a cycle");
            cycle.push(choice);
            at = previous;
            if at == on_cycle {
                break;
            }
        }
        cycle.reverse();
        Lasso { stem: self.way_to(on_cycle), cycle }
    }

    /// Choices on the shortest way from the first state.
    pub(crate) fn way_to(&self, goal: usize) -> Vec<Choice> {
        let mut before = vec![None; self.vertices.len()];
        let mut queue = VecDeque::from([0usize]);
        while let Some(v) = queue.pop_front() {
            for step in &self.vertices[v].steps {
                let to = step.to as usize;
                if to != 0 && before[to].is_none() {
                    before[to] = Some((v, step.choice));
                    queue.push_back(to);
                }
            }
        }
        let mut way = Vec::new();
        let mut at = goal;
        while let Some((previous, choice)) = before[at] {
            way.push(choice);
            at = previous;
        }
        way.reverse();
        way
    }
}
