"""`make reference`: write the pages of docs/reference that repeat what the code says.

Settings, tables, commands, errors and the Python API, each with the words that stand beside it in the code. The same
code gives the same bytes; a test compares the pages with what is made here.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pyarrow as pa
import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from graphrag_tasks.cli import app
from graphrag_tasks.core import errors, schemas
from graphrag_tasks.core.config import Config
from graphrag_tasks.retrieval import FurtherHit

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
_WRITTEN = "<!-- Written by `make reference`. Edit the code instead. -->"
_MODULES = ("graphrag_tasks", "graphrag_tasks.retrieval", "graphrag_tasks.answering")
_WORDS_OF_TYPES: dict[Any, str] = {
    str: "text", int: "integer", float: "number", bool: "true or false", Any: "any value",
}  # fmt: skip


def pages() -> dict[str, str]:
    """Return the text of each generated page, by file name."""
    made = {
        "settings.md": settings(),
        "tables.md": tables(),
        "cli.md": commands(),
        "api.md": python_api() + "\n\n" + error_tree(),
    }
    return {name: text.rstrip() + "\n" for name, text in made.items()}


def undescribed() -> list[str]:
    """Return the settings, columns and command options that no words describe."""
    fields = [
        f"setting {prefix}{name}"
        for prefix, model in sections()
        for name, field in model.model_fields.items()
        if _model_of(field.annotation) is not field.annotation and not field.description
    ]
    columns = [
        f"column {table}.{column.name}" for table, schema in _schemas() for column in schema if not _meaning(column)
    ]
    options = [
        f"option {path} {parameter.opts[0]}"
        for path, command in command_line()
        for parameter in command.params
        if not parameter.help
    ]
    return fields + columns + options


# Settings


def settings() -> str:
    """Return the page of settings: every section as TOML, with the defaults."""
    parts = [
        _page(
            "Settings",
            "These are the defaults. Values come from `graphrag.toml`, from environment variables "
            "and from options of commands; later ones win. `max_characters` of the section `chunk` "
            "is `GRAPHRAG__CHUNK__MAX_CHARACTERS` in the environment, where lists and tables are "
            "JSON. `GRAPHRAG_CONFIG` names another file. An unknown key is an error.",
        )
    ]
    for prefix, model in sections():
        title = prefix.rstrip(".")
        head = f"[[{title[:-2]}]]\n" if title.endswith("[]") else f"[{title}]\n" if title else ""
        lines = [
            f"# {_setting_words(field)}\n{_setting_line(name, field)}"
            for name, field in model.model_fields.items()
            if _model_of(field.annotation) is not field.annotation
        ]
        if lines:
            block = f"```toml\n{head}" + "\n".join(lines) + "\n```"
            parts.append(f"## {title or 'Top level'}\n\n{_first_paragraph(model)}\n\n{block}")
    return "\n\n".join(parts)


def sections() -> list[tuple[str, type[BaseModel]]]:
    """Return every section with the prefix of its settings, in the order of the code."""

    def walk(prefix: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
        yield prefix, model
        for name, field in model.model_fields.items():
            inner = _model_of(field.annotation)
            if inner is not None:
                is_section = inner is field.annotation
                key = "" if is_section else "[]" if get_origin(field.annotation) is tuple else ".NAME"
                yield from walk(f"{prefix}{name}{key}.", inner)

    return list(walk("", Config))


def _model_of(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 - any annotation
    """Return the section that a setting is, or that its items are; None for plain values."""
    candidates = [annotation, *get_args(annotation)]
    for candidate in candidates:
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _setting_words(field: FieldInfo) -> str:
    """Return what a setting is, with its type or choices where the default does not tell them."""
    words = re.sub(r"\s+", " ", field.description or "")
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    chosen = get_origin(field.annotation) is Literal
    return words if default not in (None, (), {}) and not chosen else (f"{words} ({_type_words(field.annotation)})")


def _setting_line(name: str, field: FieldInfo) -> str:
    if field.is_required():
        return f"{name} = …"
    value = field.get_default(call_default_factory=True)
    return f"# {name} =" if value is None else f"{name} = {_toml(value)}"


def _type_words(annotation: Any) -> str:  # noqa: ANN401 - any annotation
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_words(arguments[0])
    if origin is Literal:
        return "|".join(_toml(one) for one in arguments)
    if origin in (Union, UnionType):
        return " or ".join(_type_words(one) for one in arguments if one is not NoneType)
    if origin in (tuple, list, frozenset):
        inner = [one for one in dict.fromkeys(arguments) if one is not Ellipsis]
        return f"list[{', '.join(_type_words(one) for one in inner)}]"
    if origin is dict:
        return f"table[{_type_words(arguments[1])}]"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "tables"
    return _WORDS_OF_TYPES[annotation]


def _toml(value: Any) -> str:  # noqa: ANN401 - any setting
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple | frozenset | set):
        items = sorted(value) if isinstance(value, frozenset | set) else value
        return "[" + ", ".join(_toml(one) for one in items) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


# Tables


def tables() -> str:
    """Return the page of the tables of a snapshot."""
    parts = [
        _page(
            "Tables",
            f"Every table of a snapshot is Parquet. These are the tables of schema version "
            f"{schemas.SCHEMA_VERSION}; with `?` a column may be null, without a type it is a string. "
            + _paragraphs(schemas)[2],
        )
    ]
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, schema in _schemas():
        if name not in schemas.OF_SHARDS_ONLY:
            alike.setdefault(tuple(_column_words(one) for one in schema), []).append(name)
    copies = {
        lines: original
        for lines, names in alike.items()
        for other, (original, *_) in alike.items()
        if other is not lines and set(lines) <= set(other) and names[0].startswith("mapped_")
    }
    # Of each name the line that most tables have, once for all of them.
    times = Counter(line for lines in alike if lines not in copies for line in lines)
    most = {_first_word(line): line for line, _ in reversed(times.most_common())}
    shared = [line for line in times if times[line] > 1 and line == most[_first_word(line)]]
    parts.append("## Columns of several tables\n\n" + "\n".join(shared))
    for lines, names in alike.items():
        above = "also" if lines not in copies else f"as in `{copies[lines]}`:"
        own = [line for line in lines if line not in shared and lines not in copies]
        others = ", ".join(_first_word(line) for line in lines if line not in own)
        own += [f"* {above} {others}"] * bool(others)
        parts.append(f"## {', '.join(names)}\n\n" + "\n".join(own))
    return "\n\n".join(parts)


def _column_words(column: pa.Field) -> str:
    mark = "?" if column.nullable else ""
    kind = "" if pa.types.is_string(column.type) else f":{_arrow_words(column.type)}"
    return f"* `{column.name}{kind}{mark}`: {_plain(_meaning(column))}"


def _first_word(line: str) -> str:
    return "`" + re.split(r"[:?`]", line)[1] + "`"


def _schemas() -> Iterator[tuple[str, pa.Schema]]:
    yield from schemas.SCHEMAS.items()
    for name in schemas.VECTOR_TABLES:
        yield name, schemas.vectors_schema(-1)


def _meaning(column: pa.Field) -> str:
    meaning: bytes = (column.metadata or {}).get(b"meaning", b"")
    return meaning.decode()


def _arrow_words(kind: pa.DataType) -> str:
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return f"list[{_arrow_words(kind.value_type)}]"
    if pa.types.is_struct(kind):
        inner = (f"{one.name}:{_arrow_words(one.type)}" for one in kind)
        return f"struct({', '.join(inner)})"
    return str(kind)


# Commands


def commands() -> str:
    """Return the page of commands."""
    every = list(command_line())
    times = Counter(
        _option_words(one) for _, command in every for one in command.params if one.param_type_name == "option"
    )
    shared = [words for words, number in times.most_common() if number > 1]
    # Options of nearly every command are told once, with the commands that lack them.
    without = {
        words: [f"`{path}`" for path, command in every if words not in map(_option_words, command.params)]
        for words in shared
    }
    usual = {words: paths for words, paths in without.items() if len(paths) < len(every) / 5}
    told = [f"{words} All commands but {', '.join(usual[words])}." if words in usual else words for words in shared]
    parts = [
        _page(
            "Command line",
            "Type `graphrag-tasks COMMAND`; `--help` behind it prints what stands here. `--number=60` takes a "
            "value, by default 60; of `a|b` one, by default the first. An error of the project is one line and ends "
            "with exit code 1, wrong usage with 2. `graphrag-tasks --verbose COMMAND` logs what every stage does.",
        ),
        "## Options of several commands\n\n" + "\n".join(told),
    ]
    for path, command in every:
        arguments = "".join(f" `{_usage_of(one)}`" for one in command.params if one.param_type_name == "argument")
        words = inspect.cleandoc(command.help or "").replace("\b", "").strip()
        lines = [line for one in command.params if (line := _option_words(one)) not in shared]
        others = [f"`{one.opts[0]}`" for one in command.params if _option_words(one) in without.keys() - usual]
        lines += [f"* also {', '.join(others)}"] * bool(others)
        parts.append(f"## {path}{arguments}\n\n{words}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def command_line() -> Iterator[tuple[str, Any]]:
    """Yield every command that `--help` shows, with its path."""

    def walk(path: str, command: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - click's
        inner = getattr(command, "commands", None)
        if inner is None:
            yield path, command
        else:
            for name, one in inner.items():
                if not one.hidden:
                    yield from walk(f"{path} {name}".strip(), one)

    return walk("", typer.main.get_command(app))


def _usage_of(argument: Any) -> str:  # noqa: ANN401 - click's
    name = argument.name.upper() + ("…" if argument.nargs != 1 else "")
    return name if argument.required else f"[{name}]"


def _option_words(parameter: Any) -> str:  # noqa: ANN401 - click's
    """Return a line on an option or argument: its names, value, default and what it does."""
    default = "" if parameter.required else parameter.show_default
    notes = [f"default {default}"] * isinstance(default, str) * bool(default)
    notes += ["default on"] * (bool(parameter.secondary_opts) and parameter.default is True)
    told = f" ({', '.join(notes)})" if notes else ""
    return f"* `{_option_names(parameter)}`{told}: {_plain(parameter.help or '')}"


def _option_names(parameter: Any) -> str:  # noqa: ANN401 - click's
    """Return the names with the value that they take: the default, the choices or the type."""
    choices = [str(getattr(one, "value", one)) for one in getattr(parameter.type, "choices", None) or ()]
    default = getattr(parameter.default, "value", parameter.default)
    if parameter.param_type_name == "argument":
        return f"{parameter.name.upper()}{': ' * bool(choices)}{'|'.join(choices)}"
    names = "/".join([*sorted(parameter.opts, key=len), *parameter.secondary_opts])
    if choices:
        return f"{names}={'|'.join(sorted(choices, key=lambda one: one != default))}"
    if getattr(parameter, "is_flag", False):
        return names
    kinds = {"integer": "N", "float": "N", "path": "PATH"}
    kind: str = parameter.type.name.removesuffix(" range")
    return f"{names}={kinds.get(kind, '…') if default is None else default}"


# Errors


def error_tree() -> str:
    """Return the section of errors."""
    tree = "\n".join(_branches(errors.GraphragError, 0))
    codes = [f"* `{code}`: {_plain(words)}" for code, words in errors.DOCUMENT_ERROR_CODES.items()]
    return "\n\n".join(
        [
            "## Errors\n\nAll errors are in `graphrag_tasks.core.errors`. A message says what went "
            "wrong, where, and what to do next. Airflow retries transient errors alone.",
            tree,
            "### Error codes of documents\n\nThe column `documents.error_code` has one of these. "
            "`graphrag-tasks documents --problems` shows them.",
            "\n".join(codes),
        ]
    )


def _branches(error: type[Exception], depth: int) -> Iterator[str]:
    yield "    " * depth + f"* `{error.__name__}`: {_plain(_first_paragraph(error))}"
    for one in _children(error):
        yield from _branches(one, depth + 1)


def _children(error: type[Exception]) -> list[type[Exception]]:
    """Return the classes right below an error, as they stand in the module of errors."""
    return [one for one in vars(errors).values() if isinstance(one, type) and error in one.__bases__]


# The Python API


def python_api() -> str:
    """Return the page of the public names."""
    parts = [
        _page(
            "Python API",
            "The names of `graphrag_tasks` stay as they are within a minor version. Those of the "
            "other modules are what they take and return. Everything else may change at any time. "
            "A parameter whose default is None takes None, too.",
        )
    ]
    told: dict[str, Any] = {}
    for module_name in _MODULES:
        module = importlib.import_module(module_name)
        names = [name for name in module.__all__ if not name.endswith(("__version__", "Error"))]
        found = [(name, getattr(module, name)) for name in names]
        new = [one for one in found if one[0] not in told and not any(one[1] is value for value in told.values())]
        told |= dict(new)
        if new:
            described = [_name_words(name, value) for name, value in new]
            about = f"## {module_name}\n\n{_first_paragraph(module)}"
            parts.append("\n\n".join([about, *described]))
    return "\n\n".join(parts)


def _name_words(name: str, value: Any) -> str:  # noqa: ANN401 - any public name
    if inspect.isclass(value):
        if value is Config:
            return f"### {name}\n\n{_first_paragraph(value)} Its keys are the [settings](settings.md)."
        has_arguments = not issubclass(value, Enum) and not getattr(value, "_is_protocol", False)
        methods = [
            f"# {_first_paragraph(function)}\n.{_signature(method, function)}"
            for method, function in _methods(value).items()
            if value is FurtherHit or method not in _methods(FurtherHit)
        ]
        calls = [_signature(name, value)] * has_arguments + methods
        like = " A `FurtherHit`." * (value is not FurtherHit and _methods(FurtherHit).keys() <= _methods(value).keys())
        block = ["```python\n" + "\n".join(calls) + "\n```"] if calls else []
        return "\n\n".join([f"### {name}", _first_paragraph(value) + like, *block])
    if callable(value):
        return f"### {name}\n\n{_first_paragraph(value)}\n\n```python\n{_signature(name, value)}\n```"
    if isinstance(value, Mapping):
        return f"### {name}\n\nA mapping with the keys {', '.join(f'`{key}`' for key in value)}."
    return f"### {name}\n\nA constant."


def _methods(value: type) -> dict[str, Callable[..., Any]]:
    """Return the methods by name, those of a class of the same name that it extends first, and no other names."""
    found = {
        name: one for base in value.__bases__ if base.__name__ == value.__name__ for name, one in _methods(base).items()
    }
    for name, function in vars(value).items():
        if inspect.isfunction(function) and not name.startswith("_") and function.__name__ == name:
            found[name] = function
    return found


def _signature(name: str, value: Callable[..., Any]) -> str:
    """Return a call as code, one parameter a line where it is long."""
    if isinstance(value, type) and issubclass(value, BaseModel):
        value.model_rebuild()  # settings are checked, and have a signature, from first use on
    signature = inspect.signature(value)
    shown: list[str] = []
    kinds = inspect.Parameter
    parameters = [one for key, one in signature.parameters.items() if key != "self"]
    for position, one in enumerate(parameters):
        before = parameters[position - 1].kind if position else None
        if one.kind is kinds.KEYWORD_ONLY and before not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
            shown.append("*")
        star = "*" if one.kind is kinds.VAR_POSITIONAL else ""
        star = "**" if one.kind is kinds.VAR_KEYWORD else star
        words = _annotation(one.annotation).removesuffix(" | None" * (one.default is None))
        annotation = f": {words}" if one.annotation is not one.empty else ""
        shown.append(f"{star}{one.name}{annotation}{_default_of(one)}")
    returned = signature.return_annotation
    end = "" if returned in (signature.empty, None, "None") else f" -> {_annotation(returned)}"
    line = f"{name}({', '.join(shown)}){end}"
    if len(line) > 90:
        inner = "".join(f"    {one},\n" for one in shown)
        line = f"{name}(\n{inner}){end}"
    return line


def _annotation(annotation: Any) -> str:  # noqa: ANN401 - any annotation
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _default_of(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    plain = (str, int, float, bool, NoneType, tuple)
    value = repr(parameter.default) if isinstance(parameter.default, plain) else "…"
    return f" = {value}"


# Markdown


def _page(title: str, intro: str) -> str:
    return f"{_WRITTEN}\n\n# {title}\n\n{intro}"


def _plain(words: str) -> str:
    """Return words in one line; no mark of Markdown in them but code."""
    parts = re.split(r"(`[^`]*`)", re.sub(r"\s+", " ", words))
    plain = (one.replace("<", "&lt;").replace("*", "\\*") for one in parts[::2])
    code = [*parts[1::2], ""]
    return "".join(text + between for text, between in zip(plain, code, strict=True))


def _paragraphs(value: Any) -> list[str]:  # noqa: ANN401 - anything with a docstring
    text = inspect.cleandoc(getattr(value, "__doc__", None) or "")
    return [" ".join(one.split()) for one in text.split("\n\n")]


def _first_paragraph(value: Any) -> str:  # noqa: ANN401 - anything with a docstring
    """Return what a thing is; of a call, whose signature stands beside it, what it returns."""
    words = _paragraphs(value)[0].removeprefix("Return ")
    return words[:1].upper() + words[1:]


def main() -> int:
    """Write the pages; with a setting, column or option that has no words, write none."""
    bare = undescribed()
    if bare:
        print("No description: " + ", ".join(bare))
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
