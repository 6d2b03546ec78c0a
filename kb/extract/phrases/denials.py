"""What makes a sentence, a label or a block no statement of fact about today: denial, past, plan, doubt, address.

One regular expression a line; `{month}` and the like stand for the lists at the top. A cue is worth having when people
who write it rarely mean the sentence as a plain fact: a lost fact costs less than a false one.
"""

from __future__ import annotations

import re

__all__ = [
    "BLOCKED_LABEL",
    "CANCELS",
    "DATED",
    "DEAD_PAGE",
    "DENYING_LABEL",
    "HYPOTHETICAL",
    "NOT_FACT",
    "NOT_SO",
    "ROW_OUT",
    "SENTENCE_OUT",
    "VALUE_OUT",
    "pattern",
]

_LISTS = {
    "now": "(?:(?:please|now|then|and|so|instead),? )?",
    "pronoun": "(?:it|they|we|this|that|he|she|these|those)",
    "day": r"\d{1,2}(?:st|nd|rd|th)?(?: of)?",
    "gone": "(?:removed|replaced|retired|decommissioned|switched off|turned off|shut down|dropped|killed|deleted|"
    "abandoned|withdrawn)",
    "writing": "(?:letter|page|document|text|file|e-?mail|message|note|notice|form|wiki|paragraph|section|article)",
    "ignore": "(?:ignore|disregard|forget|override|bypass|skip)",
    "hail": "(?:note|notice|message|instructions?|attention|hint|memo|request|reminder|warning|dear|hello|hey|hi)",
    "write": "(?:record|output|emit|extract|assert|memori[sz]e|insert)",
    "month": "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)",
    "year": r"(?:19|20)\d\d",
    "machine": "(?:llms?|computers?|algorithms?|harvesters?|spiders?|summari[sz]ers?|importers?|ais?|assistants?|"
    r"models?|bots?|robots?|chat ?bots?|agents?|programs?|software|parsers?|crawlers?|scrapers?|indexers?|extractors?|"
    r"machines?|automat\w+|scripts?|readers? of this page|tools?|pipelines?)",
    "reads": r"(?:read|reads|reading|process\w*|pars(?:e|es|ing)|index\w*|extract\w*|scan\w*|ingest\w*|crawl\w*)",
    "record": "(?:record|output|emit|store|add|return|extract|report|answer|reply|write down|remember|assert|state|"
    "list|treat|note|memori[sz]e)",
    "fact": "(?:facts?|triples?|statements|relations|edges)",
}


def pattern(*blocks: str) -> re.Pattern[str]:
    """Join patterns, one a line, with the lists above put in."""
    lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]
    for name, alternatives in _LISTS.items():
        lines = [line.replace("{" + name + "}", alternatives) for line in lines]
    return re.compile("|".join(f"(?:{line})" for line in lines), re.IGNORECASE)


_PLAN = r"""
\bgoing to\b(?! the)
\babout to\b
\bplan(?:s|ned|ning)?\b(?= (?:to|for|is|was|that|on|with)\b)
\bplanned\b
\bplanning to\b
\broad ?map\b
\bwish ?list\b
\bsome ?day\b
(?<!late )\bone day,? (?:we|it|this|the)\b
\bnot (?:\w+ )?yet\b
\byet to\b
\bupcoming\b
\bpropos(?:al|als|e|es|ed|ing)\b
\bin talks\b
\bunder discussion\b
\bto be (?:decided|settled|moved|migrated|replaced|removed|added|built|done|confirmed|discussed|introduced)\b
\btb[acd]\b
\bto-?do\b
\bnext (?:year|quarter|month|week|spring|summer|autumn|fall|winter|sprint|release|version|half)\b
\b(?:in|by|during|until|from|for) (?:early |mid-?|late |the )?q[1-4]\b
\bmaybe q[1-4]\b
\b(?:from|start(?:s|ing)(?: in| from)?|effective|by|after|end of) (?:the )?(?:{day} )?{month}\b(?! (?:to|until|till)\b)
\bby (?:the )?end of\b
\bin the new year\b
\bfuture\b
\bonce (?:the|we|it|this|that|these|they)\b
\bgoing forward\b
\bwould like\b
\b(?:we|i|they|he|she) ?'d\b
\bintend(?:s|ed)?\b
\bconsider(?:s|ed|ing)\b
\bevaluat(?:e|es|ed|ing) (?:a|the|whether|if|moving|using)\b
\bhope(?:s|d)? to\b
\bexperiment(?:al|ally|s|ing)?\b
\bprototyp\w+\b
\bproof of concept\b
\bspike\b
\bpilot(?:ing|ed)\b
\bnot (?:started|built|done|live|in production|implemented|shipped|released)\b
\bnothing (?:is )?built\b
\bstaging only\b
\b(?:scheduled|due|slated|earmarked|booked) (?:for|to|in|on|by)\b(?! (?:it|us|the|our)\b)
\bmigrat(?:e|es|ing) (?:\w+ ){0,3}(?:to|away|off|onto)\b
\bmoving (?:\w+ ){0,4}(?:to|away|off|onto|over)\b
\bwork(?:ing)? in progress\b
\bwip\b
\btarget (?:state|architecture|picture|design)\b
\bin (?:staging|tests?|testing|dev|development|the sandbox|the lab)\b
\b(?:is|are) to (?:be|become|read|call|use|take|replace|own|move|get|write|join|run)\b
"""

