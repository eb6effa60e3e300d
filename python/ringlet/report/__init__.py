"""Reports: one HTML file that needs no network, and every figure as PNG and SVG."""

from ringlet.report.write import Moment, write_report

__all__ = ["Moment", "write_report"]
