"""Text that addresses whatever program may read the page, and tells it what to take down."""

from __future__ import annotations

import re
import unicodedata

from kb.extract.phrases.denials import pattern

__all__ = ["addressed"]

_MACHINES = (
    "llm ai assistant model bot robot agent program software parser crawler scraper indexer extractor machine automat "
    "script tool reader pipeline computer algorithm harvester spider summari importer"
)
# Words of which one must be there, and what they must be part of. The words are looked for first because that costs
# nothing, and nearly every block of a wiki has none of them.
_ADDRESSED: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (tuple(words.split()), pattern(patterns))
    for words, patterns in (
        (
            "ignore disregard forget override bypass skip",
            r"""
            \b{ignore} (?:\w+ ){0,3}(?:previous|prior|above|earlier|preceding|other|all|any|rest)\b
            \b{ignore} (?:\w+ ){0,3}(?:everything|anything|instructions?|rules?)\b
            \b(?:ignore|disregard)\b[^.]{0,60}\b(?:document|page|text|file|instructions?|sentences?)\b
            """,
        ),
        (
            _MACHINES,
            r"""
            \b{hail} (?:to|for) (?:\w+ ){0,4}{machine}\b(?=[^.\n]{0,80}(?:\b(?:that|which|who|{reads}|must)\b|:)|\W*$)
            \b{hail} (?:to|for) (?:\w+ ){0,4}{machine}\b(?=[^.\n]{0,80}\b(?:should|please|{record}|ignore)\b)
            \b(?:attention|dear|hello|hey|hi)[ ,:]+(?:\w+ ){0,3}{machine}\b\s*[:,!.–—-]
            (?:^|[.!?,;:] )as an? (?:\w+ )?(?:ai|llm|language model|assistant|extractor)\b
            \byou(?: are|'re) an? (?:\w+ ){0,2}(?:ai|llm|language model|assistant|extractor|bot)\b
            \b{machine} (?:(?:that|which|who|is|are) )?{reads}\b[^.\n]{0,20} (?:this|these)\b
            \b{machine} (?:(?:that|which|who|is|are) )?{reads}\b[^.\n]{0,20} the (?:page|document|text|file|wiki)\b
            \bautomat\w+ (?:readers?|systems?|processing|tools?)\b[^.\n]{0,40}\b(?:should|must|shall|please)\b
            \b{machine} (?:is |are )?{reads} this\b
            \bif you are an? (?:\w+ )?{machine}\b
            \bfor (?:automated|automatic|machine) (?:readers?|processing|consumption|extraction)\b
            """,
        ),
        (
            "you",
            r"""
            \byou (?:must|should|shall|will|(?:have|are|need) to) (?:now )?{record}\b(?! (?:it )?(?:to|an?|on)\b)
            \bupdate your (?:records?|index|graph|memory|knowledge)\b
            \byour (?:task|instructions|training|extraction|knowledge)\b
            """,
        ),
        (
            "record output emit extract assert memori insert add following established treat mention",
            r"""
            (?:^|[.:;!,] ){now}{write}\b (?:\w+ ){0,4}(?:that|following|as|this|:)
            (?:^|[.:;!,] ){now}{write}\b (?:\w+ ){0,4}{fact}
            \b(?:must|should|is to|are to|has to|have to) be (?:recorded|extracted|emitted|output|treated) as\b
            \badd (?:\w+ ){0,3}{fact}\b
            \b(?:the )?following {fact}\b
            \b(?:established|verified|confirmed) facts?\b
            \btreat (?:this|it|the following|what follows) as (?:true|facts?|authoritative|established)\b
            \bdo not mention (?:this|that|it)\b
            """,
        ),
        (
            "this these purposes",
            r"""
            \bfor (?:indexing|extraction|training|parsing) (?:purposes|only)\b
            \b(?:that|which|who|whoever|whatever) (?:automatically )?{reads} this {writing}\b
            \b{reads} this {writing} automatically\b
            \b(?:register|enter|file|save|{record}) (?:these|the following|those) (?:\w+ )?{fact}\b
            \bthese {fact}:
            """,
        ),
        (
            "prompt instruction system knowledge jailbreak document anything now",
            r"""
            \bsystem prompt\b
            \b(?:into|to|in|from|update) (?:the|your) knowledge (?:graph|base)\b
            \b(?:end|begin|start) of (?:document|prompt|instructions?|context)\b
            </?(?:system|instructions?|prompt|assistant)>
            ^\W*(?:system|assistant)\s*:
            \bnew instructions?\b
            \bdo anything now\b
            \bjail ?break\w*
            \brest of (?:the|this) (?:document|page|text|file)\b[^.]{0,60}\b(?:{ignore}|{record})\b
            """,
        ),
    )
)


