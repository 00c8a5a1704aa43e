"""The command line: verbs and options, declared once. What a verb does is in `inspector.cli.verbs`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from inspector.cli import verbs


class Format(StrEnum):
    """How the result is reported."""

    text = "text"
    json = "json"


class ReportFormat(StrEnum):
    """How an audit is reported."""

    text = "text"
    json = "json"
    markdown = "markdown"


class Level(StrEnum):
    """From which severity on the exit code is 1."""

    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


class Expectation(StrEnum):
    """What a comparison is expected to be."""

    conversion = "conversion"


app = typer.Typer(
    name="inspector",
    help="Verify the parameter count of a checkpoint against its real weights, from headers alone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Source = Annotated[
    str,
    typer.Argument(help="A folder, a file, an index, org/name on the Hub, a pasted page, or s3://, https://, zip://."),
]
Revision = Annotated[str | None, typer.Option(help="Branch, tag or commit of a repository.")]
Subfolder = Annotated[str | None, typer.Option(help="A folder of the source.")]
RepoType = Annotated[str | None, typer.Option(help="model, dataset or space.")]
Cached = Annotated[bool, typer.Option("--cached", help="Read the Hub's local cache and ask nobody.")]
Weights = Annotated[str | None, typer.Option("--weights", help="Which set of weights, where there are several.")]
ConfigFile = Annotated[str | None, typer.Option("--config", help="A config.json to use instead of the one there.")]
AsFormat = Annotated[Format, typer.Option("--format", help="text, or JSON on standard output.")]
Values = Annotated[bool, typer.Option("--values", help="Read the numbers in the tensors too; this takes its time.")]
Tensor = Annotated[list[str] | None, typer.Option(help="Read only the numbers of these tensors; * for anything.")]
FailOn = Annotated[Level, typer.Option(help="Severity from which the exit code is 1.")]


@app.command(epilog="Example: inspector audit ./Llama-3.2-1B --claim 1.24B")
def audit(
    source: Source,
    claim: Annotated[str | None, typer.Option(help="A total to explain: 8030257152, 8.03B, 6607.34M.")] = None,
    config: ConfigFile = None,
    weights: Weights = None,
    format: Annotated[ReportFormat, typer.Option(help="text, markdown, or JSON.")] = ReportFormat.text,
    fail_on: FailOn = Level.error,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also every family and every note in full.")] = False,
    revision: Revision = None,
    subfolder: Subfolder = None,
    repo_type: RepoType = None,
    cached: Cached = False,
    values: Values = False,
    tensor: Tensor = None,
    base: Annotated[
        str | None, typer.Option(help="An adapter's base: a folder, a config.json, org/name. Shapes follow from it.")
    ] = None,
    with_base: Annotated[
        bool, typer.Option("--with-base", help="Read the base repository that an adapter's config names.")
    ] = False,
    debug: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Say whether a checkpoint is complete and is what its config says, to the last parameter."""
    verbs.audit(
        source,
        claim=claim,
        config=config,
        weights=weights,
        format=format,
        fail_on=fail_on,
        verbose=verbose,
        revision=revision,
        subfolder=subfolder,
        repo_type=repo_type,
        cached=cached,
        values=values,
        tensor=tensor or (),
        base=base,
        with_base=with_base,
    )


@app.command(epilog="Example: inspector count model.safetensors")
def count(
    source: Source,
    config: ConfigFile = None,
    weights: Weights = None,
    format: AsFormat = Format.text,
    revision: Revision = None,
    subfolder: Subfolder = None,
    repo_type: RepoType = None,
    cached: Cached = False,
) -> None:
    """The four counts of a checkpoint, each with what it means."""
    verbs.count(
        source,
        config=config,
        weights=weights,
        format=format,
        revision=revision,
        subfolder=subfolder,
        repo_type=repo_type,
        cached=cached,
    )


@app.command(epilog="Example: inspector tensors ./Mixtral-8x7B --all")
def tensors(
    source: Source,
    every: Annotated[bool, typer.Option("--all", help="Every single tensor instead of families.")] = False,
    config: ConfigFile = None,
    weights: Weights = None,
    format: AsFormat = Format.text,
    revision: Revision = None,
    subfolder: Subfolder = None,
    repo_type: RepoType = None,
    cached: Cached = False,
) -> None:
    """The families of a checkpoint with role, shape, dtype and index sets."""
    verbs.tensors(
        source,
        every=every,
        config=config,
        weights=weights,
        format=format,
        revision=revision,
        subfolder=subfolder,
        repo_type=repo_type,
        cached=cached,
    )


@app.command(epilog="Example: inspector formula llama; inspector formula ./params.json")
def formula(
    what: Annotated[str, typer.Argument(help="An architecture's name, a config or params.json, or a checkpoint.")],
    head: Annotated[str | None, typer.Option(help="The task class: Model, ForCausalLM, …")] = None,
    config: ConfigFile = None,
    format: AsFormat = Format.text,
    revision: Revision = None,
    subfolder: Subfolder = None,
    repo_type: RepoType = None,
    cached: Cached = False,
) -> None:
    """The definition of an architecture as a chart, its formula, and with a config the numbers."""
    verbs.formula(
        what,
        head=head,
        config=config,
        format=format,
        revision=revision,
        subfolder=subfolder,
        repo_type=repo_type,
        cached=cached,
    )


@app.command(epilog="Example: inspector compare ./Llama-2-7b ./Meta-Llama-3-8B")
def compare(
    source: Annotated[str, typer.Argument(help="The checkpoint before.")],
    target: Annotated[str, typer.Argument(help="The checkpoint after.")],
    expect: Annotated[Expectation | None, typer.Option(help="Make two different models an error.")] = None,
    format: AsFormat = Format.text,
    fail_on: FailOn = Level.error,
    hashes: Annotated[
        bool, typer.Option("--hashes", help="Beside a repository: read all bytes here and compare their SHA-256.")
    ] = False,
    values: Values = False,
    tensor: Tensor = None,
    revision: Annotated[
        str | None, typer.Option(help="Of the side that is a repository; else org/name@REVISION.")
    ] = None,
    subfolder: Annotated[str | None, typer.Option(help="A folder of the side that is a repository.")] = None,
    repo_type: RepoType = None,
    cached: Cached = False,
) -> None:
    """Two checkpoints role by role: the proof of a conversion; beside a repository the files too."""
    verbs.compare(
        source,
        target,
        expect=expect,
        format=format,
        fail_on=fail_on,
        hashes=hashes,
        values=values,
        tensor=tensor or (),
        revision=revision,
        subfolder=subfolder,
        repo_type=repo_type,
        cached=cached,
    )


@app.command(epilog="Example: inspector explain D501")
def explain(
    code: Annotated[
        str, typer.Argument(help="A finding's code or name; 'all' lists them; 'notation': how definitions are written.")
    ],
    format: AsFormat = Format.text,
) -> None:
    """What a finding means, why it matters, and what to do."""
    verbs.explain(code, format=format)


@app.command(epilog="Example: inspector architectures llama")
def architectures(
    name: Annotated[str | None, typer.Argument(help="One model type.")] = None, format: AsFormat = Format.text
) -> None:
    """The architectures that have a definition, or what one of them reads."""
    verbs.architectures(name, format=format)


def _version(asked: bool) -> None:
    if asked:
        from inspector import __version__

        typer.echo(f"inspector {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Verify the parameter count of a checkpoint against its real weights, from headers alone."""


def run() -> None:
    """Reads the command line and runs the verb."""
    app()
