"""`kb`: an engineering wiki as a validated RDF knowledge base that answers multi-hop questions."""

__all__ = ["__version__"]

__version__ = "0.1.0"
