"""A browser page as jackpot display: served by the daemon, shown full screen by any kiosk browser."""

from drivers.displays.page.display import PageDisplay, PageSettings

__all__ = ["PageDisplay", "PageSettings"]
