"""`tableside doctor`: whether this host is fit to run its tables."""

from __future__ import annotations

from pathlib import Path

import click

from tableside.cli.failing import Failed
from tableside.cli.options import config_option
from tableside.cli.plain import say, say_json
from tableside.exit_codes import ExitCode


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One line of JSON a finding, ASCII only.")
@config_option
def doctor(config: str, as_json: bool) -> int:
    """Look at the host: disks, clock, ports, rights, broker, service. Changes nothing.

    Ends with 1 where something is wrong, 0 where there is advice at most.
    """
    from tableside.config import ConfigRefused, load_host
    from tableside.doctor.host import is_clock_kept
    from tableside.doctor.looks import examine
    from tableside.doctor.symptoms import Verdict, Ward

    try:
        host = load_host(Path(config))
    except FileNotFoundError as missing:
        raise Failed(ExitCode.NO_INPUT, f"{config}: {missing.strerror}") from None
    except ConfigRefused as refused:
        raise Failed(ExitCode.CONFIG, f"{refused}\nThe host is looked at when its configuration can be used.") from None
    counts = dict.fromkeys(Verdict, 0)
    for look, symptom in examine(Ward(host, is_clock_kept=is_clock_kept)):
        counts[symptom.verdict] += 1
        if as_json:
            say_json({"look": look, "verdict": symptom.verdict, "what": symptom.what, "remedy": symptom.remedy})
            continue
        say(f"{symptom.verdict}: {symptom.what}")
        if symptom.remedy:
            say(f"  {symptom.remedy}")
    if not as_json:
        say(", ".join(f"{verdict} {count}" for verdict, count in counts.items() if count))
    return ExitCode.FOUND if counts[Verdict.WRONG] else ExitCode.DONE
