"""A pendulum that is held upright over a ring: a control loop whose packets share the links with other traffic.

Every 20 us a sensor at node 0 samples the pendulum and sends its angle to a controller at node 3, which takes 2 us to
compute a push and sends it to a motor at node 5. Each waits for its packet: the later it comes, the older is what the
push answers to. The other nodes load the ring. With the priority of its packets the loop holds the pendulum; among the
rest of the traffic it drops it.

    $ python controller.py
    priority 0: the pendulum falls after 482 us; a push comes up to 232.4 us late
    priority 3: the pendulum stands, at most 0.010 off; a push comes up to 3.4 us late
"""

import sys

import ringlet as rl

SENSOR, CONTROLLER, MOTOR = 0, 3, 5
SAMPLE_US = 20.0
COMPUTING_US = 2.0

RING = {
    "network": {"nodes": 8, "link_rate": "1 GB/s"},
    "flow_control": {"protocol": "sci", "priorities": 4},
    "traffic": {"transaction": "send80", "pattern": "uniform", "arrivals": "poisson", "load": "240 MB/s"},
    "run": {"seed": 1},
}


class Pendulum:
    """An inverted pendulum, linear about its upright position; fast, so that microseconds count."""

    GROWTH_PER_US = 0.01

    def __init__(self) -> None:
        """Begins a little off upright, at rest."""
        self.angle, self.speed, self.push = 0.01, 0.0, 0.0

    def move(self, duration_us: float) -> None:
        """Moves on with the push that the motor gives."""
        steps = max(1, round(10 * duration_us))
        for _ in range(steps):
            self.speed += (self.GROWTH_PER_US**2 * self.angle + self.push) * duration_us / steps
            self.angle += self.speed * duration_us / steps


def hold(priority: int, *, duration_us: float = 2000.0) -> tuple[float, float, float]:
    """Returns when the pendulum falls (or the duration), its largest angle, and the longest delay of a push, in us."""
    simulation = rl.Simulation(RING)
    pendulum = Pendulum()
    measured: dict[int, tuple[float, float, float]] = {}
    pushes: dict[int, tuple[float, float]] = {}
    largest, latest, next_sample = 0.0, 0.0, 0.0
    while simulation.time_ns < 1e3 * duration_us:
        now_us = simulation.time_ns / 1e3
        if now_us >= next_sample:
            number = simulation.inject(SENSOR, CONTROLLER, size=16, priority=priority)
            measured[number] = (now_us, pendulum.angle, pendulum.speed)
            next_sample += SAMPLE_US
        simulation.advance("1 us")
        pendulum.move(1.0)
        for row in simulation.deliveries():
            packet = int(row["packet"])
            if packet in measured:
                sampled_us, angle, speed = measured.pop(packet)
                push = -6e-4 * angle - 4e-2 * speed
                at = row["ended_ns"] / 1e3 + COMPUTING_US
                number = simulation.inject(CONTROLLER, MOTOR, size=16, priority=priority, time=f"{at} us")
                pushes[number] = (sampled_us, push)
            else:
                sampled_us, pendulum.push = pushes.pop(packet)
                latest = max(latest, row["ended_ns"] / 1e3 - sampled_us)
        largest = max(largest, abs(pendulum.angle))
        if largest > 1:
            break
    return simulation.time_ns / 1e3, largest, latest


def main() -> None:
    """Prints what becomes of the pendulum with either priority."""
    for priority in (0, 3):
        ended_us, largest, latest = hold(priority)
        fate = f"falls after {ended_us:.0f} us" if largest > 1 else f"stands, at most {largest:.3f} off"
        sys.stdout.write(f"priority {priority}: the pendulum {fate}; a push comes up to {latest:.1f} us late\n")


if __name__ == "__main__":
    main()
