"""The kinds of trials: one line each."""

from campaign.case import Kind
from campaign.kinds import (
    charts,
    commands,
    decisions,
    faults,
    hostile,
    laws,
    mutations,
    places,
    processes,
    recurrences,
    saves,
    scenarios,
    shares,
    stores,
    traces,
)

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        scenarios.SCENARIOS,
        scenarios.NETWORKS,
        laws.LAWS,
        recurrences.RECURRENCES,
        shares.SHARES,
        shares.SHARES_OF_NETWORKS,
        mutations.MUTATIONS,
        mutations.BYTES,
        traces.TRACES,
        hostile.HOSTILE,
        saves.SAVES,
        stores.STORES,
        stores.KILLS,
        stores.CRASHES,
        faults.FAULTS,
        commands.COMMANDS_KIND,
        commands.IMPORTS,
        decisions.ADVICE,
        decisions.SETS,
        decisions.VERIFIED,
        decisions.STUDIED,
        charts.CHARTS,
        places.PLACES,
        processes.SIGNALS,
        processes.PACKAGES,
    )
}
"""All kinds, by name."""
