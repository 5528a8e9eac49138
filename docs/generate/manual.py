"""`docs/manual/`: what every code means, in each language, from the catalogue: the texts of page and pager."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tableside.catalogue import LANGUAGES, catalogue
from tableside.explained import Explained, explain, fault_code, reviewed, told_fields

FOLDER = "docs/manual"
PICTURES = "../../tableside/pictures"
# Title, what the page is, how to read it; of texts: reviewed, all.
HEAD: Mapping[str, tuple[str, str]] = {
    "en": (
        "What the table says, and what to do",
        "Made by `make docs` from `tableside/alerts_catalogue.toml`: change that, not this page. The same is told by "
        "`tableside diag explain CODE`. Of {all} texts in English, {reviewed} have been reviewed by a native speaker "
        "of the trade; all others are drafts. How to provoke something holds for the simulated table alone, and each "
        "way that stands here is played by a test; never provoke anything at a table with guests.",
    ),
    "pt_PT": (
        "O que a mesa diz, e o que fazer",
        "Feito por `make docs` a partir de `tableside/alerts_catalogue.toml`: alterar esse ficheiro, não esta página. "
        "O mesmo diz `tableside diag explain CODE --language pt_PT`. Dos {all} textos em português, {reviewed} foram "
        "revistos por um falante nativo do ofício; os outros são rascunhos. O modo de provocar vale só para a mesa "
        "simulada, e cada um é executado por um teste; nunca provocar nada numa mesa com jogadores.",
    ),
    "zh_Hant_MO": (
        "賭枱所報及應對",
        "本頁由 `make docs` 從 `tableside/alerts_catalogue.toml` 生成，請改該檔。"
        "`tableside diag explain CODE --language zh_Hant_MO` 內容相同。"
        "中文共{all}則，經業內母語人士審閱者{reviewed}則，其餘為草稿。"
        "觸發方法只供模擬枱使用，每項均由測試執行；有客人的賭枱切勿觸發。",
    ),
}
CHAPTERS: Mapping[str, tuple[str, str, str]] = {
    "en": ("Alerts", "Faults that a device names", "Refusals"),
    "pt_PT": ("Alertas", "Avarias indicadas pelos aparelhos", "Recusas"),
    "zh_Hant_MO": ("警報", "設備所報故障", "拒絕"),
}


def pages() -> dict[str, str]:
    """Every page by its name."""
    return {f"{FOLDER}/{language}.md": _page(language) for language in LANGUAGES}


def _page(language: str) -> str:
    title, text = HEAD[language]
    seen, whole = reviewed(language)
    listed = catalogue()
    codes = (
        tuple(entry.id for entry in listed.alert),
        tuple(fault_code(entry.number) for entry in listed.fault),
        tuple(entry.code for entry in listed.refusal),
    )
    parts = [f"# {title}", text.format(reviewed=seen, all=whole)]
    for chapter, names in zip(CHAPTERS[language], codes, strict=True):
        if names:
            parts.append(f"## {chapter}")
            parts += ["\n\n".join(_entry(entry)) for code in names for entry in explain(code, language)]
    return "\n\n".join(parts) + "\n"


def _entry(entry: Explained) -> Iterator[str]:
    fact, step = entry.lines
    yield f"### {entry.code}"
    yield f"**{_plain(fact)}**<br>→ {_plain(step)}"
    if entry.pictures:
        images = (
            f'<img src="{PICTURES}/{file}" width="48" alt="{hand}" title="{hand}">'
            for file, hand in zip(entry.pictures, entry.hands, strict=True)
        )
        yield " ".join(images)
    fields = "\n".join(f"| {label} | {_plain(told)} |" for label, told in told_fields(entry))
    yield f"| {_plain(entry.kind)} | |\n|---|---|\n{fields}"


def _plain(text: str) -> str:
    """A table's own sign has to be told from ours."""
    return text.replace("|", "\\|")
