//! Errors on links: packets and echoes that are lost, and the time-outs of their senders
//! (docs/explanation/network-model.md, "Link errors").

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ringlet_engine_derive::Encode;

use crate::results::{ErrorCounters, ErrorKind, PacketView};
use crate::spec::{Clock, ErrorsSpec};
use crate::values::{Class, Encode, Encoder, NEVER, Packet, Packets, Run};

/// The wrong bits of a link, drawn for one packet, echo or message after the other.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Noise {
    stream: Pcg64Mcg,
    /// Logarithm of the probability that a symbol is right.
    log_right: f64,
}

impl Noise {
    /// The wrong bits of the link that leads to a place of a ring: each of the `link_width` bits of a symbol is wrong
    /// with this probability.
    pub fn new(bit_error_rate: f64, link_width: u32, seed: u64, ring: u32, place: u64) -> Self {
        let mix = crate::hosts::source::mix;
        Self {
            stream: Pcg64Mcg::seed_from_u64(mix(seed ^ mix(u64::from(ring) << 20 | place))),
            log_right: f64::from(link_width) * libm::log1p(-bit_error_rate),
        }
    }

    /// Is a bit of the next packet, echo or message wrong, which is so many symbols long?
    pub fn spoils(&mut self, symbols: u32) -> bool {
        if !self.may_spoil() {
            return false;
        }
        // Uniform on [0, 1).
        let draw = (self.stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        draw >= libm::exp(self.log_right * f64::from(symbols))
    }

    /// May a bit be wrong at all?
    fn may_spoil(&self) -> bool {
        self.log_right < 0.0
    }
}

/// A message of the protocol was lost: the node that has made it finds that out.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct LostMessage {
    /// Cycle in which it does.
    noticed_cycle: u64,
    /// Place at which the message was lost.
    place: u16,
    message: Run,
}

/// A packet or echo was lost: the packet's sender times out.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Loss {
    /// Cycle in which it does.
    pub(crate) timeout_cycle: u64,
    pub(crate) packet: u32,
}

impl Loss {
    /// Losses of one sender in the order of their time-outs.
    fn order(self, packet: &Packet) -> (u64, u32, u32, u16, Class) {
        (self.timeout_cycle, packet.network_flow, packet.message, packet.part, packet.class)
    }
}

/// Cycle, packet, and what has happened to it.
type Logged = (u64, PacketView, ErrorKind);

/// Cycles from which on, and before which, everything on a link is lost.
type Interruption = (u64, u64);

/// The link to one interface.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Link {
    noise: Noise,
    interruptions: Box<[Interruption]>,
    /// Is the next packet or echo that comes in lost? Set by exploration only.
    damages_next: bool,
    counters: ErrorCounters,
    /// Losses of what this interface has sent: before and after their time-outs are among its arrivals.
    unannounced: Vec<Loss>,
    announced: Vec<Loss>,
    /// Likewise, lost messages that this interface has made.
    unannounced_messages: Vec<LostMessage>,
    announced_messages: Vec<LostMessage>,
    /// Log of what has happened here and to what was sent from here, for an observer only.
    #[serde(skip)]
    log: Option<Vec<Logged>>,
    /// Destinations that this interface has given up until they answer.
    silent: Vec<Silent>,
    /// Cycle in which giving up a response made a place for another; [`NEVER`]: none has.
    response_place_at: u64,
}

impl Link {
    fn is_interrupted(&self, now: u64) -> bool {
        self.interruptions.iter().any(|&(from, until)| (from..until).contains(&now))
    }
}

/// A node that has not answered a packet as often as that was sent.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub(super) struct Silent {
    pub(super) end: u16,
    /// The one packet that is sent to it nevertheless, to see whether it answers.
    #[encode(with = self.encode_probe(encoder))]
    pub(super) probe: Option<u32>,
    /// Flows with no other destination that always have a packet: they make the next one when the probe has ended.
    pub(super) aside: Vec<u32>,
}

