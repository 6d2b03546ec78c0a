"""Words that carry grammar: what joins, denies, delays and points. Data only, in English.

What makes a sentence no fact is in `kb.extract.phrases.denials`.
"""

from __future__ import annotations

__all__ = [
    "AFTER_OBJECT",
    "ASKED",
    "CLAUSE_START",
    "CONTROL",
    "GROUP_WORDS",
    "INCOMING",
    "MODALS_OK",
    "MODALS_OUT",
    "MODIFIERS",
    "NEGATIONS",
    "OTHER_PARTY",
    "PART_NOUNS",
    "PREPOSITIONS",
    "REMARKS",
    "STUFF",
    "USED_PARTS",
    "word_set",
]


def word_set(text: str) -> frozenset[str]:
    """Split a text into a set of words."""
    return frozenset(text.split())


NEGATIONS = word_set("not n't no never nor neither none nothing nobody without cannot hardly except unlike")

CLAUSE_START = word_set(
    "but because since although though whereas while so therefore hence however if unless when whenever where "
    "whereby until which that who whom whose than"
)
"""Words that open another clause."""

MODALS_OUT = word_set(
    "will 'll would 'd should shall could might may can ought won't wouldn't shouldn't couldn't mightn't can't cannot"
)
MODALS_OK = word_set("must do does don't doesn't")

CONTROL = word_set(
    "need needs have has needing having able continue continues configured set up required got must ready "
    "allowed used wired tuned built designed"
)
"""Before "to" and a verb: what follows happens ("needs to call"), as opposed to "wants to"."""

GROUP_WORDS = word_set(
    "also then only just always usually directly currently now still today normally mostly mainly typically "
    "generally often regularly constantly first again even simply merely really actually already itself "
    "themselves himself herself myself ourselves in turn never not ever both all each either jointly "
    "automatically synchronously asynchronously periodically nightly daily hourly once twice largely partly "
    "exclusively entirely primarily chiefly happily silently quietly therefore thus hence too live internally "
    "basically naturally additionally otherwise heavily solely effectively eventually obviously"
)
"""Adverbs that stand between a subject and its verb, or inside a verb group."""

PREPOSITIONS = word_set(
    "of in on at by for with from to into onto over under about between through during before after above "
    "below up down out off against via per within without upon across behind beside besides beyond inside "
    "outside near since until towards toward as than like around along among amid opposite next throughout "
    "alongside atop"
)

MODIFIERS = word_set(
    "only sole single biggest largest heaviest last newest direct known current main primary hard soft "
    "runtime internal all our its the a an key other some more most important critical synchronous "
    "asynchronous sync async regular usual technical list of overview today now currently full complete "
    "immediate strong weak required mandatory optional her his their this these those both two three four "
    "five six every existing present actual official business software engineering named production prod live "
    "registered real approved at moment right so far as nowadays"
)
"""Words that may stand beside a relation's noun in a label without changing which relation it is."""

OTHER_PARTY = word_set(
    "team squad crew people person engineer engineers developer developers dev devs user users customer "
    "customers client clients consumer consumers caller callers owner owners lead manager admin admins "
    "administrator operator operators folks guys group on-call oncall support maintainer maintainers "
    "colleague colleagues member members rota alumni guild desk office competitor clone replacement successor "
    "predecessor equivalent alternative fork style like brother sister wife husband son daughter mother "
    "father friend cousin nephew niece assistant boss deputy neighbour neighbor rival fans"
)
"""After a name, these make it somebody or something else ("Checkout users", "a Checkout clone")."""

PART_NOUNS = word_set(
    "api apis endpoint endpoints interface url instance instances cluster clusters node nodes pod pods topic "
    "topics table tables schema schemas bucket buckets index log logs stream page pages process processes "
    "daemon worker workers job jobs server servers host hosts fleet deployment deployments replica replicas "
    "primary secondary shard shards database databases db queue queues cache caches store module library sdk "
    "client code backend frontend component container containers application app microservice service svc "
    "system platform engine gateway console ui site itself too alone proper team vm vms box machine "
    "collection consumer producer exporter data records entries list lists feed feeds file files events "
    "messages tokens rates journal row rows copy copies dump export extract snapshot view slice"
)
"""Nouns after a name that still mean the named thing or a part of it ("the Ledger API", "Kafka topics")."""

INCOMING = word_set(
    "writes reads requests calls traffic queries load hits connections logins updates changes alerts tickets "
    "complaints pressure access"
)
"""What comes from or goes through something without the page's thing needing it."""

ASKED = INCOMING | word_set(
    "request call query hit connection login update change alert ticket complaint order orders booking bookings "
    "command commands ping pings click clicks instruction instructions upload uploads form forms"
)
"""What somebody hands in without having been asked, so that whoever gets it need not depend on the sender."""

STUFF = word_set(
    "state data history information content contents metadata config configuration everything sessions tokens "
    "records files accounts events logs backups images documents copies counters keys results rows tables "
    "snapshots profiles orders messages users balances entries items photos reports objects credentials "
    "secrets locks queues jobs schedules settings preferences templates assets attachments invoices prices "
    "products journals archives metrics indexes indices"
)
"""What is kept somewhere."""

REMARKS = word_set(
    "details notes docs bugs errors examples instructions steps problems issues tests people answers "
    "questions causes reasons charts alarms explanations links pointers comments fixes faults failures "
    "incidents experts engineers outages delays differences similarities lessons ideas stories members "
    "holders"
)
"""What stands or lies somewhere without being kept there."""

USED_PARTS = word_set(
    "api apis endpoint endpoints replica replicas primary secondary list lists queue queues topic topics "
    "table tables bucket buckets data records files feed feeds index cache caches stream journal screen "
    "screens row rows record copy copies snapshot"
)
"""Parts whose users use the whole; whoever looks after deployments or code may be somebody else."""

AFTER_OBJECT = word_set(
    "rather even either together altogether inline live instead online offline alike alone straight whenever "
    "anyway weekly monthly twice per ahead raw itself"
)
"""Open-class words after a name that are no noun of its."""
