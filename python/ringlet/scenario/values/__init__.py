"""Values of keys: units, node names, destinations, transactions, what may differ from node to node."""
