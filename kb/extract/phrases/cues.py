"""Words that make a sentence, a label or a whole block no statement of fact about today.

Data only, in English; nothing here knows what a page is about. A cue is worth having when people who write that word
rarely mean the sentence as a plain fact: a lost fact costs less than a false one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "ADDRESSED",
    "AFTER_OBJECT",
    "BLOCKED_LABEL",
    "CANCELS",
    "CLAUSE_START",
    "CONTROL",
    "DEAD_PAGE",
    "DENYING_LABEL",
    "EMPTY_VALUE",
    "GROUP_WORDS",
    "HYPOTHETICAL",
    "INCOMING",
    "MODALS_OK",
    "MODALS_OUT",
    "MODIFIERS",
    "NEGATIONS",
    "NOT_FACT",
    "OTHER_PARTY",
    "PART_NOUNS",
    "PREPOSITIONS",
    "REMARKS",
    "SENTENCE_OUT",
    "STUFF",
    "USED_PARTS",
    "VALUE_OUT",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _any(parts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)


_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:19|20)\d\d"

_PLAN = (
    r"\bgoing to\b(?! the)", r"\babout to\b", r"\bplan(?:s|ned|ning)?\b(?= (?:to|for|is|was|that|on|with)\b)",
    r"\bplanned\b", r"\bplanning to\b", r"\broad ?map\b", r"\bwish ?list\b", r"\bsome ?day\b",
    r"(?<!late )\bone day,? (?:we|it|this|the)\b", r"\bnot (?:\w+ )?yet\b", r"\byet to\b",
    r"\bupcoming\b", r"\bpropos(?:al|als|e|es|ed|ing)\b", r"\bin talks\b", r"\bunder discussion\b", r"\bto be (?:decided|settled|"
    r"moved|migrated|replaced|removed|added|built|done|confirmed|discussed|introduced)\b", r"\btb[acd]\b", r"\bto-?do\b",
    r"\bnext (?:year|quarter|month|week|spring|summer|autumn|fall|winter|sprint|release|version|half)\b",
    rf"\b(?:in|by|during|until|from|for) (?:early |mid-?|late |the )?q[1-4]\b", r"\bmaybe q[1-4]\b",
    rf"\b(?:from|starting|starts|starting in|starting from|effective|by|after|end of|by the end of) (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? "
    rf"(?:of )?)?{_MONTHS}\b(?! (?:to|until|till)\b)", r"\bby (?:the )?end of\b", r"\bin the new year\b", r"\bin (?:the )?future\b", r"\bfuture\b",
    r"\bonce (?:the|we|it|this|that|these|they)\b", r"\bgoing forward\b", r"\bwould like\b", r"\b(?:we|i|they|he|she)'d\b",
    r"\bintend(?:s|ed)?\b", r"\bconsider(?:s|ed|ing)\b", r"\bevaluat(?:e|es|ed|ing) (?:a|the|whether|if|moving|using)\b", r"\bhope(?:s|d)? to\b",
    r"\bexperiment(?:al|ally|s|ing)?\b", r"\bprototyp\w+\b", r"\bproof of concept\b", r"\bspike\b", r"\bpilot(?:ing|ed)?\b",
    r"\bnot (?:started|built|done|live|in production|implemented|shipped|released)\b", r"\bnothing (?:is )?built\b", r"\bstaging only\b",
    r"\b(?:scheduled|due|slated|earmarked) (?:for|to|in|on|by)\b", r"\bmigrat(?:e|es|ing) (?:\w+ ){0,3}(?:to|away|off|onto)\b",
    r"\bmoving (?:\w+ ){0,4}(?:to|away|off|onto|over)\b", r"\bwork(?:ing)? in progress\b", r"\bwip\b", r"\btarget (?:state|architecture|picture|design)\b",
)  # fmt: skip
_PAST = (
    r"(?<!is )(?<!are )(?<!be )(?<!get )(?<!gets )(?<!being )\bused to\b", r"\bformer(?:ly)?\b", r"\bprevious(?:ly)?\b",
    r"\bno longer\b", r"\b(?:not|n't|never|nothing|nobody)\b[^.;]*\bany ?more\b", rf"\b(?:until|till|up to|before|prior to)\b[^.;,]{{0,30}}\b{_YEAR}\b",
    r"\buntil (?:last|recently|lately|now|the (?:re-?org|migration|rewrite|merger|move|split))\b", r"\b(?:up )?(?:until|to) the (?:\w+ )?"
    rf"{_YEAR}\b", r"\boriginally\b", r"\bback then\b", r"\bback in\b", r"\bat the time\b", r"\bin the past\b", r"\bin (?:earlier|former|old|previous|"
    r"those) \w+", r"\bearlier (?:version|release|year|setup|design)s?\b", r"\bhistorically\b", r"\bin the (?:\w+ties|old days|early days|beginning)\b",
    r"\bonce upon\b", r"\bbefore that\b", r"\bhad been\b", r"\b(?:has|have|was|were|been|got) (?:since )?(?:been )?(?:removed|replaced|retired|"
    r"decommissioned|switched off|turned off|shut down|dropped|killed|deleted|abandoned|withdrawn)\b", r"\bdecommissioned\b", r"\bleft-?overs?\b",
    r"\bdead code\b", r"\bdeprecated in favou?r\b", r"\bobsolete\b", r"\bas a stand-?in\b", r"\bin (?:the )?\w+ties\b",
)  # fmt: skip
_IDLE = (
    r"\bsuppos(?:e|ing)\b", r"\bimagin(?:e|es|ed|ing)\b", r"\bwhat if\b", r"\bif only\b", r"\bhypothe\w+", r"\bin theory\b", r"\bwere to\b", r"^had \w+ ",
    r"\bwish(?:es)?\b", r"\b(?:would|could|should|might)(?: not|n't)? have\b", r"\bcould\b[^.;]{0,40}\binstead\b", r"\bfor the sake of argument\b",
    r"\bas (?:if|though)\b", r"\bassuming\b", r"\bon paper\b",
)  # fmt: skip
_OPINION = (
    r"\bthink(?:s|ing)?\b", r"\bthought\b", r"\breckon(?:s|ed)?\b", r"\bbeliev(?:e|es|ed)\b", r"\bsuggest(?:s|ed|ion|ions|ing)?\b",
    r"\bargu(?:e|es|ed|ing|ment|ments)\b(?! (?:is|are|of|to)\b)", r"\bfavou?rites?\b", r"\bin (?:my|our|his|her|their|\w+'s) (?:view|opinion|eyes|book)\b",
    r"\bopinions?\b", r"\bought\b", r"\b(?:supposed|alleged|apparent|reported|presumab|possib|probab)ly\b", r"\bsupposed to\b", r"\bmeant to\b",
    r"\brumou?r(?:s|ed)?\b", r"\bseem(?:s|ed|ingly)?\b", r"\blooks? (?:as (?:though|if)|like)\b", r"\bwonder(?:s|ed|ing)?\b", r"\bprefer(?:s|red)?\b", r"\bimho\b",
    r"\bafaik\b", r"\bperhaps\b", r"\bmaybe\b", r"\b(?:most |more )?likely\b", r"\bdoubt(?:s|ed)?\b", r"\bclaim(?:s|ed)? (?:that|to|it|we|the)\b",
    r"\bsaid (?:that|to|it|the|we)\b", r"\b(?:says|say|told|tells|tell)(?: \w+)? (?:that|it|we)\b", r"\bassum(?:e|es|ed|ption|ptions)\b", r"\bexpect(?:s|ed)? to\b",
    r"\bby mistake\b", r"\bmistak(?:e|es|en|enly)\b", r"\bwrong(?:ly)?\b", r"\bmyths?\b", r"\bmisunderst\w+", r"\bcontrary to\b", r"\b(?:in spite|despite) (?:of )?what\b",
    r"\b(?:not|isn't|wasn't|un)(?: |)true\b", r"\b(?:isn't|not|wasn't) so\b", r"\bsuspect(?:s|ed)?\b", r"\bconfus(?:e|es|ed|ion)\b", r"\bidea\b(?: of| is| was|:)",
    r"\bvot(?:e|es|ed) (?:for|to)\b", r"\bpush(?:es|ed|ing)? for\b", r"\bdemand(?:s|ed)? that\b", r"\brecommend(?:s|ed)?\b(?! (?:by|for))", r"\bwant(?:s|ed)? (?:the|our|\w+ )?\w+ to\b(?<!to know to)",
)  # fmt: skip
_ORDERS = (
    r"\b(?:make|making) sure\b", r"\bensure\b", r"\bverify (?:that|if|whether)\b", r"\bcheck (?:that|if|whether)\b", r"\bconfirm (?:that|if|whether)\b",
    r"\bplease\b", r"\blet's\b",
)  # fmt: skip

SENTENCE_OUT = _any((*_PLAN, *_PAST, *_IDLE, *_OPINION, *_ORDERS))
"""Anywhere in a sentence, or in the part of it between semicolons and colons: no fact."""

HYPOTHETICAL = _any((
    r"\bif\b", r"\bunless\b", r"\bwhether\b", r"\bin case\b", r"\blest\b", r"\buntil\b", r"\bin the event\b",
    r"\bprovided that\b", r"^should\b", r"^were\b", r"^had\b",
))  # fmt: skip
"""Opens a clause that is no fact itself, while the main clause after it may be one."""

NOT_FACT = _any((
    r"\b(?:not|no|never|nor|neither|none|nothing|nobody|nowhere|without|cannot|hardly|except|barring)\b", r"n't\b", r"\bno one\b",
    r"\b(?:rather|other|faster|slower|cheaper|better|worse|more|less) than\b", r"\binstead of\b", r"\bapart from\b", r"\bindependent(?:ly)? of\b",
    r"\b(?:refuse|avoid|stop|forbid|prevent|lack|fail|decline|forget)(?:s|es|ed|ped|ing)?\b", r"\bfree of\b", r"\bneed not\b",
))  # fmt: skip
"""Before the object and in the same clause: the opposite is said."""

NEGATIONS = _set("not n't no never nor neither none nothing nobody without cannot hardly except unlike")

CANCELS = re.compile(
    r"\W*(?:"
    r"(?:no|nope|never)(?=\s*(?:[.,!;:—–-]|$))|not (?:yet|true|so|any ?more|started|built|quite)|wrong\b|nonsense\b|please no|still planned|still open|on the road ?map|parked\b|"
    r"rejected\b|declined\b|turned down|dropped\b|shelved\b|postponed\b|maybe\b|perhaps\b|some day\b|one day\b|planned\b|under discussion|discussion postponed|"
    r"left-?over\b|(?:it|they|we|this|that|he|she|these|those)(?: is| was| are| were|'s|'re)? (?:no longer|not|never|wrong|over|history|rejected|turned down|"
    r"planned|parked|abandoned|a (?:joke|rumou?r|myth|mistake|plan))\b|(?:it|they|we|this|that|he|she) (?:doesn't|does not|don't|do not|isn't|is not|aren't|wasn't|"
    r"didn't|did not|never|hasn't|won't|will not|cannot|can't)\b|since [^,.]{1,40}(?:no longer|not the case)|that (?:went|ended|has ended|has gone|stopped|was (?:turned|"
    r"rejected|dropped|wrong|before|until|the))"
    r")",
    re.IGNORECASE,
)
"""At the start of a sentence: the one before it was not meant as a fact."""

BLOCKED_LABEL = _any((
    r"\bformer(?:ly)?\b", r"\bprevious(?:ly)?\b", r"\bold\b", r"\bearlier\b", r"\bex\b", r"\bpast\b",
    r"\bhistor(?:y|ic|ical|ically)\b", r"\blegacy\b", r"\bdeprecat\w+", r"\bdecommission\w*", r"\bretire\w*", r"\bremoved?\b", r"\bobsolete\b", r"\bdead\b",
    r"\bunused\b", r"\babandoned\b", r"\breject\w*", r"\bdeclined\b", r"\bdropped\b", r"\bparked\b", r"\bshelved\b", r"\bplan(?:s|ned|ning)?\b", r"\broad ?maps?\b",
    r"\bwish(?:es| ?list)?\b", r"\bfuture\b", r"\bupcoming\b", r"\bproposal?s?\b", r"\bproposed\b", r"\bideas?\b", r"\balternatives?\b", r"\boptions?\b",
    r"\bconsidered\b", r"\bcandidates?\b", r"\bpossible\b", r"\bpotential\b", r"\bsuggest\w*", r"\bopen questions?\b", r"\bto-?do\b", r"\btb[acd]\b", r"\bnext steps?\b",
    r"\bchange ?logs?\b", r"\brelease notes\b", r"\bout of scope\b", r"\bnon-?goals?\b", r"\bmyths?\b", r"\bmisconceptions?\b", r"\bmisunderstandings?\b", r"\brumou?rs?\b",
    r"\bsomeday\b", r"\bplanned\b", r"\bhypothe\w+", r"^\W*if\b", r"\bwhat if\b", r"\bcounter-?examples?\b", r"\bdummy\b", r"\bexamples? only\b",
    r"\bwithout\b", r"\bexcept\b", r"\bignored?\b", r"\bdebate\w*", r"\bopinions?\b", r"\bthoughts\b", r"\bbacklog\b", r"\bdraft\b", r"\bdeputy\b", r"\bacting\b",
    r"\buntil\b", r"\bwould\b", r"\bcould\b", r"\bshould\b", r"\bmight\b", r"\bwill\b", r"\bwas\b", r"\bwere\b", r"\bused to be\b", r"\bwe thought\b", r"\brewrite\b",
    r"\bexcluded?\b", r"\bexclusions?\b", r"\bunaffected\b", r"\bsoon\b", r"\blater\b", r"\bdisputed\b", r"\bunclear\b", r"\bunknown\b", r"\bbackup\b", r"\bfallback\b",
    r"\bregrets?\b", r"\bnice to have\b", r"\bbeyond\b", r"\bparking lot\b", r"\bgraveyard\b", r"\bsunset\b", r"\bdiscarded\b", r"\bopen\b(?=\W*$)", r"\bin the past\b",
))  # fmt: skip
"""In a heading, a label or the line before a list: what stands below it is no fact."""

DENYING_LABEL = _any((r"\b(?:not|no|non|never|neither|nor|none)\b", r"(?<!\bca)n't\b"))
"""The same, where it stands near the beginning of a heading, or anywhere in another label."""

VALUE_OUT = _any((
    r"\b(?:until|till|planned|proposed|former|formerly|previously|was|were|used to|no longer|removed|retired|decommissioned|deprecated|dropped|rejected|tbd|tbc|tba|"
    r"to be|not|never|no|none|nobody|without|n/a|maybe|perhaps|probably|possibly|open|unknown|unclear|disputed|candidate|would|could|should|might|will|soon|later|"
    r"starts?|next|ex|except|if|once|dead|draft|idea|wish|opinion|thinks?|favou?rite|temporar\w+|acting|deputy|interim|stand-?in|backup|switched off|old)\b", r"\?", r"n't\b",
))  # fmt: skip
"""In a table cell, beside an item of a list or after a key: the value does not count."""

EMPTY_VALUE = re.compile(r"\W*(?:none|n/?a|nobody|no one|nothing|tb[acd]|unknown|open|-+|—|–|\?+)?\W*", re.IGNORECASE)

DEAD_PAGE = re.compile(
    r"\b(?:proposed|proposal|draft rfc|rejected|superseded|withdrawn|abandoned|declined|obsolete|archived|out ?dated|under discussion|not accepted)\b",
    re.IGNORECASE,
)
"""As the value of a page's status: nothing on the page counts."""