_PAST = r"""
(?<!is )(?<!are )(?<!be )(?<!get )(?<!gets )(?<!being )\bused to\b
\bformer(?:ly)?\b
\bprevious(?:ly)?\b
\bno longer\b
(?:\b(?:not|never|nothing|nobody)\b|n't\b)[^.;]*\bany ?more\b
\b(?:until|till|up to|before|prior to)\b[^.;,]{0,30}\b{year}\b
\buntil (?:last|recently|lately|now|the (?:re-?org|migration|rewrite|merger|move|split))\b
\boriginally\b
\bback (?:then|in)\b
\bat the time\b
\bin the past\b
\bin (?:earlier|former|old|previous|those) \w+
\bearlier (?:version|release|year|setup|design)s?\b
\bhistorically\b
\bin the (?:old days|early days|beginning)\b
\bin (?:the )?\w+ties\b
\bonce upon\b
\bbefore that\b
\bhad been\b
\b(?:has|have|was|were|been|got) (?:since )?(?:been )?{gone}\b
\bdecommissioned\b
\bleft-?overs?\b
\bdead code\b
\bdeprecated in favou?r\b
\bobsolete\b
\bas a stand-?in\b
\b(?:was|were|had|did)\b[^;]*\bonce\b(?! (?:a|an|every|each|per|in|more)\b)
\bonce (?:was|were|had|did|upon|\w+ed)\b
"""

_IDLE = r"""
\bsuppos(?:e|ing)\b
\bimagin(?:e|es|ed|ing)\b
\bwhat if\b
\bif only\b
\bhypothe\w+
\bin (?:theory|an ideal world)\b
\bwere to\b
^had \w+\b
\bwish(?:es)?\b
(?:would|could|should|might)(?: not|n't)? have\b
\bcould\b[^.;]{0,40}\binstead\b
\bfor the sake of argument\b
\bas (?:if|though)\b
\bassuming\b
\bon paper\b
\btoyed with\b
\bin (?:that|which|this) case\b
"""

_OPINION = r"""
\bthink(?:s|ing)?\b
\bthought\b
\breckon(?:s|ed)?\b
\bbeliev(?:e|es|ed)\b
\bsuggest(?:s|ed|ion|ions|ing)?\b
\bargu(?:e|es|ed|ing)\b
\bfavou?rites?\b
\bin (?:my|our|his|her|their|\w+'s) (?:view|opinion|eyes|book)\b
\bopinions?\b
\bviews?,? (?:is|given|was)\b
\bconvinced\b
\bought\b
\b(?:supposed|alleged|apparent|reported|presumab|possib|probab)ly\b
\b(?:supposed|meant) to\b
\brumou?r(?:s|ed)?\b
\bseem(?:s|ed|ingly)?\b
\blooks? (?:as (?:though|if)|like)\b
\bwonder(?:s|ed|ing)?\b
\bprefer(?:s|red)?\b
\bimho\b
\bafaik\b
\bperhaps\b
\bmaybe\b
\b(?:most |more )?likely\b
\bdoubt(?:s|ed)?\b
\bclaim(?:s|ed)? (?:that|to|it|we|the)\b
\bsaid (?:that|to|it|the|we)\b
\b(?:says|say|told|tells|tell)(?: \w+)? (?:that|it|we)\b
\b(?:wrote|writes|written|reported|stated|heard|hears|announced|admitted|mentioned|note[sd]?|joke[sd]?) that\b
\b(?:insist|complain|guess|remark)\w* that\b
\baccording to\b
\bassum(?:e|es|ed|ption|ptions)\b
\bexpect(?:s|ed)? to\b
\bby mistake\b
\bmistak(?:e|es|en|enly)\b
\bwrong(?:ly)?\b
\bmyths?\b
\bmisunderst\w+
\bcontrary to\b
\b(?:in spite|despite) (?:of )?what\b
\b(?:not |un|isn't |wasn't )true\b
\b(?:isn't|not|wasn't) so\b
\bsuspect(?:s|ed)?\b
\bconfus(?:e|es|ed|ion)\b
\bidea\b(?: of| is| was|:)
\bvot(?:e|es|ed) (?:for|to)\b
\bpush(?:es|ed|ing)? for\b
\bdemand(?:s|ed)? that\b
\brecommend(?:s|ed)?\b(?! (?:by|for))
"""

