"""Figures: each is a description (`Chart`) that matplotlib and the report's page both draw."""

from ringlet.plots.chart import Axis, Chart, Level, Panel, Series, with_common_ranges

__all__ = ["Axis", "Chart", "Level", "Panel", "Series", "with_common_ranges"]
