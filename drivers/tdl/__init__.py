"""What the drivers of TDL devices share: tables of words and facts, requests for orders, and a line to keep."""

from drivers.tdl.line import Surroundings, TdlLine, TdlSettings

__all__ = ["Surroundings", "TdlLine", "TdlSettings"]
