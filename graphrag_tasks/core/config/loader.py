"""Where the values of settings come from.

They come, later ones winning, from the defaults, a TOML file, environment variables
(`GRAPHRAG__CHUNK__MAX_CHARACTERS=1500`) and explicit overrides (DAG params, command line). An unknown key is an error
that suggests the nearest known one.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from graphrag_tasks.core.config.sections import Config
from graphrag_tasks.core.errors import ConfigError, holds_password

ENV_PREFIX = "GRAPHRAG__"
CONFIG_FILE_VARIABLE = "GRAPHRAG_CONFIG"
DEFAULT_CONFIG_FILE = "graphrag.toml"


def load_config(
    path: str | Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read the configuration from file, environment and overrides.

    Args:
        path: TOML file. None takes `$GRAPHRAG_CONFIG`, or `graphrag.toml` where it exists.
        overrides: Nested values that win over file and environment; None values are passed over.
        environ: Environment, for tests; the process's own by default.

    Raises:
        ConfigError: The file is absent, cannot be read or is not TOML, a key is unknown, a value is not allowed, or an
            address holds a password: settings are kept in the store, secrets are not.
    """
    environ = os.environ if environ is None else environ
    values = _read_toml(path, environ)
    _merge(values, _from_environment(environ))
    _merge(values, overrides or {})
    _refuse_passwords(values)
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise _as_config_error(error) from error


def _read_toml(path: str | Path | None, environ: Mapping[str, str]) -> dict[str, Any]:
    named = path or environ.get(CONFIG_FILE_VARIABLE)
    file = Path(named or DEFAULT_CONFIG_FILE)
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        if named:
            raise ConfigError("the configuration file does not exist", str(file)) from error
        return {}
    except OSError as error:
        what = f"the configuration file cannot be read: {error.strerror}"
        hint = f"Name a TOML file by --config, or by {CONFIG_FILE_VARIABLE}"
        raise ConfigError(what, str(file), hint) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"not valid TOML: {error}", str(file)) from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in sorted(environ):
        if not name.startswith(ENV_PREFIX):
            continue
        *sections, key = name.removeprefix(ENV_PREFIX).lower().split("__")
        target = values
        for section in sections:
            target = target.setdefault(section, {})
            if not isinstance(target, dict):
                what = "a setting above it is set to a value, so it has none of its own"
                raise ConfigError(what, name, "Unset one of the two environment variables")
        target[key] = _parse_env(environ[name])
    return values


def _parse_env(text: str) -> Any:  # noqa: ANN401 - JSON is any type
    """Read a JSON list or object; any other text is converted by the setting it is for."""
    try:
        return json.loads(text) if text.lstrip().startswith(("[", "{")) else text
    except (ValueError, RecursionError):
        return text


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, Mapping):
            section = into.setdefault(key, {})
            if isinstance(section, dict):
                _merge(section, value)
        elif value is not None:
            into[key] = value


def _refuse_passwords(value: Any, where: str = "") -> None:  # noqa: ANN401 - any setting
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _refuse_passwords(inner, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            _refuse_passwords(inner, where)
    elif isinstance(value, str) and holds_password(value):
        raise ConfigError(
            "the address holds a password", where,
            "Take it out: settings are kept in the store. Secrets come from the environment, such "
            "as GRAPHRAG_MILVUS_TOKEN or AWS_SECRET_ACCESS_KEY",
        )  # fmt: skip


def _as_config_error(error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}"
        return ConfigError("unknown setting", where, hint)
    return ConfigError(f"{first['msg']} (got {first.get('input')!r})", where)


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = Config
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None or not isinstance(field.annotation, type):
            break
        model = field.annotation
    return sorted(model.model_fields)
