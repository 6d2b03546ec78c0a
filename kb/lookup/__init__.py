"""What a knowledge base holds about one node, and what is related to it: the library behind `kb get` and `kb related`.

A node is a concept, field or caveat of the schema notes, an entity of the wiki, a page or a section of one. Facts come
from the graph, by SPARQL; only sections and similar texts come from the index.
"""

from kb.lookup.hits import search
from kb.lookup.nodes import Nodes
from kb.lookup.schema import SchemaNodes

__all__ = ["Nodes", "SchemaNodes", "search"]
