//! C interface: a ring or a network of rings as a part of another simulator (docs/how-to/co-simulation.md).
//!
//! The calls are those of `ringlet.Simulation` in Python, in cycles and node numbers. All of them are made of
//! `ringlet-step`. Each returns a status; what is wrong is said by [`ringlet_message`] until the next call on the same
//! thread. A panic of the engine becomes a status, too: none leaves this crate.

#![expect(unsafe_code, reason = "pointers come from C")]

pub mod counters;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;

use ringlet_engine::injection::InjectedPacket;
use ringlet_step::{DAMAGED, Delivery, Document, Quiet, Saved, Stepping, write_whole};

/// The outcome of a call.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RingletStatus {
    /// The call has done what it should.
    Ok = 0,
    /// An argument is not allowed; nothing has changed.
    BadInput = 1,
    /// Packets wait, but nothing has moved for the spec's `stall_cycles`; the simulation has gone so far.
    Stalled = 2,
    /// The engine has failed: a bug, or the file from which the simulation was loaded is damaged. The simulation can
    /// only be freed.
    Failed = 3,
}

/// A simulation at some cycle.
pub struct RingletSimulation {
    stepping: Stepping,
    /// The scenario and its seed, which a saved simulation takes along.
    note: String,
    /// Does it go on from a file?
    is_loaded: bool,
    has_failed: bool,
}

impl RingletSimulation {
    fn new(stepping: Stepping, note: String, is_loaded: bool) -> Self {
        Self { stepping, note, is_loaded, has_failed: false }
    }
}

/// A packet to be injected.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RingletPacket {
    /// Cycle in which it is generated: the present one, or a later one.
    pub cycle: u64,
    /// Node that sends it.
    pub source: u32,
    /// Node that it is for.
    pub destination: u32,
    /// Length, in symbols of 2 bytes.
    pub symbols: u32,
    /// Length of the response that its service creates; 0: none is.
    pub response_symbols: u32,
    /// Send priority, 0 is the lowest.
    pub priority: u8,
    /// Transmission group; negative: that of its node.
    pub group: i16,
}

/// A packet that has arrived, or is lost.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RingletDelivery {
    /// Number of the packet; of a response that of its request.
    pub packet: u32,
    /// Node that sent it.
    pub source: u32,
    /// Node that it was for.
    pub destination: u32,
    /// Times that it was sent again, on all rings of its way.
    pub retries: u32,
    /// Is it the response to the packet injected?
    pub response: bool,
    /// Did it not arrive?
    pub lost: bool,
    /// Cycle in which it was generated; a response is when its request has been served.
    pub generated: u64,
    /// Cycle in which its node began to send it; UINT64_MAX: it was lost before.
    pub sent: u64,
    /// Cycle in which its service ended, or in which it was lost.
    pub ended: u64,
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

fn say(message: &str) {
    let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
    MESSAGE.with(|said| *said.borrow_mut() = text);
}

/// The outcome of a call that has no success.
type Ended = (RingletStatus, String);

fn bad(message: impl std::fmt::Display) -> Ended {
    (RingletStatus::BadInput, message.to_string())
}

/// Makes a call whose panics become a status.
fn guarded(call: impl FnOnce() -> Result<(), Ended>) -> RingletStatus {
    guarded_behind(false, call)
}

/// Makes a call, which may go on from a file: its panics are that file's.
fn guarded_behind(a_file: bool, call: impl FnOnce() -> Result<(), Ended>) -> RingletStatus {
    let _quiet = Quiet::of(a_file);
    // Safe: a simulation on which a call has panicked is never touched again (`has_failed`), but to be freed.
    let ended = catch_unwind(AssertUnwindSafe(call));
    match ended {
        Ok(Ok(())) => {
            say("");
            RingletStatus::Ok
        }
        Ok(Err((status, message))) => {
            say(&message);
            status
        }
        Err(_) => {
            say(if a_file { DAMAGED } else { "the engine failed: please report this as a bug" });
            RingletStatus::Failed
        }
    }
}