_ORDERS = r"""
\b(?:make|making) sure\b
\bensure\b
\b(?:verify|check|confirm) (?:that|if|whether)\b
\bplease\b
\blet's\b
"""

SENTENCE_OUT = pattern(_PLAN, _PAST, _IDLE, _OPINION, _ORDERS)
"""Anywhere in a sentence, or in the part of it between semicolons, colons and dashes: no fact."""

DATED = pattern(
    r"""
    (?<!since )(?<!from )\b{year}\b
    \bonce\b
    \b(?:last|that) (?:year|month|week|spring|summer|autumn|winter|time)\b
    \bat (?:first|the start)\b
    """
)
"""Beside a participle without "is" ("the 2022 batch, fermented in …"): it tells of then, not of now."""

HYPOTHETICAL = pattern(
    r"""
    \bif\b
    \bunless\b
    \bwhether\b
    \bin case\b
    \blest\b
    \buntil\b
    \bin the event\b
    \bprovided that\b
    ^should\b
    ^were\b
    ^had\b
    """
)
"""Opens a clause that is no fact itself, while the main clause after it may be one."""

NOT_FACT = pattern(
    r"""
    \b(?:not|no|never|nor|neither|none|nothing|nobody|nowhere|without|cannot|hardly|except|barring)\b
    n't\b
    \bno one\b
    \b(?:rather|other|faster|slower|cheaper|better|worse|more|less) than\b
    \binstead of\b
    \bapart from\b
    \bindependent(?:ly)? of\b
    \b(?:refuse|avoid|stop|forbid|prevent|lack|fail|decline|forget)(?:s|es|ed|ped|ing)?\b
    \bfree of\b
    \bneed not\b
    """
)
"""Before the object and in the same clause: the opposite is said."""

CANCELS = re.compile(
    r"\W*(?:"
    + pattern(
        r"""
        (?:no|nope|never)(?=\s*(?:[.,!;:—–-]|$))
        not (?:yet|true|so|any ?more|started|built|quite)
        (?:wrong|nonsense|parked|rejected|declined|dropped|shelved|postponed|maybe|perhaps|planned)\b
        please no
        still (?:planned|open)
        on the road ?map
        turned down
        (?:some|one) day\b
        (?:under )?discussion\b
        left-?over\b
        {pronoun}(?: is| was| are| were|'s|'re)? (?:no longer|not|never|wrong|over|history|rejected|turned down)\b
        {pronoun}(?: is| was| are| were|'s|'re)? (?:planned|parked|abandoned|a (?:joke|rumou?r|myth|mistake|plan))\b
        {pronoun} (?:doesn't|does not|don't|do not|isn't|is not|aren't|wasn't|didn't|did not|never)\b
        {pronoun} (?:hasn't|won't|will not|cannot|can't)\b
        since [^,.]{1,40}(?:no longer|not the case)
        that (?:went|ended|has ended|has gone|stopped|was (?:turned|rejected|dropped|wrong|before|until|the))
        """
    ).pattern
    + ")",
    re.IGNORECASE,
)
"""At the start of a sentence: the one before it was not meant as a fact."""

