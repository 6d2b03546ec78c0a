"""SHACL reports: of a published graph, of what a build rejected, and of any RDF file."""

from __future__ import annotations

from kb.validate.files import Rules, validate_files
from kb.validate.formats import FORMATS, write_report
from kb.validate.published import new_rows, newest_first, rejections_report, validate, validate_published
from kb.validate.report import SEVERITIES, Place, Report, Row

__all__ = [
    "FORMATS",
    "SEVERITIES",
    "Place",
    "Report",
    "Row",
    "Rules",
    "new_rows",
    "newest_first",
    "rejections_report",
    "validate",
    "validate_files",
    "validate_published",
    "write_report",
]