/// Makes a call on a simulation, which is not touched any more once it has failed. Panics become a status.
///
/// # Safety
/// `simulation` is null or comes from [`ringlet_new`] or [`ringlet_fork`] and has not been freed.
unsafe fn on(
    simulation: *mut RingletSimulation,
    call: impl FnOnce(&mut RingletSimulation) -> Result<(), Ended>,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    let Some(simulation) = (unsafe { simulation.as_mut() }) else { return guarded(|| Err(bad("simulation: null"))) };
    if simulation.has_failed {
        return guarded(|| Err((RingletStatus::Failed, "the simulation has failed before".into())));
    }
    let status = guarded_behind(simulation.is_loaded, || call(simulation));
    simulation.has_failed = status == RingletStatus::Failed;
    status
}

/// The place of a result, which may not be null.
fn place<T>(pointer: *mut T, name: &str) -> Result<*mut T, Ended> {
    if pointer.is_null() { Err(bad(format!("{name}: null"))) } else { Ok(pointer) }
}

/// Writes the first `capacity` rows of a table, and how many it has.
///
/// # Safety
/// `rows` has room for `capacity` of them, and `count` may be written, unless they are null.
unsafe fn write_rows<T>(
    found: impl ExactSizeIterator<Item = T>,
    (rows, capacity): (*mut T, usize),
    count: *mut usize,
) -> Result<(), Ended> {
    let (first, count, all) = (place(rows, "counters")?, place(count, "count")?, found.len());
    for (index, row) in found.take(capacity).enumerate() {
        // SAFETY: there is room, as the caller promises.
        unsafe { first.add(index).write(row) };
    }
    // SAFETY: it may be written, as the caller promises.
    unsafe { count.write(all) };
    Ok(())
}

/// A string from C.
///
/// # Safety
/// `pointer` is null or a string that ends with a zero byte.
unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Ended> {
    if pointer.is_null() {
        return Err(bad(format!("{name}: null")));
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| bad(format!("{name}: not UTF-8")))
}

/// Says in words what was wrong with the last call of this thread; empty if nothing was. Valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn ringlet_message() -> *const c_char {
    MESSAGE.with(|said| said.borrow().as_ptr())
}

/// The version of ringlet and a digest of its sources. Simulations saved by the same version can be loaded, whether it
/// is that of this library or of the Python package.
#[unsafe(no_mangle)]
pub extern "C" fn ringlet_version() -> *const c_char {
    static VERSION: LazyLock<CString> = LazyLock::new(|| CString::new(ringlet_step::VERSION).unwrap_or_default());
    VERSION.as_ptr()
}

/// Builds the rings at cycle 0. `spec_json` is what `Scenario.stepping_json` of the Python package writes: the scenario
/// in cycles and node numbers, with the packets of its trace. On success `*simulation` is to be freed with
/// `ringlet_free`.
///
/// # Safety
/// `spec_json` is a string that ends with a zero byte; `simulation` points to where a pointer may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_new(
    spec_json: *const c_char,
    simulation: *mut *mut RingletSimulation,
) -> RingletStatus {
    guarded(|| {
        let place = place(simulation, "simulation")?;
        // SAFETY: it is a string, as the caller promises.
        let text = unsafe { text(spec_json, "spec_json") }?;
        let document = Document::read(text).map_err(bad)?;
        let made = RingletSimulation::new(document.build().map_err(bad)?, document.note(), false);
        // SAFETY: it may be written, as the caller promises.
        unsafe { place.write(Box::into_raw(Box::new(made))) };
        Ok(())
    })
}

/// Frees a simulation; nothing happens with null.
///
/// # Safety
/// `simulation` is null or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_free(simulation: *mut RingletSimulation) {
    if !simulation.is_null() {
        // SAFETY: as the caller promises. Should it panic, what it holds is lost.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(simulation) })));
    }
}

/// Makes a copy that goes its own way from here, to be freed, too.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `copy` points to where a pointer may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_fork(
    simulation: *mut RingletSimulation,
    copy: *mut *mut RingletSimulation,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let place = place(copy, "copy")?;
            let RingletSimulation { stepping, note, is_loaded, .. } = simulation;
            let forked = RingletSimulation::new(stepping.fork(), note.clone(), *is_loaded);
            place.write(Box::into_raw(Box::new(forked)));
            Ok(())
        })
    }
}

/// Writes the simulation to a file, with which `ringlet_load`, and `Simulation.load` of the Python package, go on, with
/// the same results. A file of that name is replaced when the new one is whole; a device or pipe is written itself.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `path` is a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_save(simulation: *mut RingletSimulation, path: *const c_char) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let path = text(path, "path")?;
            let saved = simulation.stepping.save(&simulation.note);
            write_whole(Path::new(path), &saved).map_err(|error| bad(format!("{path}: {error}")))
        })
    }
}

