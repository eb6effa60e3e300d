"""The vocabulary of the document of a run: figures, parts, words of sentences."""
