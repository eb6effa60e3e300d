// A ring as a part of another simulator: processors that read from each other's memories.
//
// Each of four processors reads a cache line from the next node but one, computes for 50 cycles, and reads again. The
// simulator here knows the processors; ringlet knows the ring. Both advance together, 10 cycles at a time.
//
//     make c
//     c++ -std=c++17 -Icrates/ringlet-c/include examples/c/processors.cpp target/release/libringlet_c.a -lpthread -lm
//     ./a.out examples/c/ring.json

#include "ringlet.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t processors = 4;
constexpr std::uint32_t request_symbols = 8, response_symbols = 40;
constexpr std::uint64_t step_cycles = 10, computing_cycles = 50, end_cycle = 20000;

void check(RingletStatus status) {
    if (status != RINGLET_STATUS_OK) {
        std::fprintf(stderr, "%s\n", ringlet_message());
        std::exit(2);
    }
}

struct Free {
    void operator()(RingletSimulation *simulation) const { ringlet_free(simulation); }
};
using Ring = std::unique_ptr<RingletSimulation, Free>;

std::uint32_t read_line(RingletSimulation *ring, std::uint32_t processor, std::uint64_t cycle) {
    RingletPacket packet{};
    packet.cycle = cycle;
    packet.source = processor;
    packet.destination = (processor + 2) % processors;
    packet.symbols = request_symbols;
    packet.response_symbols = response_symbols;
    packet.group = -1;
    std::uint32_t number = 0;
    check(ringlet_inject(ring, &packet, &number));
    return number;
}

}  // namespace

int main(int count, char **arguments) {
    if (count != 2 && count != 3) {
        std::fprintf(stderr, "usage: %s ring.json [file to save the ring in half way]\n", arguments[0]);
        return 2;
    }
    std::ifstream file(arguments[1]);
    const std::string spec((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    RingletSimulation *made = nullptr;
    check(ringlet_new(spec.c_str(), &made));
    Ring ring(made);

    std::vector<std::uint64_t> reads(processors);
    for (std::uint32_t processor = 0; processor < processors; ++processor) read_line(ring.get(), processor, 0);
    std::vector<RingletDelivery> arrived(16);
    while (ringlet_cycle(ring.get()) < end_cycle) {
        if (count == 3 && ringlet_cycle(ring.get()) == end_cycle / 2) {
            // The ring goes on from the file as if nothing had happened.
            check(ringlet_save(ring.get(), arguments[2]));
            check(ringlet_load(spec.c_str(), arguments[2], &made));
            ring.reset(made);
        }
        check(ringlet_advance(ring.get(), step_cycles));
        std::size_t found = arrived.size();
        while (found == arrived.size()) {
            check(ringlet_deliveries(ring.get(), arrived.data(), arrived.size(), &found));
            for (std::size_t index = 0; index < found; ++index) {
                const RingletDelivery &delivery = arrived[index];
                if (!delivery.response) continue;
                // The processor has its line; it computes, which takes longer than a step, and reads the next.
                const std::uint32_t processor = delivery.destination;
                ++reads[processor];
                read_line(ring.get(), processor, delivery.ended + computing_cycles);
            }
        }
    }
    for (std::uint32_t processor = 0; processor < processors; ++processor) {
        std::printf("processor %u: %llu reads\n", processor, static_cast<unsigned long long>(reads[processor]));
    }
    // A packet that cannot be: a code and a message, and nothing has changed.
    RingletPacket wrong{};
    wrong.source = processors;
    if (ringlet_inject(ring.get(), &wrong, nullptr) != RINGLET_STATUS_BAD_INPUT) return 1;
    std::printf("%s\n", ringlet_message());
    return 0;
}
