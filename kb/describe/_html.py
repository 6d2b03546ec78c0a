"""The documentation of an ontology as one HTML page that needs nothing else: no script, no font, no address."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from kb.describe._markdown import also_said, joins, pairs

__all__ = ["to_html"]

_KINDS = (
    ("classes", "Classes", "class"),
    ("relations", "Relations", "relation"),
    ("attributes", "Attributes", "attribute"),
)
_STYLE = """\
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --strong: #2563a8; }
@media (prefers-color-scheme: dark) { :root { --strong: #8ab8ee; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem;
  border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; margin: 1.2rem 0 .3rem; opacity: .7; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .1rem 0; overflow-wrap: anywhere; }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
a { color: var(--strong); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
h1 { margin: 0 0 .5rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .5rem; }
section { padding: .8rem 0; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
section h3 { margin: 0 0 .3rem; }
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: 3px solid var(--line); opacity: .85; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
thead th { background: var(--soft); } section th { width: 9rem; font-weight: 500; opacity: .8; }
code { font: .9em ui-monospace, monospace; } .wide { overflow-x: auto; }
.Violation { color: #c0392b; } .Warning { color: #b9770e; }
@media (max-width: 48rem) { body { display: block; } main { padding: 1rem; }
  nav { position: static; height: auto; border: 0; } }
.wide td:first-child, .wide code { white-space: nowrap; }
@media print { body { display: block; } nav { display: none; } }
"""


def to_html(data: Mapping[str, Any]) -> str:
    """A page from what `kb.describe.describe` gives."""
    titles = [one["title"] for one in data["ontologies"] if "title" in one]
    title = escape(" · ".join(titles) or "Ontology")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{_STYLE}</style>\n</head>\n<body>\n{_nav(data)}<main>\n<h1>{title}</h1>\n{_headers(data)}"
        f"{_overview(data)}{''.join(_terms(data, *kind) for kind in _KINDS)}{_rules(data)}{_advice(data)}"
        "</main>\n</body>\n</html>\n"
    )


def _nav(data: Mapping[str, Any]) -> str:
    parts = ['<nav aria-label="Terms">\n']
    for key, heading, prefix in _KINDS:
        items = "".join(f"<li>{_link(prefix, term['name'])}</li>" for term in data[key])
        parts.append(f"<h2>{heading}</h2>\n<ul>{items}</ul>\n")
    return "".join([*parts, '<h2><a href="#rules">Rules</a></h2>\n</nav>\n'])


def _link(prefix: str, name: str) -> str:
    return f'<a href="#{prefix}-{escape(name)}">{escape(name)}</a>'


def _headers(data: Mapping[str, Any]) -> str:
    return "".join(
        f"<p>{escape(one.get('abstract', ''))} <code>{escape(one['iri'])}</code></p>\n" for one in data["ontologies"]
    )


def _overview(data: Mapping[str, Any]) -> str:
    rows = []
    for term in data["relations"]:
        back = f"<code>{escape(term['inverse']['name'])}</code>" if term["inverse"] else ""
        said = also_said(term)
        cells = (_link("relation", term["name"]), escape(joins(term)), back, escape(said))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n")
    head = "".join(f"<th>{name}</th>" for name in ("relation", "joins", "back", "also said"))
    return f"<h2>Overview</h2>\n{_table(head, ''.join(rows))}"


def _terms(data: Mapping[str, Any], key: str, heading: str, prefix: str) -> str:
    parts = [f"<h2>{heading}</h2>\n"]
    for term in data[key]:
        parts.append(f'<section id="{prefix}-{escape(term["name"])}">\n<h3>{escape(term["name"])}</h3>\n')
        parts += [f"<p>{escape(term['definition'])}</p>\n"] if term["definition"] else []
        parts += [f"<blockquote>{escape(term['example'])}</blockquote>\n"] if term["example"] else []
        rows = (f"<tr><th>{name}</th><td>{escape(value)}</td></tr>\n" for name, value in pairs(key, term) if value)
        parts.append(f"<table><tbody>\n{''.join(rows)}</tbody></table>\n</section>\n")
    return "".join(parts)


def _rules(data: Mapping[str, Any]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("shape", "severity", "says"))
    rows = "".join(
        f'<tr><td><code>{escape(one["name"])}</code></td><td class="{escape(one["severity"])}">'
        f"{escape(one['severity'])}</td><td>{escape(one['message'])}</td></tr>\n"
        for one in data["rules"]
    )
    return f'<h2 id="rules">Rules</h2>\n{_table(head, rows)}'


def _table(head: str, rows: str) -> str:
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n'


def _advice(data: Mapping[str, Any]) -> str:
    if not data["advice"]:
        return ""
    items = "".join(f"<li>{escape(line)}</li>\n" for line in data["advice"])
    return f"<h2>What is missing</h2>\n<ul>\n{items}</ul>\n"
