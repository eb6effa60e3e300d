// The C interface of ringlet (docs/how-to/co-simulation.md), written by cbindgen from crates/ringlet-c.

#ifndef RINGLET_H
#define RINGLET_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Number in place of a destination: all messages of a flow.
#define RINGLET_ALL_DESTINATIONS UINT32_MAX

// The outcome of a call.
typedef enum RingletStatus {
  // The call has done what it should.
  RINGLET_STATUS_OK = 0,
  // An argument is not allowed; nothing has changed.
  RINGLET_STATUS_BAD_INPUT = 1,
  // Packets wait, but nothing has moved for the spec's `stall_cycles`; the simulation has gone so far.
  RINGLET_STATUS_STALLED = 2,
  // The engine has failed: a bug, or the file from which the simulation was loaded is damaged. The simulation can
  // only be freed.
  RINGLET_STATUS_FAILED = 3,
} RingletStatus;

// A simulation at some cycle.
typedef struct RingletSimulation RingletSimulation;

// A packet to be injected.
typedef struct RingletPacket {
  // Cycle in which it is generated: the present one, or a later one.
  uint64_t cycle;
  // Node that sends it.
  uint32_t source;
  // Node that it is for.
  uint32_t destination;
  // Length, in symbols of 2 bytes.
  uint32_t symbols;
  // Length of the response that its service creates; 0: none is.
  uint32_t response_symbols;
  // Send priority, 0 is the lowest.
  uint8_t priority;
  // Transmission group; negative: that of its node.
  int16_t group;
} RingletPacket;

// A packet that has arrived, or is lost.
typedef struct RingletDelivery {
  // Number of the packet; of a response that of its request.
  uint32_t packet;
  // Node that sent it.
  uint32_t source;
  // Node that it was for.
  uint32_t destination;
  // Times that it was sent again, on all rings of its way.
  uint32_t retries;
  // Is it the response to the packet injected?
  bool response;
  // Did it not arrive?
  bool lost;
  // Cycle in which it was generated; a response is when its request has been served.
  uint64_t generated;
  // Cycle in which its node began to send it; UINT64_MAX: it was lost before.
  uint64_t sent;
  // Cycle in which its service ended, or in which it was lost.
  uint64_t ended;
} RingletDelivery;

// Counts of a node since the start.
typedef struct RingletNodeCounters {
  // Symbols of first transmissions on the link behind it, of any source.
  uint64_t link_send_symbols;
  // Symbols of retransmissions.
  uint64_t link_retry_symbols;
  // Symbols of echoes.
  uint64_t link_echo_symbols;
  // Symbols of control symbols, trains and events.
  uint64_t link_control_symbols;
  // Idles.
  uint64_t link_idle_symbols;
  // Longest transmit queue, in packets.
  uint64_t transmit_queue_max;
  // Most packets in both receive queues.
  uint64_t receive_queue_max;
  // Largest fill of the bypass FIFO, in symbols.
  uint64_t bypass_max_symbols;
  // Busy echoes made.
  uint64_t refused_packets;
} RingletNodeCounters;

// Counts of a flow of the spec since the start. Latencies are in cycles, from when a packet was generated, or a
// message due, until its service ended.
typedef struct RingletFlowCounters {
  // Requests generated.
  uint64_t generated_packets;
  // Requests that found the transmit queue full.
  uint64_t lost_packets;
  // Packets that were given up, or found no place where nobody says so.
  uint64_t given_up_packets;
  // First transmissions.
  uint64_t sent_packets;
  // Packets accepted at the first transmission.
  uint64_t first_try_packets;
  // Retransmissions.
  uint64_t retries;
  // Packets delivered, requests and responses.
  uint64_t delivered_packets;
  // Symbols of these.
  uint64_t delivered_symbols;
  // Sum of the latencies of packets.
  uint64_t latency_sum_cycles;
  // Shortest latency of a packet; 0 without one.
  uint64_t latency_min_cycles;
  // Longest latency of a packet; 0 without one.
  uint64_t latency_max_cycles;
  // Messages of which all packets, and responses, were delivered.
  uint64_t completed_messages;
  // Sum of the latencies of these.
  uint64_t message_latency_sum_cycles;
  // Shortest latency of a message; 0 without one.
  uint64_t message_latency_min_cycles;
  // Longest latency of a message; 0 without one.
  uint64_t message_latency_max_cycles;
  // Messages complete after their deadline.
  uint64_t missed_deadlines;
} RingletFlowCounters;

// Counts of the messages of a flow, or of those to one of its destinations, since the start.
typedef struct RingletMessageCounters {
  // Number of the flow in the spec.
  uint32_t flow;
  // Node that the messages are for; `RINGLET_ALL_DESTINATIONS`: all messages of the flow.
  uint32_t destination;
  // Messages released.
  uint64_t released;
  // Bytes of these.
  uint64_t released_bytes;
  // Messages complete.
  uint64_t completed;
  // Bytes of these.
  uint64_t completed_bytes;
  // Messages that found a full queue, or of which a packet was lost.
  uint64_t lost;
  // Messages under way, released at any time.
  uint64_t open;
  // Messages complete or lost, or past their deadlines.
  uint64_t judged;
  // Messages in `judged` that were not complete by their deadline.
  uint64_t missed;
  // Sum of the latencies of messages complete, in cycles, from when they were due.
  uint64_t latency_sum_cycles;
  // Shortest of these; 0 without one.
  uint64_t latency_min_cycles;
  // Longest of these; 0 without one.
  uint64_t latency_max_cycles;
} RingletMessageCounters;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Says in words what was wrong with the last call of this thread; empty if nothing was. Valid until the next call.
const char *ringlet_message(void);

