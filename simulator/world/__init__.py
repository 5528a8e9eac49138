"""Physics: cards, carousel, rollers, lid, felt, keys. No bytes, no clock, no asyncio.

Wake-up style: `update(now_ns)` plays everything due up to `now_ns` and returns when it wants to be called
again. People's acts happen between two updates, at the moment of the last one.
"""
