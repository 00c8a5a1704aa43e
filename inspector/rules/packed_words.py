"""Words that the findings about packed modules share."""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, count, listed


def headline(place: Place, facts: Facts) -> str:
    """The tensor, the family, or how many modules."""
    families = facts["families"]
    if place.tensor or len(families) == 1:
        return str(place.tensor or families[0])
    return f"{count(facts['modules'], 'module')} such as {facts['names'][0]}"


def where(place: Place, facts: Facts) -> Rows:
    """The lines that say where and how the modules are packed."""
    rows = [("packing", str(facts["scheme"]))]
    if facts["modules"] > 1:
        words = f"{facts['where']}, " if facts["where"] else ""
        rows.insert(0, ("where", f"{words}{count(facts['modules'], 'module')}"))
    if len(facts["families"]) > 1:
        rows.append(("families", listed(facts["families"], 4)))
    return rows


def listing(facts: Facts) -> str:
    """The first names of the modules, and how many more."""
    names = facts["names"]
    more = facts["modules"] - min(len(names), 3)
    return ", ".join(str(name) for name in names[:3]) + (f" and {more:,} more" if more > 0 else "")


def words(what: object) -> str:
    """A setting in words."""
    return str(what).replace("_", " ")
