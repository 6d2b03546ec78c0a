"""Everyday words that are also names of systems, teams and things.

A lower-case "search", "email" or "data" in running text is a word; only as a name ("Search", `search`, "the search
service") is it a mention. Words that are missing here cost precision, never a crash: any other lower-case word that the
catalogue spells in lower case counts as a name.
"""

from __future__ import annotations

__all__ = ["COMMON_WORDS"]

_WORDS = """
    access account accounts action actions activity ad address admin administration ads advertising agent agents alarm
    alert alerting alerts analysis analytics answer api apis app application applications apps architecture archive area
    art asset assets audit auth authentication author authorization availability back backend backends background backup
    backups balance bank bare base basket batch bill billing blob block blog board body book booking books boot bot box
    branch bridge browser bucket bucket buffer bug build builder builds bus business button buy cache caches caching
    calendar call calls camera campaign capacity card cards cart case cases catalog catalogue category cell center
    central certificate chain change changes channel channels charge chart chat chatbot check checkout checks child
    claims class clean client clients clock cloud cluster clusters code codes collection collector comment comments
    commerce commit common communication company compliance component components compute config configuration connect
    connection connector console consul contact contacts container containers content control controller conversion
    cookie copy core cost count country course cover credit cron currency current custom customer customers cycle daily
    dashboard dashboards data database databases date day db deal debug default delivery demo deploy deployment design
    desk detail development device devices digest direct directory discount discovery disk dispatch dispatcher dispute
    disputes distribution dns doc document documentation documents domain domains download draft drive driver drop
    edge edit editor editorial email emails embed employee end endpoint engine engineering enterprise entity entry
    environment error errors estate event events example exchange executor experience export exporter exporters
    external extract face factory failover feature features fee feed feedback feeds fees field file files filter finance
    fire firewall fleet flow folder food force forecast form format forms forum forward foundation fraud front frontend
    fulfilment function functions game garden gate gateway general generator git global good goods graph graphs grid
    group groups growth guard guest guide handler handbook hardware health help history home hook hooks host hosts hour
    house hub human id identity image images import index indexes indexer info infra infrastructure ingest ingestion
    ingress input insight insights instance integration intelligence interface internal internet inventory invoice
    invoices invoicing item items job jobs journal kernel key keys label labels language launch layer lead leads ledger
    legal letter level library licence license light limit line link links list lists live load loader local location
    lock log logger logging login logs machine mail mailer mails main maintenance management manager map maps market
    marketing master matching media meeting member members memory menu merchant merchants message messages messaging
    meta metric metrics migration mirror mobile model models module money monitor monitoring month name names native
    network networks news night node nodes note notes notification notifications notifier number object objects office
    online ops operation operations operator order orders origin output owner pack package packages page pager pages
    paper parent parser part partner partners party path pay payment payments payout payouts people performance person
    phone photo pipeline pipelines pipe place plan planner planning plans platform play player plugin point points
    policy pool pool port portal post postbox postgres power preview price prices pricing print printer privacy private
    process processing processor product production products profile profiles program project projects promo promotion
    proof property provider proxy public publish publisher publishing purchase quality query question queue queues quote
    quotes rate rates rating read reader reading real realtime receipt recommendation recommendations reconciler record
    records recorder recovery recruiting redirect reference refund refunds region register registration registry release
    reliability relay remote render renderer replica report reporting reports repository request requests research
    reserve resolver resource resources response rest restaurant result results retail return returns review reviews
    reward rewards risk road robot role roles room rooms root route router routes routing rule rules runner runtime safe
    safety sale sales sandbox scan scanner schedule scheduler schedules schema school score scorer scoring screen
    screener screening script seal search secret secrets section security seller sellers send sender sentry series
    server servers service services session sessions set settings settlement setup shared sheet shell shield ship
    shipment shipments shipping shop shopper shopping show sign signal signup silo site sites snapshot social source
    space spam stack staff stage staging standard start state stations statistics status stock storage store stores
    story stream streaming streams street studio style subscription subscriptions suggestion summary supplier suppliers
    supply support switch sync system systems table tables tag tags target task tasks tax taxes team teams tech template
    templates tenant terminal test tests text thing thread ticket tickets time timeline token tokeniser tokenizer tokens
    tool tooling tools topic topics trace traces tracing track tracker tracking trade traffic training transaction
    transactions transfer translation transport travel trip trust tunnel type unit update updates upload uploads user
    users validation value variant vault vendor vendors verification version video view viewer views wallet warehouse
    watch water weather web webhook webhooks website week window word work worker workers workflow workhorse workspace
    world writer year zone
"""

COMMON_WORDS: frozenset[str] = frozenset(_WORDS.split())
