"""Any bytes at all against every codec: `make fuzz`, or `python -m fuzz [--seconds N] [NAME …]`.

What must hold is the same for all of them (`fuzz/oracle.py`): the same messages however the bytes are cut, nothing
lost uncounted, bounded memory, bounded time. Which codecs there are stands in one table, `fuzz/targets.py`. The bytes
come from atheris, which looks for those that reach new lines of the codec; without it the tests still judge the seeds.
"""