impl Silent {
    fn encode_probe(&self, encoder: &mut Encoder<'_>) {
        encoder.put(self.probe.is_some());
        self.probe.iter().for_each(|&packet| encoder.packet(packet));
    }
}

/// The links of one ring.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Errors {
    links: Box<[Link]>,
    timeout_cycles: u64,
    pub(crate) max_timeouts: u8,
    /// Is a destination given up with a packet to it?
    pub(crate) gives_up_destinations: bool,
    /// May a packet go round, since the node that it is for is bypassed?
    pub(crate) bypasses: bool,
}

impl Errors {
    /// Destinations that the interface at a place has given up until they answer.
    pub(super) fn silent(&mut self, place: u32) -> &mut Vec<Silent> {
        &mut self.links[place as usize].silent
    }

    /// Builds the errors of rings that are simulated together, one behind the other. Each item of `rings` is the ring's
    /// number, the place of each interface (of a cascade: of its first link controller) counted from the ring's first
    /// place, and the number of the ring's places.
    pub(crate) fn new<'a>(
        spec: &ErrorsSpec,
        (seed, link_width): (u64, u32),
        clock: Clock,
        rings: impl Iterator<Item = (u32, &'a [u16], u16)>,
    ) -> Self {
        let links = |(ring, firsts, places)| Self::links(spec, (seed, link_width), clock, ring, firsts, places);
        Self {
            links: rings.flat_map(links).collect(),
            timeout_cycles: clock.symbols(spec.timeout_cycles),
            max_timeouts: spec.max_timeouts.unwrap_or(u8::MAX),
            gives_up_destinations: spec.gives_up_destinations,
            bypasses: !spec.bypasses.is_empty(),
        }
    }

    fn links(
        spec: &ErrorsSpec,
        (seed, link_width): (u64, u32),
        clock: Clock,
        ring: u32,
        firsts: &[u16],
        places: u16,
    ) -> Vec<Link> {
        let mut rates = vec![(spec.bit_error_rate, Box::default()); usize::from(places)];
        for link in spec.links.iter().filter(|link| link.ring == ring) {
            // The link from an interface, of a cascade from its last link controller, leads to the next place.
            let next = firsts.get(link.place as usize + 1).map_or(0, |&place| usize::from(place));
            let interruptions = link.interruptions.iter();
            let interruptions = interruptions
                .map(|&(from, until)| (clock.symbols(from), until.map_or(NEVER, |until| clock.symbols(until))));
            rates[next] = (link.bit_error_rate.unwrap_or(spec.bit_error_rate), interruptions.collect());
        }
        let link = |(place, (rate, interruptions)): (usize, (f64, Box<[Interruption]>))| Link {
            noise: Noise::new(rate, link_width, seed, ring, place as u64),
            interruptions,
            damages_next: false,
            counters: ErrorCounters::default(),
            unannounced: Vec::new(),
            announced: Vec::new(),
            unannounced_messages: Vec::new(),
            announced_messages: Vec::new(),
            log: None,
            silent: Vec::new(),
            response_place_at: NEVER,
        };
        rates.into_iter().enumerate().map(link).collect()
    }

    /// Is what comes in at this place, `symbols` long from cycle `now` on, lost?
    pub(crate) fn strikes(&mut self, place: u16, symbols: u32, now: u64) -> bool {
        let link = &mut self.links[usize::from(place)];
        std::mem::take(&mut link.damages_next) || link.is_interrupted(now) || link.noise.spoils(symbols)
    }

    /// A send packet or an echo is lost at this place in cycle `now`; `sender` waits for it.
    pub(crate) fn lose(&mut self, place: u16, is_send: bool, packet: u32, sender: u16, now: u64) {
        let link = &mut self.links[usize::from(place)];
        let is_interrupted = link.is_interrupted(now);
        let counters = &mut link.counters;
        if counters.first_failure_cycle == 0 && is_interrupted {
            counters.first_failure_cycle = now;
        }
        counters.lost_sends += u64::from(is_send);
        counters.lost_echoes += u64::from(!is_send);
        self.links[usize::from(sender)].unannounced.push(Loss { timeout_cycle: now + self.timeout_cycles, packet });
    }