BLOCKED_LABEL = pattern(
    r"""
    \bformer(?:ly)?\b
    \bprevious(?:ly)?\b
    \bold\b
    \bearlier\b
    \bex\b
    \b(?:in the )?past\b
    \bhistor(?:y|ic|ical|ically)\b
    \blegacy\b
    \b(?:deprecat|decommission|retire|reject|suggest|hypothe|debate)\w*
    \bremoved?\b
    \b(?:obsolete|dead|unused|abandoned|declined|dropped|parked|shelved|sunset|discarded)\b
    \b(?:disputed|unclear|unknown|unaffected)\b
    \bplan(?:s|ned|ning)?\b
    \broad ?maps?\b
    \bwish(?:es|ed)?(?: ?list)?\b
    \bwanted\b
    \bnice to have\b
    \bfuture\b
    \bupcoming\b
    \bproposals?\b
    \bproposed\b
    \bideas?\b
    \balternatives?\b
    \boptions?\b
    \bconsidered\b
    \bcandidates?\b
    \bpossible\b
    \bpotential\b
    \bopen questions?\b
    \bto-?do\b
    \btb[acd]\b
    \bnext steps?\b
    \bchange ?logs?\b
    \brelease notes\b
    \bout of scope\b
    \bnon-?goals?\b
    \b(?:myth|misconception|misunderstanding|rumou?r|opinion|regret)s?\b
    \bthoughts\b
    \bsome ?day\b
    ^\W*if\b
    \bwhat if\b
    \bcounter-?examples?\b
    \bdummy\b
    \bexamples? only\b
    \bwithout\b
    \bexcept\b
    \bexcluded?\b
    \bexclusions?\b
    \bignored?\b
    \bbacklog\b
    \bdraft\b
    \bdeputy\b
    \bacting\b
    \bbackup\b
    \bfallback\b
    \buntil\b
    \b(?:would|could|should|might|will|was|were)\b
    \bused to be\b
    \bwe thought\b
    \brewrite\b
    \bsoon\b
    \blater\b
    \bbeyond\b
    \bparking lot\b
    \bgraveyard\b
    \bopen\b(?=\W*$)
    """
)
"""In a heading, a label or the line before a list: what stands below it is no fact."""

DENYING_LABEL = pattern(
    r"""
    \b(?:not|no|non|never|neither|nor|none)\b
    (?<!\bca)n't\b
    """
)
"""The same, where it stands near the beginning of a heading, or anywhere in another label."""

NOT_SO = re.compile(r"\b(?:isn't|wasn't|aren't|weren't|not) (?:so|true|right|the case)\b", re.IGNORECASE)
"""The same, anywhere."""

VALUE_OUT = pattern(
    r"""
    \b(?:until|till|planned|proposed|formerly|former|previously|was|were|used to|no longer|removed|retired)\b
    \b(?:decommissioned|deprecated|dropped|rejected|tb[acd]|to be|not|never|no|none|nobody|without|n/a)\b
    \b(?:maybe|perhaps|probably|possibly)\b
    \b(?:open|unknown|unclear|disputed|candidate|would|could|should|might|will|soon|later|starts?|next|ex|except|if|once)\b
    \b(?:dead|draft|idea|wish|opinion|thinks?|favou?rite|temporar\w+|acting|deputy|interim|stand-?in|backup|old)\b
    \bswitched off\b
    \b(?:going|goes|go) away\b
    \b(?:phased|being phased) out\b
    \?
    n't\b
    """
)
"""In a table cell, beside an item of a list or after a key: the value does not count."""

ROW_OUT = pattern(
    r"""
    \W*(?:until|till|planned|proposed|formerly|former|previously|was|were|no longer|not (?:yet|live|in use)|future)\b
    \W*(?:retired|removed|decommissioned|deprecated|dropped|rejected|obsolete|abandoned|cancelled|withdrawn|archived)\b
    \W*(?:dead|draft|idea|candidate|tb[acd]|to be|starts?|starting|next|switched off|sunset|disputed|hypothetical)\b
    """
)
"""At the beginning of a table cell: the whole row does not count."""

DEAD_PAGE = re.compile(
    r"\b(?:proposed|proposal|draft rfc|rejected|superseded|withdrawn|abandoned|declined|obsolete|archived|out ?dated|"
    r"under discussion|not accepted)\b",
    re.IGNORECASE,
)
"""As the value of a page's status: nothing on the page counts."""
