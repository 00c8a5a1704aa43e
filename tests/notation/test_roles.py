"""The table of roles is closed: definitions and dialects use exactly the roles that it lists."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.architectures.catalog import all_definitions
from inspector.comparing.pieces import part_roles
from inspector.dialects.catalog import all_dialects
from inspector.dialects.language import JOINED, PARTNERS
from inspector.notation.roles import GROUPS, SUBJECTS, meanings
from tests.notation.test_role_names import all_parts


def defined() -> Iterator[str]:
    """The roles of all definitions, and of the parts of their packed matrices."""
    for _, definition in all_definitions():
        for _, part in all_parts(definition):
            yield part.role
            if part.kind.packs:
                yield from part_roles(part.role, part.kind.packs)


def named(key: str) -> str:
    """The role in a key of a dialect such as `mtp:norm.final`, `single/mlp.up{}` or `mlp.up.alone`."""
    role = key.rpartition(":")[2].rpartition("/")[2].rstrip("[]{}=")
    return role.removesuffix(".alone").removesuffix(".routed")


def of_dialects() -> Iterator[str]:
    """The roles that dialects name."""
    for dialect in all_dialects():
        yield from (named(key) for key in dialect.names if not key.startswith("@"))
        yield from dialect.interleaved
    for joined, parts in JOINED.items():
        yield from (joined, *parts)
    for role, partner in PARTNERS.items():
        yield from (role, partner)


def test_every_used_role_is_in_the_table() -> None:
    assert {*defined(), *of_dialects()} - set(meanings()) == set()


def test_every_role_of_the_table_is_used() -> None:
    assert set(meanings()) - {*defined(), *of_dialects()} == set()


def test_roles_and_meanings_correspond_one_to_one() -> None:
    table = meanings()
    assert list(table) == sorted(table)
    assert all(table.values())
    assert len(set(table.values())) == len(table)


def test_every_subject_has_a_group_of_the_chart() -> None:
    assert {role.partition(".")[0] for role in meanings()} == set(SUBJECTS)
    assert {group for group, _ in SUBJECTS.values()} == set(GROUPS)