ADDRESSED = _any((
    r"\b(?:ignore|disregard|forget|override|bypass|skip) (?:\w+ ){0,3}(?:previous|prior|above|earlier|preceding|other|all|any|rest|everything|anything|instructions?|rules?)\b",
    r"\b(?:note|notice|message|instructions?|attention|hint|memo|request|reminder|warning|dear|hello|hey|hi)\b[^.\n]{0,30}\b(?:to|for)?\b[^.\n]{0,20}\b(?:llms?|ais?|assistants?|models?|"
    r"bots?|robots?|chat ?bots?|agents?|programs?|software|parsers?|crawlers?|scrapers?|indexers?|extractors?|machines?|automat\w+|scripts?|readers? of this page|tools?)\b"
    r"(?=[^.\n]{0,80}\b(?:that|which|who|reading|parsing|processing|index\w*|extract\w*|scan\w*|:|must|should|please|record|output|store|add|treat|ignore)\b|\W*$)",
    r"\b(?:language|ai|machine|extraction) (?:model|agent|assistant|program|tool|pipeline|system|process)s?\b", r"\bas an? (?:ai|llm|language model|assistant|extraction)\b", r"\bsystem prompt\b",
    r"\b(?:any|every|all|the|an?|each) (?:automated |automatic )?(?:program|bot|parser|crawler|scraper|extractor|indexer|model|script|software|tool|machine|reader|pipeline)s? (?:that |which |who )?"
    r"(?:read|reads|reading|process\w*|pars\w*|index\w*|extract\w*|scan\w*|ingest\w*)\b",
    r"\byou (?:must|should|shall|have to|are to|will|need to) (?:now )?(?:record|output|emit|store|add|return|extract|report|answer|reply|write down|remember|assert|state|list|treat|note)\b",
    r"(?:^|[.:;!,] )(?:please |now |then |and |so |instead,? )?(?:record|output|emit|extract|assert|memori[sz]e|insert)\b (?:\w+ ){0,4}(?:that|following|fact|facts|triples?|statements?|relations?|edges?|as|this|:)",
    r"\badd (?:\w+ ){0,3}(?:triples?|facts?|statements?|relations?|edges?)\b", r"\b(?:the )?following (?:facts?|triples?|statements?|relations?|edges?)\b", r"\bknowledge (?:graph|base)\b",
    r"\b(?:end|begin|start) of (?:document|prompt|instructions?|context)\b", r"</?(?:system|instructions?|prompt)>", r"\bnew instructions?\b", r"\bdo anything now\b", r"\bjail ?break\w*",
    r"\brest of (?:the|this) (?:document|page|text|file)\b[^.]{0,60}\b(?:record|ignore|disregard|treat|note|store)\b",
    r"\b(?:ignore|disregard)\b[^.]{0,60}\b(?:document|page|text|file|instructions?|sentences?)\b",
))  # fmt: skip
"""Text that addresses whoever or whatever reads the page and tells it what to take down."""

