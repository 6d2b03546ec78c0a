"""Every namespace that `kb` uses, declared once. Strings only, so that importing this costs nothing."""

from __future__ import annotations

__all__ = [
    "DCAT",
    "DCTERMS",
    "FOAF",
    "KB",
    "ORG",
    "OWL",
    "PREFIXES",
    "PROV",
    "RDF",
    "RDFS",
    "SCHEMA",
    "SD",
    "SH",
    "SHAPE",
    "SKOS",
    "VOID",
    "XSD",
]

KB = "https://w3id.org/wiki-kb/ontology#"
SHAPE = "https://w3id.org/wiki-kb/shapes#"
DCAT = "http://www.w3.org/ns/dcat#"
DCTERMS = "http://purl.org/dc/terms/"
FOAF = "http://xmlns.com/foaf/0.1/"
ORG = "http://www.w3.org/ns/org#"
OWL = "http://www.w3.org/2002/07/owl#"
PROV = "http://www.w3.org/ns/prov#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SCHEMA = "https://schema.org/"
SD = "http://www.w3.org/ns/sparql-service-description#"
SH = "http://www.w3.org/ns/shacl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
VOID = "http://rdfs.org/ns/void#"
XSD = "http://www.w3.org/2001/XMLSchema#"

PREFIXES: dict[str, str] = {
    "kb": KB,
    "shape": SHAPE,
    "dcat": DCAT,
    "dcterms": DCTERMS,
    "foaf": FOAF,
    "org": ORG,
    "owl": OWL,
    "prov": PROV,
    "rdf": RDF,
    "rdfs": RDFS,
    "schema": SCHEMA,
    "sd": SD,
    "sh": SH,
    "skos": SKOS,
    "void": VOID,
    "xsd": XSD,
}
"""Prefix -> namespace. In the project's own Turtle and SPARQL files `:` stands for `kb:`."""
