"""Limits of a worker process: memory, and time for each trial. A process that exceeds them dies; the pool goes on."""

import resource
import signal

MEMORY_BYTES = 3 << 30
"""Address space of a worker: what the libraries take, and two gigabytes."""
PROCESSOR_SECONDS = 20.0
"""Processor time that a trial may take; elapsed time would be the machine's load, too."""
ELAPSED_SECONDS = 3600.0
"""Elapsed time that a trial may take: one that waits for ever takes no processor time. On a busy machine one that does
not wait can take a hundred times its processor time."""

DEATHS = {
    -signal.SIGPROF: f"it took more than {PROCESSOR_SECONDS:g} s of processor time",
    -signal.SIGALRM: f"it took more than {ELAPSED_SECONDS:g} s",
    -signal.SIGABRT: "it was aborted: a panic, or memory that it did not get",
    -signal.SIGSEGV: "a segmentation fault",
    -signal.SIGKILL: "it was killed: the machine is out of memory",
}
"""What an exit code of a worker says about its trial."""


MEMORY_DEATHS = (-signal.SIGABRT, -signal.SIGKILL)
"""Exit codes of a worker that may have run out of memory."""


def limit_memory() -> None:
    """Limits this process for the rest of its life."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def start_clock() -> None:
    """Gives the next trial its time. The signals end the process wherever it is, also in compiled code."""
    signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, ELAPSED_SECONDS)


def stop_clock() -> None:
    """Ends the time of a trial."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
