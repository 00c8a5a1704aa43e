"""The command line with a parser: typer's commands, created from the table of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from inspector.cli.table import VERBS, Argument, Option, Verb

Run = Callable[[str, dict[str, Any]], int]
"""Runs a command with its keyword arguments and returns the exit code."""
HELP = "Check a model checkpoint before you trust it: names, shapes and counts, from the headers of its files."


def app_of(run: Run) -> typer.Typer:
    """The commands. Each ends with `typer.Exit` and the code that `run` returns."""
    app = typer.Typer(
        name="inspector",
        help=HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for verb in VERBS:
        declare = app.command(verb.name, help=verb.help, short_help=verb.help, epilog=f"Example: {verb.example}")
        declare(_command(verb, run))
    app.callback(help=HELP)(_options)
    return app


def _command(verb: Verb, run: Run) -> Callable[..., None]:
    def command(**values: Any) -> None:
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        raise typer.Exit(
            run(verb.name, {name: value for name, value in given.items() if value not in (None, (), False)})
        )

    parameters = [*map(_argument, verb.arguments), *map(_option, verb.options)]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _argument(argument: Argument) -> Parameter:
    of: Any = str | None if argument.optional else str
    kind: Any = Annotated[of, typer.Argument(help=argument.help, metavar=argument.name.upper())]
    default = None if argument.optional else Parameter.empty
    return Parameter(argument.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _option(option: Option) -> Parameter:
    value = option.value if option.kind != "flag" else None
    metavar = f"<{'|'.join(option.choices)}>" if option.choices else value
    check = _one_of(option.choices) if option.choices else None
    declared = typer.Option(*option.flags, help=option.help, hidden=option.hidden, metavar=metavar, callback=check)
    of: Any = bool if option.kind == "flag" else list[str] | None if option.kind == "many" else str | None
    default: Any = False if option.kind == "flag" else option.default
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[of, declared])


def _one_of(choices: Sequence[str]) -> Callable[[str | None], str | None]:
    """A check that a value is one of some choices."""

    def checked(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"'{value}' is not one of {', '.join(choices)}")
        return value

    return checked


def _version(asked: bool) -> None:
    if asked:
        from inspector import __version__

        typer.echo(f"inspector {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
