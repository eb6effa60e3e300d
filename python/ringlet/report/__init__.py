"""The report of a reproduction: one HTML file that needs no network, and every figure as PNG and SVG."""

from ringlet.report.write import write_report

__all__ = ["write_report"]
