"""Programs of several processes, recorded or planned: traces with dependences."""
