"""Reports: one HTML file that needs no network, and every figure as PNG and SVG."""

from ringlet.report.sweep import SweepTables, sweep_charts, sweep_tables, write_sweep_report
from ringlet.report.write import MomentLink, write_players, write_report

__all__ = [
    "MomentLink",
    "SweepTables",
    "sweep_charts",
    "sweep_tables",
    "write_players",
    "write_report",
    "write_sweep_report",
]
