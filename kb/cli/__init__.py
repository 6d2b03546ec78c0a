"""The command `kb`: each command parses, calls the library, prints."""