    /// A packet of so many symbols is lost at this place in cycle `now`, on a ring without echoes: its sender will not
    /// learn it.
    pub(crate) fn lose_for_good(&mut self, place: u16, (sender, symbols): (u16, u16), now: u64) {
        let is_interrupted = self.links[usize::from(place)].is_interrupted(now);
        let counters = &mut self.links[usize::from(place)].counters;
        if counters.first_failure_cycle == 0 && is_interrupted {
            counters.first_failure_cycle = now;
        }
        counters.lost_sends += 1;
        self.links[usize::from(sender)].counters.give_up(Some(symbols), now);
    }

    /// Packets that are lost, or whose echoes are, each with the place of its sender, which will time out.
    pub(crate) fn lost(&self) -> impl Iterator<Item = (usize, u32)> {
        let of_sender = |(sender, link): (usize, &'_ Link)| -> Vec<(usize, u32)> {
            link.unannounced.iter().chain(&link.announced).map(|loss| (sender, loss.packet)).collect()
        };
        self.links.iter().enumerate().flat_map(of_sender)
    }

    /// Time-outs of a sender that are among its arrivals.
    pub(crate) fn announced(&self, sender: u32) -> usize {
        self.links[sender as usize].announced.len()
    }

    /// Announces a loss that has not been; returns the cycle in which its sender times out.
    pub(crate) fn announce(&mut self, sender: u16) -> Option<u64> {
        let link = &mut self.links[usize::from(sender)];
        let loss = link.unannounced.pop()?;
        link.announced.push(loss);
        Some(loss.timeout_cycle)
    }

    /// A message, or a packet that has been granted a place, is lost at this place in cycle `now`; the interface that
    /// misses it finds that out a time-out later.
    pub(crate) fn lose_message(&mut self, place: u16, message: Run, missed_by: u16, now: u64) {
        let lost = LostMessage { noticed_cycle: now + self.timeout_cycles, place, message };
        self.links[usize::from(missed_by)].unannounced_messages.push(lost);
    }

    /// Announces a lost message that has not been; returns the cycle in which its maker finds that out.
    pub(crate) fn announce_message(&mut self, maker: u16) -> Option<u64> {
        let link = &mut self.links[usize::from(maker)];
        let lost = link.unannounced_messages.pop()?;
        link.announced_messages.push(lost);
        Some(lost.noticed_cycle)
    }

    /// Messages that were lost, and whose makers have not found out.
    pub(crate) fn lost_messages(&self) -> impl Iterator<Item = &Run> {
        let lost = self.links.iter().flat_map(|link| link.unannounced_messages.iter().chain(&link.announced_messages));
        lost.map(|lost| &lost.message)
    }

    /// Takes the first message whose maker finds out by cycle `now` that it was lost.
    pub(crate) fn take_message(&mut self, maker: u16, now: u64) -> Option<Run> {
        let announced = &mut self.links[usize::from(maker)].announced_messages;
        let due = (0..announced.len()).filter(|&place| announced[place].noticed_cycle <= now);
        let first = due.min_by_key(|&place| (announced[place].noticed_cycle, announced[place].place))?;
        Some(announced.swap_remove(first).message)
    }

    /// The loss whose time-out is the first; of one cycle, in an order that does not depend on when it was announced.
    pub(crate) fn take_first(&mut self, sender: u16, packets: &Packets) -> Loss {
        let announced = &mut self.links[usize::from(sender)].announced;
        let first = (0..announced.len()).min_by_key(|&place| {
            let loss = announced[place];
            loss.order(&packets[loss.packet])
        });
        // Losses stand in any order here: the next call looks for the first one again.
        announced.swap_remove(first.expect("a time-out was announced for each"))
    }

    pub(crate) fn free_response_place(&mut self, sender: u16, now: u64) {
        self.links[usize::from(sender)].response_place_at = now;
    }

    /// Takes the cycle since which a sender has had a response place again because it gave a response up.
    pub(crate) fn take_response_place(&mut self, sender: u16) -> Option<u64> {
        let at = std::mem::replace(&mut self.links[usize::from(sender)].response_place_at, NEVER);
        (at != NEVER).then_some(at)
    }