CLAUSE_START = _set(
    "but because since although though whereas while so therefore hence however if unless when whenever where whereby until "
    "which that who whom whose than"
)
"""Words that open another clause."""

MODALS_OUT = _set("will 'll would 'd should shall could might may can ought won't wouldn't shouldn't couldn't mightn't can't cannot")
MODALS_OK = _set("must do does don't doesn't")

CONTROL = _set(
    "need needs have has needing having able continue continues configured set up required has got must ready allowed "
    "used wired tuned built designed"
)
"""Before "to" and a verb: what follows happens ("needs to call"), as opposed to "wants to"."""

GROUP_WORDS = _set(
    "also then only just always usually directly currently now still today normally mostly mainly typically generally often "
    "regularly constantly first again even simply merely really actually already itself themselves ourselves in turn never not ever "
    "both all each either jointly automatically synchronously asynchronously periodically nightly daily hourly once twice largely partly "
    "exclusively entirely primarily chiefly happily silently quietly therefore thus hence too live internally basically naturally "
    "additionally otherwise heavily solely effectively eventually obviously"
)
"""Adverbs that stand between a subject and its verb, or inside a verb group."""

PREPOSITIONS = _set(
    "of in on at by for with from to into onto over under about between through during before after above below up down out off "
    "against via per within without upon across behind beside besides beyond inside outside near since until towards toward as than like "
    "around along among amid opposite onto next throughout alongside atop"
)

