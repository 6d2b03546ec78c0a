"""The terms of SHACL and its advanced features, but for those that name constraint components."""

from __future__ import annotations

__all__ = ["SHACL_WORDS"]

_TEXT = """
AbstractResult BlankNode BlankNodeOrIRI BlankNodeOrLiteral Function IRI IRIOrLiteral Info JSConstraint
JSExecutable JSFunction JSLibrary JSRule JSTarget JSTargetType JSValidator Literal NodeKind NodeShape
Parameter Parameterizable PrefixDeclaration PropertyGroup PropertyShape ResultAnnotation Rule
SPARQLAskExecutable SPARQLAskValidator SPARQLConstraint SPARQLConstructExecutable SPARQLExecutable
SPARQLFunction SPARQLRule SPARQLSelectExecutable SPARQLSelectValidator SPARQLTarget SPARQLTargetType
SPARQLUpdateExecutable Severity Shape Target TargetType TripleRule ValidationReport ValidationResult
Validator Violation Warning alternativePath and annotationProperty annotationValue annotationVarName ask
class closed condition conforms construct datatype deactivated declare defaultValue description detail
disjoint entailment equals expression filterShape flags focusNode group hasValue ignoredProperties in
intersection inversePath js jsFunctionName jsLibrary jsLibraryURL labelTemplate languageIn lessThan
lessThanOrEquals maxCount maxExclusive maxInclusive maxLength message minCount minExclusive minInclusive
minLength name namespace node nodeKind nodeValidator nodes not object oneOrMorePath optional or order
parameter path pattern predicate prefix prefixes property propertyValidator qualifiedMaxCount
qualifiedMinCount qualifiedValueShape qualifiedValueShapesDisjoint result resultAnnotation resultMessage
resultPath resultSeverity returnType rule select severity shapesGraph shapesGraphWellFormed sourceConstraint
sourceShape sparql subject suggestedShapesGraph target targetClass targetNode targetObjectsOf
targetSubjectsOf this union uniqueLang update validator value xone zeroOrMorePath zeroOrOnePath
"""

SHACL_WORDS = frozenset(_TEXT.split())
"""Local names in https://www.w3.org/ns/shacl#."""
