"""What goes in: wiki pages, the catalogue, statements that were given as a file."""
