"""Flows between nodes: rates, arrival curves, tables and configurations of simulators of networks on chip."""