/// Builds the rings of the spec as they were saved, by `ringlet_save` or by `Simulation.save` of the Python package, in
/// place of `ringlet_new`. Only the version of ringlet that has saved a simulation loads it, and only for its own spec.
///
/// # Safety
/// `spec_json` and `path` are strings that end with a zero byte; `simulation` points to where a pointer may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_load(
    spec_json: *const c_char,
    path: *const c_char,
    simulation: *mut *mut RingletSimulation,
) -> RingletStatus {
    guarded_behind(true, || {
        let place = place(simulation, "simulation")?;
        // SAFETY: they are strings, as the caller promises.
        let (spec_json, path) = unsafe { (text(spec_json, "spec_json")?, text(path, "path")?) };
        let bytes = std::fs::read(path).map_err(|error| bad(format!("{path}: {error}")))?;
        let document = Document::read(spec_json).map_err(bad)?;
        let loaded = Saved::read(&bytes).and_then(|saved| document.load(saved));
        let stepping = loaded.map_err(|error| bad(format!("{path}: {error}")))?;
        let made = RingletSimulation::new(stepping, document.note(), true);
        // SAFETY: it may be written, as the caller promises.
        unsafe { place.write(Box::into_raw(Box::new(made))) };
        Ok(())
    })
}

/// Cycles simulated; 0 for null.
///
/// # Safety
/// `simulation` is null or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_cycle(simulation: *const RingletSimulation) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { simulation.as_ref() }.map_or(0, |simulation| simulation.stepping.simulation().cycle())
}

/// Injects a packet and writes its number, from 0 on in the order of the calls, to `number`, which may be null.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `packet` points to a packet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_inject(
    simulation: *mut RingletSimulation,
    packet: *const RingletPacket,
    number: *mut u32,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let given = packet.as_ref().ok_or_else(|| bad("packet: null"))?;
            let &RingletPacket { cycle, source, destination, symbols, response_symbols, priority, group } = given;
            let group = if group < 0 {
                None
            } else {
                Some(u8::try_from(group).map_err(|_| bad(format!("group: {group} is not allowed; at most 255")))?)
            };
            let response_symbols = Some(response_symbols).filter(|&symbols| symbols > 0);
            let injected = InjectedPacket { cycle, source, destination, symbols, response_symbols, priority, group };
            let given = simulation.stepping.inject(&injected).map_err(bad)?;
            if !number.is_null() {
                number.write(given);
            }
            Ok(())
        })
    }
}

/// Rewrites the group register of a node: what it sends from now on is in this transmission group.
///
/// # Safety
/// `simulation` comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_set_group(simulation: *mut RingletSimulation, node: u32, group: u8) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe { on(simulation, |simulation| simulation.stepping.simulation_mut().set_group(node, group).map_err(bad)) }
}

/// Simulates `cycles` more cycles.
///
/// # Safety
/// `simulation` comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_advance(simulation: *mut RingletSimulation, cycles: u64) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| match simulation.stepping.advance(cycles) {
            None => Ok(()),
            Some(stall) => {
                let message = format!("stalled since cycle {}: {}", stall.since_cycle, stall.detail);
                Err((RingletStatus::Stalled, message))
            }
        })
    }
}

/// Writes up to `capacity` packets that have arrived, or were lost, before the present cycle, in order of time, each
/// once, to `deliveries`, and how many to `count`. Fewer than `capacity`: there are no more.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `deliveries` has room for `capacity` of them; `count`
/// may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_deliveries(
    simulation: *mut RingletSimulation,
    deliveries: *mut RingletDelivery,
    capacity: usize,
    count: *mut usize,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let (first, count) = (place(deliveries, "deliveries")?, place(count, "count")?);
            let mut written = 0;
            while written < capacity {
                let Some(delivery) = simulation.stepping.next_delivery() else { break };
                let Delivery { packet, source, destination, response, lost, retries, generated, sent, ended } =
                    delivery;
                let sent = sent.unwrap_or(u64::MAX);
                first.add(written).write(RingletDelivery {
                    packet,
                    source,
                    destination,
                    retries,
                    response,
                    lost,
                    generated,
                    sent,
                    ended,
                });
                written += 1;
            }
            count.write(written);
            Ok(())
        })
    }
}