MODIFIERS = _set(
    "direct known current main primary hard soft runtime internal all our its the a an key other some more most important critical "
    "synchronous asynchronous sync async regular usual technical list of overview today now currently full complete immediate strong weak required "
    "mandatory optional her his their this these those both two three four five six every known existing present actual official business "
    "software engineering named production prod live registered real approved at moment right so far as currently nowadays"
)
"""Words that may stand beside a relation's noun in a label without changing which relation it is."""

OTHER_PARTY = _set(
    "team squad crew people person engineer engineers developer developers dev devs user users customer customers client clients consumer "
    "consumers caller callers owner owners lead manager admin admins administrator operator operators folks guys group on-call oncall "
    "support maintainer maintainers colleague colleagues member members rota alumni guild desk office competitor clone replacement successor "
    "predecessor equivalent alternative fork style like"
)
"""After a name, these make it somebody or something else ("Checkout users", "a Checkout clone")."""

PART_NOUNS = _set(
    "api apis endpoint endpoints interface url instance instances cluster clusters node nodes pod pods topic topics table tables schema schemas bucket buckets "
    "index log logs stream page pages process processes daemon worker workers job jobs server servers host hosts fleet deployment deployments replica replicas primary "
    "secondary shard shards database databases db queue queues cache caches store module library sdk client code backend frontend component container containers "
    "application app microservice service svc system platform engine gateway console ui site itself too alone proper team vm vms box machine collection consumer "
    "producer exporter data records entries list lists feed feeds file files events messages tokens rates journal"
)
"""Nouns after a name that still mean the named thing or a part of it ("the Ledger API", "Kafka topics")."""

