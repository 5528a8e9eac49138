"""An example for each step whose arguments do not say by themselves how they are typed. A test parses every one."""

from __future__ import annotations

from collections.abc import Mapping

# Group → step → what is typed behind it.
EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "play": {"stop": '--why "guest at the bank"'},
    "table": {"open": "--dealer D-101 --as S-201", "dealer": "--dealer D-102 --as S-201"},
    "load": {
        "begin": "--packets 3 --as D-101",
        "packet": "--cards 104 --as D-101",
        "correct": "--cards 103 --as S-201",
        "reload": "--incident 4 --packets 2 --as S-201 --pin M-301",
    },
    "round": {
        "count": "--cards 3 --as D-101",
        "rule": '--ruling "goes on" --as S-201',
        "open-cards": "--numbers 1 --numbers 3 --as D-101",
    },
    "blackjack": {
        "seats": "--seats 1 --seats 3 --as D-101",
        "bet": "--seat 3 --amount 2000 --from-seat 5 --as D-101",
        "add": "--seat 3 --from-seat 5 --insurance 1000 --as D-101",
        "card": "--seat 3 --card 7C --as D-101",
        "choice": "--seat 3 --hand 2 --choice stand --as D-101",
        "turn": "--card 9H --as D-101",
        "collect": "--seat 3 --as D-101",
        "pay": "--seats 1 --amounts 4000 --seats 3 --amounts 0 --as D-101",
    },
    "advice": {"decide": '--number 3 --decision "card to the tray, another drawn" --as S-201'},
    "complaint": {"settle": '--decision "the deal stands" --complaint 2 --as S-201'},
    "jam": {
        "taken-out": "--cards 1 --now table --as S-201",
        "technician-done": '--work "guide straightened" --technician T-401 --as S-201',
    },
    "damaged": {
        "replace": '--damaged "7C red" --replacement "7C red" --envelope E-001 --found-in table --as S-201',
        "exchange": '--out red:52 --reference "seal 0031" --as S-201',
        "authorise": '--authorised-by "A. Inspector" --reference "order 12" --as M-301',
        "reported": '--incident 4 --reference "report 12" --as M-301',
    },
    "jackpot": {
        "show": "--what amount --amount 1234567 --currency EUR --as S-201",
        "mark": "--seats 2 --seats 5 --as D-101",
        "refuse": '--seat 3 --chip "no main bet" --as D-101',
        "claim": "--seat 5 --cards AS --cards AH --as D-101",
        "pay": "--seats 5 --amounts 20000 --as S-201",
        "deny": '--seat 5 --finding "third card, not second" --as S-201',
        "settle": '--seats 2 --seats 5 --finding "a chip stuck at seat 5" --as S-201',
    },
    "count": {"hand": "--place tray --cards 12 --as S-201"},
    "deck": {
        "load": "--back red --as D-101",
        "packet": "--cards 5 --as D-101",
        "put-back": "--cards 10 --as D-101",
        "count": "--back red --cards 51 --as S-201",
        "replace": "--back red --as S-201",
    },
    "hand-shoe": {
        "count": "--counts red:156 --counts blue:156 --as D-101",
        "cut": "--occupied 2 --occupied 5 --seat 2 --as D-101",
        "begin": "--incident 4 --as S-201",
        "emptied": "--cards 312 --as S-201",
        "end": "--packets 3 --as S-201",
        "dealt": "--cards 17 --as D-101",
        "interrupt": '--why "no bets" --as D-101',
        "spread": '--why "no players" --as D-101',
    },
    "defect": {
        "report": '--defect duplicate --where "in a hand" --card "7C red" --seat 3 --as D-101',
        "claim": "--finding 1 --as D-101",
        "keep-money": "--seats 2 --seats 5 --as S-201",
        "award-money": "--round 12 --seat 5 --as S-201",
    },
    "unload": {
        "sort": "--groups red:3 --groups blue:2:missing=7C,10H:too_many=KS --as D-101",
        "settle-sort": '--incident 4 --decision "decks withdrawn" --as M-301',
    },
    "swap": {"begin": "--spare spare --incident 4 --as S-201", "counted-out": "--cards 288 --as S-201"},
    "device": {
        "clear-fault": "--device shuffler --fault 3 --as S-201",
        "inspect": '--device shuffler --finding "cover shut, seal whole" --as S-201',
        "record": '--serial 000123 --standing workshop --parts "roller 12-B" --note "worn" --as T-501',
        "settle": "--device shuffler --command 17 --moved 0 --as S-201",
        "adopt": "--device spare --as T-501 --pin T-501 --pin R-401",
        "self-test": "--device spare --is-there --as T-501",
        "deal-test": "--device spare --cards 20 --is-there --as T-501",
        "work-begins": "--device spare --order W-17 --hours 2 --as T-501",
        "work-done": '--device spare --work "belt exchanged" --as T-501',
        "accept-journal": '--why "disk replaced, copy restored" --as T-501 --pin T-501 --pin M-301',
    },
    "manual": {
        "issue": "--as S-201",
        "order": '--form 1 --since 21:40 --why "no power at the table" --as R-401',
        "enter": '--line 1 --at 21:45 --kind round --text "round 41, 22 cards, paid by hand" --as D-101',
        "end": "--lines 1 --as R-401",
    },
    "incident": {"settle": '--incident 4 --finding "switch box bumped" --as S-201'},
    "badge": {
        "enrol": "--staff D-102 --reader badges --as S-201",
        "withdraw": "--staff S-201 --as P-301",
    },
    "alert": {"take": "--alert 1 --as S-201", "seen": "--alert 1 --as S-201", "clear": "--alert 1 --as S-201"},
}


def example(group: str, step: str) -> str | None:
    """The whole line, or none where there is nothing to explain."""
    typed = EXAMPLES.get(group, {}).get(step)
    return None if typed is None else f"Example: tableside {group} {step} {typed}"
