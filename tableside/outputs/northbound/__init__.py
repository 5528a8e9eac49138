"""MQTT northbound: a table tells other systems and hears them (docs/protocols/northbound.md).

The broker only carries: who reads is a cursor over the journal, who asks is judged here (design rule 9).
"""
