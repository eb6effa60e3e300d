"""Files of other tools, taken as scenarios: `ringlet import`.

A format is one module with a function `read`, in the room of what a file becomes, and one line in `formats.py`. It
says what it took and what it left out; what its files cannot say is asked for by an option, and never guessed.
"""
