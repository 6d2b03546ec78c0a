"""Statements as RDF: resolution, the gate, the store, queries, exports."""
