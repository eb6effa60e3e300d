"""Every part of the program meets every other: pairs of protocols, topologies, traffic, errors and instruments."""
