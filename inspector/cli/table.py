"""The command line as data: commands, their arguments and options, each declared once.

The parser (`inspector.cli.app`), the parsing without it (`inspector.cli.plain`) and the calls of `inspector.cli.verbs`
are derived from it.
"""

from __future__ import annotations

from typing import NamedTuple


class Argument(NamedTuple):
    """A word without a dash. name: the keyword argument."""

    name: str
    help: str
    optional: bool = False


class Option(NamedTuple):
    """An option. name: the keyword argument.

    kind: "text" takes a value, "flag" takes none, "many" can be repeated with a value each. default: for choices only.
    value: the name of the value in the help.
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
"""Severities, worst first, and "never"."""

SOURCE = Argument("source", "A folder, file, index, org/name on the Hub, Hub page URL, or s3://, https://, zip://.")
WHERE = (
    Option("revision", ("--revision",), "Branch, tag or commit of the repository.", value="REVISION"),
    Option("subfolder", ("--subfolder",), "Subfolder of the source.", value="FOLDER"),
    Option("repo_type", ("--repo-type",), "Repository type.", choices=("model", "dataset", "space")),
    Option("cached", ("--local-files-only", "--cached"), "Use only the local Hub cache (no network).", "flag"),
    Option("cache_dir", ("--cache-dir",), "Folder of the local Hub cache.", value="FOLDER"),
    Option(
        "token",
        ("--token",),
        "Access token of the Hub. Safer in the environment (HF_TOKEN) or stored by `hf auth login`: other users of "
        "this machine can read command lines.",
        value="TOKEN",
    ),
)
"""The location of a source, with the option names of huggingface_hub."""
OUTPUT = (
    Option("output", ("--output", "-o"), "Write the report to this file.", value="FILE"),
    Option("color", ("--color",), "Colour the report.", choices=("auto", "always", "never"), default="auto"),
    Option("debug", ("--debug",), "Show the traceback of an internal error.", "flag", hidden=True),
)
FORMAT = Option("format", ("--format", "-f"), "Output format.", choices=("text", "json"), default="text")
REPORT_FORMAT = FORMAT._replace(choices=("text", "json", "markdown"))
CONFIG = Option("config", ("--config",), "Use this config.json instead of the checkpoint's.", value="FILE")
WEIGHTS = Option("weights", ("--weights",), "The set of weights to use, if there are several.", value="NAME")
VALUES = (
    Option("values", ("--values",), "Also read tensor values (slow).", "flag"),
    Option("tensor", ("--tensor",), "Read values of these tensors only; * is a wildcard.", "many", value="NAME"),
)
VERDICT = (
    Option("fail_on", ("--fail-on",), "Exit with 1 at this severity or above.", choices=LEVELS, default="error"),
    Option("quiet", ("--quiet", "-q"), "Print only the verdict, in one line.", "flag"),
)

BASE = Option(
    "base",
    ("--base",),
    "Base of an adapter, or pipeline of a ControlNet, VAE or denoiser: a folder, a config.json, or org/name.",
    "many",
    value="SOURCE",
)
FOR = Option(
    "loader", ("--for",), "Base the verdict on this loader only (see `inspector explain loads`).", value="LOADER"
)
AUDIT = Verb(
    "audit",
    "Check that a checkpoint is complete and matches its config, to the last parameter.",
    "inspector audit ./Llama-3.2-1B --claim 1.24B",
    (SOURCE,),
    (
        Option(
            "claim",
            ("--claim",),
            "A parameter count to check: 8030257152, 8.03B, 6607.34M.",
            value="TOTAL",
        ),
        CONFIG,
        WEIGHTS,
        REPORT_FORMAT,
        *VERDICT,
        FOR,
        Option("require", ("--require",), "Exit with 1 unless the verdict is clean.", choices=("clean",)),
        Option("verbose", ("--verbose", "-v"), "Also print all families and all notes in full.", "flag"),
        *WHERE,
        *VALUES,
        Option("sample", ("--sample",), "Compare three samples of 4 KB of each stored copy of a tied tensor.", "flag"),
        Option("reference", ("--reference",), "Also open every local file with safetensors.", "flag"),
        BASE,
        Option("with_base", ("--with-base",), "Read the base repository named in the adapter's config.", "flag"),
        *OUTPUT,
    ),
)
VERBS = (
    AUDIT,
    Verb(
        "count",
        "Print the four counts of a checkpoint and their meaning.",
        "inspector count model.safetensors",
        (SOURCE,),
        (CONFIG, WEIGHTS, REPORT_FORMAT, *WHERE, *OUTPUT),
    ),
    Verb(
        "tensors",
        "List tensor families with role, shape, dtype and indices.",
        "inspector tensors ./Mixtral-8x7B --all",
        (SOURCE,),
        (
            Option("every", ("--all",), "List every tensor instead of families.", "flag"),
            CONFIG,
            WEIGHTS,
            FORMAT,
            *WHERE,
            *OUTPUT,
        ),
    ),
    Verb(
        "formula",
        "Print an architecture's tensors and formula, with numbers if a config is given.",
        "inspector formula llama; inspector formula ./params.json",
        (Argument("what", "An architecture's name, a config or params.json, or a checkpoint."),),
        (
            Option("head", ("--head",), "Task class: Model, ForCausalLM, …", value="CLASS"),
            CONFIG,
            FORMAT,
            *WHERE,
            *OUTPUT,
        ),
    ),
    Verb(
        "compare",
        "Compare two checkpoints by role; with a Hub repo also compare files.",
        "inspector compare ./Llama-3.2-1B ./Llama-3.2-1B-Q8_0.gguf",
        (
            Argument("source", "The checkpoint before."),
            Argument("target", "The checkpoint after."),
            Argument("projector", "llama.cpp's mmproj file, if the target is its text model.", optional=True),
        ),
        (
            Option("expect", ("--expect",), "Fail if the checkpoints are different models.", choices=("conversion",)),
            REPORT_FORMAT,
            *VERDICT,
            Option("hashes", ("--hashes",), "With a Hub repo: compare the SHA-256 of all local files.", "flag"),
            *VALUES,
            WHERE[0]._replace(help="Revision of the Hub side; for both sides use org/name@REVISION."),
            WHERE[1]._replace(help="Subfolder of the Hub side."),
            *WHERE[2:],
            *OUTPUT,
        ),
    ),
    Verb(
        "mend",
        "Print what would make a checkpoint load, as steps; --write applies them.",
        "inspector mend ./my-finetune --write",
        (SOURCE,),
        (
            Option("write", ("--write",), "Apply the plan in place; old files are kept as NAME.orig.", "flag"),
            Option("partial", ("--partial",), "With --write: even if findings remain.", "flag"),
            Option("into", ("--into",), "Write a new folder instead; unchanged files are linked.", value="FOLDER"),
            Option("undo", ("--undo",), "Put the old files back.", "flag"),
            FOR._replace(help="Mend what this loader needs only (see `inspector explain loads`)."),
            BASE,
            REPORT_FORMAT,
            *WHERE,
            *OUTPUT,
        ),
    ),
    Verb(
        "explain",
        "Explain a finding, or a topic: glossary, hub, compare, mend, loads, formats, python, ci, notation, options.",
        "inspector explain D501",
        (Argument("code", "A finding's code or name, 'all' for a list, or a topic."),),
        (FORMAT, *OUTPUT),
    ),
    Verb(
        "architectures",
        "List the supported architectures, or describe one.",
        "inspector architectures llama",
        (Argument("name", "A model type.", optional=True),),
        (FORMAT, *OUTPUT),
    ),
    Verb(
        "schema",
        "Print the JSON Schema of what a command prints with -f json.",
        "inspector schema audit",
        (Argument("name", "A command; without one, all that print JSON are listed.", optional=True),),
        OUTPUT,
    ),
)
