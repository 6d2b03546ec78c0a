"""The graph for tools that are no triple stores: lists of nodes and edges, pictures, catalogues, descriptions."""
