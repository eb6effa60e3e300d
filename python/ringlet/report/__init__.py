"""Reports: one HTML file that needs no network, and every figure as PNG and SVG."""

from ringlet.report.sweep import SweepTables, write_sweep_report
from ringlet.report.write import Moment, write_report

__all__ = ["Moment", "SweepTables", "write_report", "write_sweep_report"]
