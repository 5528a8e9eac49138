"""Write every page that is made from code: `python -m docs.generate`."""

from __future__ import annotations

from docs.generate.pages import write_all

if __name__ == "__main__":
    for name in write_all():
        print(f"written: {name}")
