"""The words of the command line as data: verbs, their arguments and options, each declared once.

The parser (`inspector.cli.app`), the way without a parser (`inspector.cli.plain`) and the calls of
`inspector.cli.verbs` follow from it.
"""

from __future__ import annotations

from typing import NamedTuple


class Argument(NamedTuple):
    """A word without a dash. name: the keyword of the verb."""

    name: str
    help: str
    optional: bool = False


class Option(NamedTuple):
    """An option. name: the keyword of the verb.

    kind: "text" takes a value, "flag" none, "many" a value each time. default: of choices; other texts have none.
    value: what the help calls the value.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    default: str | None = None
    hidden: bool = False
    value: str = "TEXT"


class Verb(NamedTuple):
    """A command: the function of this name in `inspector.cli.verbs`."""

    name: str
    help: str
    example: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]


LEVELS = ("error", "warning", "note", "never")
"""Severities, worst first, and none."""

SOURCE = Argument(
    "source", "A folder, a file, an index, org/name on the Hub, a pasted page, or s3://, https://, zip://."
)
WHERE = (
    Option("revision", ("--revision",), "Branch, tag or commit of a repository.", value="REVISION"),
    Option("subfolder", ("--subfolder",), "A folder of the source.", value="FOLDER"),
    Option("repo_type", ("--repo-type",), "Kind of a repository.", choices=("model", "dataset", "space")),
    Option("cached", ("--local-files-only", "--cached"), "Read the Hub's local cache and ask nobody.", "flag"),
)
"""Where a source is, with the names of huggingface_hub."""
OUTPUT = (
    Option("output", ("--output", "-o"), "A file to write the report to.", value="FILE"),
    Option("debug", ("--debug",), "Show where the tool itself failed.", "flag", hidden=True),
)
FORMAT = Option(
    "format", ("--format", "-f"), "text, or JSON on standard output.", choices=("text", "json"), default="text"
)
CONFIG = Option("config", ("--config",), "A config.json to use instead of the one there.", value="FILE")
WEIGHTS = Option("weights", ("--weights",), "Which set of weights, where there are several.", value="NAME")
VALUES = (
    Option("values", ("--values",), "Read the numbers in the tensors too; this takes its time.", "flag"),
    Option("tensor", ("--tensor",), "Read only the numbers of these tensors; * for anything.", "many", value="NAME"),
)
VERDICT = (
    Option("fail_on", ("--fail-on",), "Severity from which the exit code is 1.", choices=LEVELS, default="error"),
    Option("quiet", ("--quiet", "-q"), "The verdict alone, in one line.", "flag"),
)

AUDIT = Verb(
    "audit",
    "Say whether a checkpoint is complete and is what its config says, to the last parameter.",
    "inspector audit ./Llama-3.2-1B --claim 1.24B",
    (SOURCE,),
    (
        Option("claim", ("--claim",), "A total to explain: 8030257152, 8.03B, 6607.34M.", value="TOTAL"),
        CONFIG,
        WEIGHTS,
        FORMAT._replace(help="text, markdown, or JSON.", choices=("text", "json", "markdown")),
        *VERDICT,
        Option("verbose", ("--verbose", "-v"), "Also every family and every note in full.", "flag"),
        *WHERE,
        *VALUES,
        Option(
            "base",
            ("--base",),
            "An adapter's base: a folder, a config.json, org/name. Shapes follow from it.",
            value="SOURCE",
        ),
        Option("with_base", ("--with-base",), "Read the base repository that an adapter's config names.", "flag"),
        *OUTPUT,
    ),
)
VERBS = (
    AUDIT,
    Verb(
        "count",
        "The four counts of a checkpoint, each with what it means.",
        "inspector count model.safetensors",
        (SOURCE,),
        (CONFIG, WEIGHTS, FORMAT, *WHERE, *OUTPUT),
    ),
    Verb(
        "tensors",
        "The families of a checkpoint with role, shape, dtype and index sets.",
        "inspector tensors ./Mixtral-8x7B --all",
        (SOURCE,),
        (
            Option("every", ("--all",), "Every single tensor instead of families.", "flag"),
            CONFIG,
            WEIGHTS,
            FORMAT,
            *WHERE,
            *OUTPUT,
        ),
    ),
    Verb(
        "formula",
        "The definition of an architecture as a chart, its formula, and with a config the numbers.",
        "inspector formula llama; inspector formula ./params.json",
        (Argument("what", "An architecture's name, a config or params.json, or a checkpoint."),),
        (
            Option("head", ("--head",), "The task class: Model, ForCausalLM, …", value="CLASS"),
            CONFIG,
            FORMAT,
            *WHERE,
            *OUTPUT,
        ),
    ),
    Verb(
        "compare",
        "Two checkpoints role by role: the proof of a conversion; beside a repository the files too.",
        "inspector compare ./Llama-2-7b ./Meta-Llama-3-8B",
        (Argument("source", "The checkpoint before."), Argument("target", "The checkpoint after.")),
        (
            Option("expect", ("--expect",), "Make two different models an error.", choices=("conversion",)),
            FORMAT,
            *VERDICT,
            Option(
                "hashes", ("--hashes",), "Beside a repository: read all bytes here and compare their SHA-256.", "flag"
            ),
            *VALUES,
            WHERE[0]._replace(help="Of the side that is a repository; else org/name@REVISION."),
            WHERE[1]._replace(help="A folder of the side that is a repository."),
            *WHERE[2:],
            *OUTPUT,
        ),
    ),
    Verb(
        "explain",
        "What a finding means, why it matters, and what to do.",
        "inspector explain D501",
        (Argument("code", "A finding's code or name; 'all' lists them; 'notation': how definitions are written."),),
        (FORMAT, *OUTPUT),
    ),
    Verb(
        "architectures",
        "The architectures that have a definition, or what one of them reads.",
        "inspector architectures llama",
        (Argument("name", "One model type.", optional=True),),
        (FORMAT, *OUTPUT),
    ),
)