    /// A sender times out in cycle `now`, and gives the packet up or not. `undelivered`: symbols of one that it
    /// gives up and that has not been received.
    pub(crate) fn time_out(&mut self, sender: u16, gives_up: bool, undelivered: Option<u16>, now: u64) {
        let counters = &mut self.links[usize::from(sender)].counters;
        if counters.timeouts == 0 {
            counters.first_timeout_cycle = now;
        }
        counters.timeouts += 1;
        if gives_up {
            counters.give_up(undelivered, now);
        }
    }

    /// A sender gives up in cycle `now` a packet of so many symbols that it has not sent.
    pub(crate) fn give_up_unsent(&mut self, sender: u16, symbols: u16, now: u64) {
        self.links[usize::from(sender)].counters.give_up(Some(symbols), now);
    }

    /// Keeps a log of what happens at a place, or no more.
    pub(crate) fn follow(&mut self, place: u16, followed: bool) {
        self.links[usize::from(place)].log = followed.then(Vec::new);
    }

    /// Notes an error at a place in cycle `now`, if an observer follows it.
    pub(crate) fn note(&mut self, place: u16, now: u64, packet: PacketView, error: ErrorKind) {
        if let Some(log) = &mut self.links[usize::from(place)].log {
            log.push((now, packet, error));
        }
    }

    /// Takes what has happened at a place since the last call.
    pub(crate) fn drain_log(&mut self, place: u16) -> impl Iterator<Item = Logged> {
        self.links[usize::from(place)].log.iter_mut().flat_map(|log| log.drain(..))
    }

    /// May a symbol be wrong that comes in at each place?
    pub(crate) fn lossy(&self) -> impl Iterator<Item = bool> + '_ {
        self.links.iter().map(|link| link.noise.may_spoil())
    }

    /// Loses, for exploration, what comes in next at this place.
    pub(crate) fn damage_next(&mut self, place: u16) {
        self.links[usize::from(place)].damages_next = true;
    }

    /// Ends, for exploration, the losses that [`Self::damage_next`] has ordered; returns whether one was still to come.
    pub(crate) fn damage_no_more(&mut self) -> bool {
        self.links.iter_mut().fold(false, |was, link| was | std::mem::take(&mut link.damages_next))
    }

    /// Writes, for exploration, what has failed and what was lost.
    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>) {
        for link in &self.links {
            for &(from, until) in &link.interruptions {
                encoder.due(from);
                encoder.due(until);
            }
            let mut losses: Vec<Loss> = link.unannounced.iter().chain(&link.announced).copied().collect();
            losses.sort_unstable_by_key(|loss| loss.order(encoder.packet_at(loss.packet)));
            encoder.len(losses.len());
            for Loss { timeout_cycle, packet } in losses {
                encoder.due(timeout_cycle);
                encoder.packet(packet);
            }
            let mut messages: Vec<LostMessage> =
                link.unannounced_messages.iter().chain(&link.announced_messages).copied().collect();
            messages.sort_unstable_by_key(|lost| (lost.noticed_cycle, lost.place));
            encoder.len(messages.len());
            for LostMessage { noticed_cycle, message, .. } in messages {
                encoder.due(noticed_cycle);
                encoder.put(message.value);
            }
            encoder.put(link.response_place_at != NEVER);
            encoder.put(link.damages_next);
            link.silent.encode(encoder);
        }
    }

    pub(crate) fn counters(&self, place: u16) -> ErrorCounters {
        self.links[usize::from(place)].counters
    }

    pub(crate) fn reset(&mut self) {
        for link in &mut self.links {
            let first_failure_cycle = link.counters.first_failure_cycle;
            link.counters = ErrorCounters { first_failure_cycle, ..ErrorCounters::default() };
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let interruptions = self.links.iter().map(|link| size_of_val(&*link.interruptions)).sum::<usize>();
        size_of_val(&*self.links) + interruptions
    }
}