// The version of ringlet and a digest of its sources. Simulations saved by the same version can be loaded, whether it
// is that of this library or of the Python package.
const char *ringlet_version(void);

// Builds the rings at cycle 0. `spec_json` is what `Scenario.stepping_json` of the Python package writes: the scenario
// in cycles and node numbers, with the packets of its trace. On success `*simulation` is to be freed with
// `ringlet_free`.
//
// # Safety
// `spec_json` is a string that ends with a zero byte; `simulation` points to where a pointer may be written.
enum RingletStatus ringlet_new(const char *spec_json, struct RingletSimulation **simulation);

// Frees a simulation; nothing happens with null.
//
// # Safety
// `simulation` is null or comes from this library and has not been freed.
void ringlet_free(struct RingletSimulation *simulation);

// Makes a copy that goes its own way from here, to be freed, too.
//
// # Safety
// `simulation` comes from this library and has not been freed; `copy` points to where a pointer may be written.
enum RingletStatus ringlet_fork(struct RingletSimulation *simulation, struct RingletSimulation **copy);

// Writes the simulation to a file, with which `ringlet_load`, and `Simulation.load` of the Python package, go on, with
// the same results. A file of that name is replaced when the new one is whole; a device or pipe is written itself.
//
// # Safety
// `simulation` comes from this library and has not been freed; `path` is a string that ends with a zero byte.
enum RingletStatus ringlet_save(struct RingletSimulation *simulation, const char *path);

// Builds the rings of the spec as they were saved, by `ringlet_save` or by `Simulation.save` of the Python package, in
// place of `ringlet_new`. Only the version of ringlet that has saved a simulation loads it, and only for its own spec.
//
// # Safety
// `spec_json` and `path` are strings that end with a zero byte; `simulation` points to where a pointer may be written.
enum RingletStatus ringlet_load(const char *spec_json, const char *path, struct RingletSimulation **simulation);

// Cycles simulated; 0 for null.
//
// # Safety
// `simulation` is null or comes from this library and has not been freed.
uint64_t ringlet_cycle(const struct RingletSimulation *simulation);

// Injects a packet and writes its number, from 0 on in the order of the calls, to `number`, which may be null.
//
// # Safety
// `simulation` comes from this library and has not been freed; `packet` points to a packet.
enum RingletStatus ringlet_inject(struct RingletSimulation *simulation,
                                  const struct RingletPacket *packet,
                                  uint32_t *number);

// Rewrites the group register of a node: what it sends from now on is in this transmission group.
//
// # Safety
// `simulation` comes from this library and has not been freed.
enum RingletStatus ringlet_set_group(struct RingletSimulation *simulation, uint32_t node, uint8_t group);

// Simulates `cycles` more cycles.
//
// # Safety
// `simulation` comes from this library and has not been freed.
enum RingletStatus ringlet_advance(struct RingletSimulation *simulation, uint64_t cycles);

// Writes up to `capacity` packets that have arrived, or were lost, before the present cycle, in order of time, each
// once, to `deliveries`, and how many to `count`. Fewer than `capacity`: there are no more.
//
// # Safety
// `simulation` comes from this library and has not been freed; `deliveries` has room for `capacity` of them; `count`
// may be written.
enum RingletStatus ringlet_deliveries(struct RingletSimulation *simulation,
                                      struct RingletDelivery *deliveries,
                                      size_t capacity,
                                      size_t *count);

// Writes the counts of the first `capacity` nodes to `counters`, and how many there are to `count`.
//
// # Safety
// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
// be written.
enum RingletStatus ringlet_node_counters(struct RingletSimulation *simulation,
                                         struct RingletNodeCounters *counters,
                                         size_t capacity,
                                         size_t *count);

// Writes the counts of the first `capacity` flows of the spec to `counters`, in its order, and how many there are to
// `count`.
//
// # Safety
// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
// be written.
enum RingletStatus ringlet_flow_counters(struct RingletSimulation *simulation,
                                         struct RingletFlowCounters *counters,
                                         size_t capacity,
                                         size_t *count);

// Writes the counts of the messages of the first `capacity` flows of the spec to `counters`, in its order, and how
// many flows there are to `count`. What is released, lost or under way is 0 of a flow whose packets are its messages.
//
// # Safety
// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
// be written.
enum RingletStatus ringlet_message_counters(struct RingletSimulation *simulation,
                                            struct RingletMessageCounters *counters,
                                            size_t capacity,
                                            size_t *count);

// Writes the counts of the messages of flows to each of their destinations, where a flow has several, to `counters`,
// in the order of flows and nodes: the first `capacity` of those that there were any to; and how many there are to
// `count`.
//
// # Safety
// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
// be written.
enum RingletStatus ringlet_destination_counters(struct RingletSimulation *simulation,
                                                struct RingletMessageCounters *counters,
                                                size_t capacity,
                                                size_t *count);

// Writes the latency to `cycles` that so large a share of a flow's messages does not exceed, `quantile` from 0 to 1:
// of all of them, or of those to one of its destinations. UINT64_MAX: none was complete.
//
// # Safety
// `simulation` comes from this library and has not been freed; `cycles` may be written.
enum RingletStatus ringlet_message_latency(struct RingletSimulation *simulation,
                                           uint32_t flow,
                                           uint32_t destination,
                                           double quantile,
                                           uint64_t *cycles);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RINGLET_H */