INCOMING = _set("writes reads requests calls traffic queries load hits connections logins updates changes alerts tickets complaints pressure access")
"""What comes from or goes through something without the page's thing needing it."""

STUFF = _set(
    "state data history information content contents metadata config configuration everything sessions tokens records files accounts events logs backups images "
    "documents copies counters keys results rows tables snapshots profiles orders messages users balances entries items photos reports objects credentials secrets locks "
    "queues jobs schedules settings preferences templates assets attachments invoices prices products journals archives metrics indexes indices"
)
"""What is kept somewhere."""

REMARKS = _set(
    "details notes docs bugs errors examples instructions steps problems issues tests people answers questions causes reasons charts alarms explanations "
    "links pointers comments fixes faults failures incidents experts engineers failures outages delays differences similarities lessons ideas stories members holders"
)
"""What stands or lies somewhere without being kept there."""

USED_PARTS = _set(
    "api apis endpoint endpoints replica replicas primary secondary list lists queue queues topic topics table tables bucket buckets data records files feed feeds index "
    "cache caches stream journal screen screens"
)
"""Parts whose users use the whole; whoever looks after deployments or code may be somebody else."""

AFTER_OBJECT = _set("inline live instead online offline alike alone straight whenever anyway weekly monthly twice online per ahead raw itself")
"""Open-class words after a name that are no noun of its."""