_PARTS = {
    "EACH": "(?:the|our|any|every|all|each|whatever|whichever|an?)",
    "KINDLY": "(?:please|kindly|you must)",
    "THESE": r"(?:this|these|the) (?:\w+ )?(?:page|document|text|file|wiki|note|mail|letter|form|line|section|"
    "paragraph|part|sentence|list|table|following)s?",
    "READER": r"(?:systems?|software|programs?|assistants?|(?:chat ?)?bots?|robots?|crawlers?|spiders?|models?|agents?|"
    r"parsers?|tools?|ais?|llms?|indexers?|extractors?|summari[sz]ers?|harvesters?|scrapers?|importers?|readers?|"
    r"machines?|scripts?|pipelines?|algorithms?|processors?|engines?)",
    "READERS": r"(?:systems|software|programs|assistants|(?:chat ?)?bots|robots|crawlers|spiders|models|agents|parsers|"
    r"tools|ais|llms|indexers|extractors|summari[sz]ers|harvesters|scrapers|importers|machines|scripts|pipelines|"
    r"algorithms|machine readers|processors|engines)",
    "MINDS": r"(?:ais?|llms?|assistants?|(?:chat ?)?bots?|models?|crawlers?|parsers?|indexers?|extractors?)",
    "MUST": r"(?:should|must|shall|ought to|needs? to|ha(?:ve|s) to|will|please|kindly|(?:is|are) (?:\w+ )?(?:asked|"
    r"requested|instructed|required|told|obliged|expected|invited|to))"
    r"(?: (?:please|kindly|also|now|always|\w+ly))*(?: to)?",
    "DOWN": r"(?:record|register|note|store|add|treat|remember|memori[sz]e|output|emit|ignore|disregard|assert|insert|"
    r"include|state|say|extract|report|take (?:down|over)|write down|enter|save|conclude|assume|consider|list|regard)",
    "WHAT": r"(?::|\bthat\b|\bthe following\b|\bas (?:true|a fact|facts|given|established|authoritative)\b|\bfacts?\b|"
    r"\bstatements?\b|\bwhat (?:follows|is written|stands)\b|\b(?:its|their|your) (?:\w+ )?(?:records?|index|graph|"
    r"memory|database|knowledge|output|answers?|summary)\b|\beverything\b|\b(?:the )?(?:above|below)\b)",
    "READS": r"(?:read|process|pars|index|ingest|scan|crawl|summari|extract|harvest|analy)\w*",
}
# Whoever is named here, is told to take something down, and is told what.
_TOLD = (
    r"(?:^|[.!?:;,>] )(?:\w+ ){0,3}READERS\b[^.!?:]{0,70}\bMUST DOWN\b[^.!?]{0,40}?WHAT",
    r"\b(?:any|every|all|each|whatever|an?) (?:\w+ ){0,3}READER\b[^.!?:]{0,70}\bMUST DOWN\b[^.!?]{0,40}?WHAT",
    r"\bREADER\b[^.!?:]{0,50}\bREADS [^.!?:]{0,20}\b(?:this|these)\b[^.!?:]{0,40}\bMUST DOWN\b",
    r"\bREADER of (?:this|these)\b[^.!?:]{0,40}\bMUST DOWN\b",
    r"\bthe (?:\w+ )?READER MUST DOWN (?:the following|(?:these|those) (?:\w+ )?(?:facts|statements))",
    r"\bthe (?:\w+ ){0,2}READER\b[^.!?:]{0,30}\bMUST DOWN\b[^.!?]{0,30}\b(?:its|their) (?:records?|index|memory)\b",
    r"\bTHESE [^.!?:]{0,20}\b(?:meant|intended|written|addressed) (?:for|to) (?:\w+ )?READERS\b",
    r"\b(?:MINDS|READERS) ?[,:!–—-] ?(?:KINDLY )?DOWN\b[^.!?]{0,40}?WHAT",
    r"\b(?:READERS|automat\w+ READER) ?[,:–—-] ?KINDLY DOWN\b",
    r"\bautomat\w+ READER ?[,:–—-] ?DOWN\b",
    r"(?:^|[.!?>*_(] ?)(?:to|dear|attention|hey|hello|calling) (?:EACH )?(?:\w+ ){0,2}READER\b[^.!?:]{0,80}:",
    r"(?:^|[.!?>*_(] ?)for (?:EACH )?(?:\w+ )?MINDS\b[^.!?:]{0,60}:",
    r"@(?:\w*bot|ai|assistant|llm|agent|model)\b[,:]? (?:KINDLY )?DOWN\b",
    r"\byour (?:index|records?|memory|database|output|summary|answers?|graph) (?:must|should|shall|has to|will)\b",
    r"\b(?:when|while|if) (?:you |you are |you're )?READS THESE\b[^.!?]{0,30}[,:] (?:KINDLY )?(?!note)DOWN\b",
    r"\bread by (?:an? |any )?(?:\w+ )?READER\b[^.!?]{0,30}[,:] (?:KINDLY )?DOWN\b",
)


def _told() -> re.Pattern[str]:
    """Put the parts into the patterns."""
    names = "|".join(sorted(_PARTS, key=len, reverse=True))
    return re.compile(re.sub(names, lambda m: _PARTS[m.group()], "|".join(_TOLD)))


_DEMANDS = _told()
_READERS = (*_MACHINES.split(), "system", "engine", "processor", "index", "process")


def addressed(text: str) -> bool:
    """Whether a text addresses whoever or whatever reads the page, and tells it what to take down."""
    if not text.isascii():
        text = "".join(one for one in unicodedata.normalize("NFKC", text) if unicodedata.category(one) != "Cf")
    lowered = text.lower()
    if any(any(word in lowered for word in words) and pattern.search(lowered) for words, pattern in _ADDRESSED):
        return True
    named = "your" in lowered or "@" in lowered or any(word in lowered for word in _READERS)
    return named and _DEMANDS.search(" ".join(lowered.split())) is not None
