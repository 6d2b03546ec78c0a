"""The side-car index: texts of pages and entities, their vectors, and search over both."""
